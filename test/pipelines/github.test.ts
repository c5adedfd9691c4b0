import type { ChildProcess } from "node:child_process";
import { Github, type JobOutcome } from "./github";
import { READER, type PipelineFixture, secrets, openPipelineFixture, WRITER } from "./pipeline-fixture";

/**
 * Runs the workflows of examples/pipelines/github unchanged. The tests follow the life of one repository, so their order
 * matters.
 */

let fixture: PipelineFixture;
let github: Github;

beforeAll(async () => {
  fixture = await openPipelineFixture();
  const { simulator, state } = fixture;
  github = new Github(
    fixture.repository,
    fixture.api,
    {
      vars: { STATE_URL: state.url, CLUSTER_PLATFORM_URL: simulator.url },
      secrets: {
        STATE_READER: READER.name,
        STATE_READER_KEY: READER.password,
        CLUSTER_PLATFORM_READER_TOKEN: simulator.token,
      },
      environments: {
        production: {
          secrets: {
            STATE_WRITER: WRITER.name,
            STATE_WRITER_KEY: WRITER.password,
            CLUSTER_PLATFORM_TOKEN: simulator.token,
            PLAN_PRIVATE_KEY: fixture.repository.planKey,
            ...secrets,
          },
        },
      },
    },
    fixture.env,
  );
});

afterAll(() => fixture.close());

const main = () => ({ sha: fixture.repository.git("rev-parse", "main"), ref: "refs/heads/main" });

/** @param before the previous commit of the main branch. None for the first push */
function push(options: Parameters<Github["run"]>[2] = {}, before = "0".repeat(40)): Promise<Record<string, JobOutcome>> {
  return github.run("apply", { event: "push", payload: { before }, ...main() }, options);
}

/** Runs the jobs of the review of a pull request whose commits `change` makes. */
async function pullRequest(change: () => void, from = "team/sites"): Promise<Record<string, JobOutcome>> {
  const { repository } = fixture;
  repository.git("checkout", "--quiet", "-B", "change", "main");
  change();
  repository.commit("A change");
  // GitHub checks out the merge of the change into the base.
  repository.git("checkout", "--quiet", "--detach", "main");
  repository.git("merge", "--quiet", "--no-ff", "--no-edit", "change");
  const sha = repository.git("rev-parse", "HEAD");
  repository.git("checkout", "--quiet", "main");
  const payload = { pull_request: { number: 1, base: { ref: "main" }, head: { sha, repo: { full_name: from } } } };
  const isFork = from !== "team/sites";
  return github.run("review", {
    event: "pull_request",
    ref: "refs/pull/1/merge",
    sha,
    payload,
    ...(isFork && { secrets: {}, readOnlyToken: true }),
  });
}

const moreWorkers = () => fixture.repository.edit("main.ts", (text) => text.replace("workers: 2", "workers: 3"));
const allowance = (text: string) =>
  text.replace(
    '"allow": []',
    '"allow": [{ "object": "capvs/clusters/staging", "verdict": "REPLACE", "why": "nothing is on it yet" }]',
  );

test("a first push that is cancelled in the middle of a create saves its state and releases its lock", async () => {
  const { simulator, state } = fixture;
  simulator.inject({ kind: "hang", when: "after", method: "POST", path: "/api/v1/platform/providers/clusters" });
  const { plan, apply } = await push({
    started: (runner: ChildProcess) => {
      simulator.onResponse = ({ method, path }) => {
        if (method === "POST" && path.includes("/clusters/")) runner.kill("SIGINT");
      };
    },
  });
  simulator.heal();
  simulator.onResponse = undefined;

  expect(plan!.result).toBe("success");
  expect(plan!.summary).toContain(`SHA-256 of the plans: \`${plan!.outputs.sha256}\``);
  expect(apply!.log).toContain("Interrupt received.");
  expect(apply!.result).toBe("cancelled");
  expect(fixture.happened()).toEqual(["+vsphere-staging", "+staging"]);
  expect(state.instances("staging")).toEqual(['capvs_clusters["staging"]', 'capvs_providers["vsphere-staging"]']);
  expect(state.locks.size).toBe(0);
});

