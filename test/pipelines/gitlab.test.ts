import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Gitlab } from "./gitlab";
import { DEVELOPER, MAINTAINER, type PipelineFixture, secrets, openPipelineFixture } from "./pipeline-fixture";

/** Runs the pipeline of examples/pipelines/gitlab unchanged. */

let fixture: PipelineFixture;
let gitlab: Gitlab;

const MERGE_REQUEST = {
  CI_PIPELINE_SOURCE: "merge_request_event",
  CI_MERGE_REQUEST_IID: "3",
  CI_MERGE_REQUEST_PROJECT_ID: "11",
  CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "11",
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
  CI_COMMIT_BRANCH: "",
  CI_JOB_TOKEN: DEVELOPER.password,
};
const FORK = { ...MERGE_REQUEST, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "12" };
const PUSH = {
  CI_PIPELINE_SOURCE: "push",
  CI_COMMIT_BRANCH: "main",
  CI_DEFAULT_BRANCH: "main",
  CI_JOB_TOKEN: MAINTAINER.password,
};
const SCHEDULE = { ...PUSH, CI_PIPELINE_SOURCE: "schedule", CI_JOB_TOKEN: DEVELOPER.password };

beforeAll(async () => {
  fixture = await openPipelineFixture();
  const { api, repository, simulator } = fixture;
  gitlab = new Gitlab(
    repository,
    {
      project: {
        CI_API_V4_URL: api.url,
        CI_PROJECT_ID: "11",
        CLUSTER_PLATFORM_URL: simulator.url,
      },
      environments: {
        review: { GITLAB_TOKEN: "writing-token" },
        drift: { CLUSTER_PLATFORM_READER_TOKEN: simulator.token },
        production: { CLUSTER_PLATFORM_TOKEN: simulator.token, PLAN_PRIVATE_KEY: repository.planKey, ...secrets },
      },
    },
    fixture.env,
  );
});

afterAll(() => fixture.close());

test.each([
  ["a merge request", MERGE_REQUEST, ["synth", "review"]],
  ["a fork's merge request", FORK, ["synth", "fork"]],
  ["a push to the main branch", PUSH, ["synth", "plan", "apply"]],
  ["a schedule", SCHEDULE, ["synth", "drift"]],
  ["a push to another branch", { ...PUSH, CI_COMMIT_BRANCH: "change" }, []],
])("%s has its own jobs", async (_, pipeline, names) => {
  const jobs = await gitlab.jobsOf(pipeline);
  expect(jobs.map(({ name }) => name)).toEqual(names);
});

test("a push is planned, and applied on another machine", async () => {
  const { plan, apply } = await gitlab.run(fixture.repository.git("rev-parse", "main"), PUSH);
  expect(plan).toMatchObject({ status: 0 });
  expect({ ...apply }).toMatchObject({ status: 0, log: expect.stringContaining("cluster production is ready") });
  expect(fixture.happened()).toEqual(["+vsphere-staging", "+staging", "+vsphere-production", "+production"]);
});

test("a merge request that would destroy a cluster fails, with a comment and the numbers for GitLab's widget", async () => {
  const { api, repository } = fixture;
  repository.git("checkout", "--quiet", "-b", "change");
  repository.edit("main.ts", (text) => text.replace("workers: 2", "workers: 3"));
  const sha = repository.commit("More workers");
  repository.git("checkout", "--quiet", "main");
  const { review } = await gitlab.run(sha, MERGE_REQUEST);
  expect(review!.log).toContain("comment: created");
  expect(review!.status).toBe(2);
  expect(api.comments[0]!.body).toContain("`workers.default.count` `2` → `3`");
  expect(JSON.parse(readFileSync(join(review!.folder, "review.json"), "utf8"))).toEqual({ create: 1, update: 0, delete: 1 });
});

test("a fork's merge request is compared with the commit that it starts from, without a plan", async () => {
  const { repository, state } = fixture;
  const before = state.log.length;
  const base = repository.git("rev-parse", "main");
  const { fork } = await gitlab.run(repository.git("rev-parse", "change"), { ...FORK, CI_MERGE_REQUEST_DIFF_BASE_SHA: base });
  expect({ ...fork }).toMatchObject({ status: 2, log: expect.stringContaining("workers.default.count") });
  expect(state.log).toHaveLength(before);
});

test("a push that allows itself something is denied after the merge too, with any number of commits", async () => {
  const { repository } = fixture;
  const before = repository.git("rev-parse", "main");
  repository.edit("ci/review-policy.json", (text) =>
    text.replace('"allow": []', '"allow": [{ "object": "capvs/clusters/staging", "verdict": "REPLACE" }]'),
  );
  repository.commit("Allow staging to be created again");
  repository.edit("main.ts", (text) => text.replace("workers: 2", "workers: 3"));
  const sha = repository.commit("More workers");
  const { plan, apply } = await gitlab.run(sha, { ...PUSH, CI_COMMIT_BEFORE_SHA: before });
  expect({ ...plan }).toMatchObject({ status: 2, log: expect.stringContaining("REPLACE") });
  expect(apply).toBeUndefined();
  repository.git("reset", "--quiet", "--hard", before);
});

test("a merge request that can no longer be planned has its comment marked as outdated", async () => {
  const { api, repository } = fixture;
  repository.git("checkout", "--quiet", "-b", "not-done-yet");
  repository.edit("main.ts", (text) => `${text}throw new Error("half done");\n`);
  const sha = repository.commit("Not done yet");
  repository.git("checkout", "--quiet", "main");
  const { synth, review } = await gitlab.run(sha, MERGE_REQUEST);
  expect(synth!.log).toContain("half done");
  expect(review!.status).toBe(2);
  expect(api.comments).toHaveLength(1);
  expect(api.comments[0]!.body).toContain("No review: the plan failed");
});

test("the scheduled pipeline fails on drift", async () => {
  fixture.simulator.remove("clusters", "capvs", "staging");
  const { drift } = await gitlab.run(fixture.repository.git("rev-parse", "main"), SCHEDULE);
  expect({ ...drift }).toMatchObject({ status: 2, log: expect.stringContaining("MISSING") });
});