test("the next push, on another machine, continues the create, and then the next stack", async () => {
  const { apply } = await push();
  expect(apply!.log).toContain("cluster staging: created by an earlier apply that was interrupted");
  expect(apply!.result).toBe("success");
  expect(fixture.happened()).toEqual(["+vsphere-staging", "+staging", "+vsphere-production", "+production"]);
  expect(fixture.state.log.filter((line) => line.startsWith("POST /state/production"))).not.toEqual([]);
});

test("a push that changes nothing plans and applies nothing", async () => {
  const before = fixture.simulator.requests.length;
  const { plan, apply } = await push();
  expect(plan!.outputs.change).toBe("false");
  expect(apply!.result).toBe("skipped");
  expect(fixture.simulator.requests).toHaveLength(before);
});

test("a pull request that would destroy a cluster fails, with one comment, even if it allows itself", async () => {
  const { api, simulator, state, repository } = fixture;
  const before = { requests: simulator.requests.length, states: [...state.states], log: state.log.length };
  const { review } = await pullRequest(() => {
    moreWorkers();
    repository.edit("ci/review-policy.json", allowance);
  });
  expect(review!.result).toBe("failure");
  expect(review!.log).toContain("the step ended with 2");
  expect(review!.summary).toContain("`workers.default.count` `2` → `3`");
  expect(api.comments).toHaveLength(1);
  expect(api.comments[0]!.body).toContain("REPLACE");
  expect(simulator.requests).toHaveLength(before.requests);
  expect([...state.states]).toEqual(before.states);
  expect(state.log.slice(before.log).filter((line) => !line.startsWith("GET "))).toEqual([]);
});

test("a change that the base allows passes, and the same comment says so", async () => {
  const { api, repository } = fixture;
  repository.edit("ci/review-policy.json", allowance);
  repository.commit("Allow staging to be created again");
  const { review } = await pullRequest(moreWorkers);
  expect({ result: review!.result, log: review!.log }).toEqual({ result: "success", log: expect.anything() });
  expect(api.comments).toHaveLength(1);
  expect(api.comments[0]!.body).toContain("nothing is on it yet");
});

test("a push that allows itself something is denied after the merge too, with any number of commits", async () => {
  const { repository } = fixture;
  const { sha: before } = main();
  repository.git("revert", "--no-edit", "HEAD");
  const { sha: without } = main();
  repository.edit("ci/review-policy.json", allowance);
  repository.commit("Allow staging to be created again");
  moreWorkers();
  repository.commit("More workers");
  const { plan, apply } = await push({}, without);
  expect(plan!.log).toContain("the step ended with 2");
  expect([plan!.result, apply!.result]).toEqual(["failure", "skipped"]);
  repository.git("reset", "--quiet", "--hard", before);
});

describe("a stack that leaves main.ts", () => {
  const removeStaging = () =>
    fixture.repository.edit("main.ts", (text) => text.replace(/^const staging = .*\n|^production\.addDependency.*\n/gm, ""));

  test("is in the comment, and is denied until the policy of the base allows it", async () => {
    const { api, repository } = fixture;
    const { review } = await pullRequest(removeStaging);
    expect(review!.result).toBe("failure");
    expect(review!.log).toContain("the step ended with 2");
    const row = /^\| 🔴 ⛔ \| `staging` \| cluster `staging` \| \*\*LEAVE\*\*: stays on the service, where nothing manages it/m;
    expect(api.comments[0]!.body).toMatch(row);

    const { sha: before } = main();
    const entry = { object: "*", verdict: "LEAVE", stack: "staging", expires: "9999-12-31" };
    repository.edit("ci/review-policy.json", (text) => text.replace('"allow": [', `"allow": [${JSON.stringify(entry)}, `));
    repository.commit("Leave staging");
    const { review: allowed } = await pullRequest(removeStaging);
    expect({ result: allowed!.result, log: allowed!.log }).toEqual({ result: "success", log: expect.anything() });
    expect(api.comments[0]!.body).toContain("`capvs/clusters/staging` LEAVE");
    repository.git("reset", "--quiet", "--hard", before);
  });

  test("is denied after the merge too, because the commit before the push had it", async () => {
    const { repository } = fixture;
    const { sha: before } = main();
    removeStaging();
    repository.commit("Remove staging");
    const { plan, apply } = await push({}, before);
    expect(plan!.log).toContain("the step ended with 2");
    expect(plan!.summary).toContain("this stack left the code");
    expect([plan!.result, apply!.result]).toEqual(["failure", "skipped"]);
    repository.git("reset", "--quiet", "--hard", before);
  });
});

test("a pull request that can no longer be planned has its comment marked as outdated", async () => {
  const { api, repository } = fixture;
  const { synth, review } = await pullRequest(() =>
    repository.edit("main.ts", (text) => `${text}throw new Error("half done");\n`),
  );
  expect(synth!.log).toContain("half done");
  expect(review!.log).toContain("there is no synth.tar");
  expect([synth!.result, review!.result]).toEqual(["failure", "failure"]);
  expect(api.comments).toHaveLength(1);
  expect(api.comments[0]!.body).toContain("No review: the plan failed");
  expect(api.comments[0]!.body).not.toContain("nothing is on it yet");
});

test("a program that overwrites the gate does so only in a job without secrets", async () => {
  const { repository } = fixture;
  const { synth, review } = await pullRequest(() => {
    repository.edit("main.ts", (text) => text.replace("workers: 5", "workers: 6"));
    const gate = '"node_modules/.bin/cluster-platform"';
    const attack = `{ const fs = require("node:fs"); fs.rmSync(${gate}); fs.writeFileSync(${gate}, "#!/bin/sh\\nexit 0\\n"); }`;
    repository.edit("main.ts", (text) => `${text}${attack}\nconsole.log(JSON.stringify(process.env));\n`);
    repository.edit("ci/review.sh", (text) => text.replace("set -euo pipefail", "exit 0"));
  });
  expect(synth!.result).toBe("success");
  expect(synth!.log).not.toContain(READER.password);
  expect(review!.log).toContain("the step ended with 2");
  expect(review!.result).toBe("failure");
});

test("a fork's pull request gets no secrets: its program is compared with the main branch, and another run comments", async () => {
  const { api, state } = fixture;
  const [before, body] = [state.log.length, api.comments[0]!.body];
  const { review, fork } = await pullRequest(() => {
    moreWorkers();
    fixture.repository.edit("main.ts", (text) => text.replace('"ssd-01"', '"![x](https://x.example.com) @team"'));
  }, "somebody/sites");
  expect([review!.result, fork!.result]).toEqual(["skipped", "failure"]);
  expect(fork!.log).toContain("the step ended with 2");
  expect(fork!.summary).toContain("`workers.default.count` `2` → `3`");
  expect(state.log).toHaveLength(before);
  expect(api.comments.map((comment) => comment.body)).toEqual([body]);

  const owner = { owner: { login: "somebody" }, full_name: "somebody/sites" };
  const { comment } = await github.run("review-fork", {
    event: "workflow_run",
    payload: { workflow_run: { id: 7, event: "pull_request", head_branch: "change", head_repository: owner } },
    ...main(),
  });
  expect({ result: comment!.result, log: comment!.log }).toEqual({ result: "success", log: expect.anything() });
  expect(api.comments).toHaveLength(1);
  expect(api.comments[0]!.body).toContain("`workers.default.count` `2` → `3`");
  expect(api.comments[0]!.body).toContain("→ `![x](https://x.example.com) @team`");
  expect(state.log).toHaveLength(before);
});

test("the drift run fails, and names missing objects and the repair", async () => {
  fixture.simulator.remove("clusters", "capvs", "production");
  const { drift } = await github.run("drift", { event: "schedule", ...main() });
  expect(drift!.log).toContain("the step ended with 2");
  expect(drift!.result).toBe("failure");
  expect(drift!.summary).toContain(`terraform apply -replace='terraform_data.capvs_clusters["production"]'`);
});
