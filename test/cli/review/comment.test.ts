import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PAUSES_SKIPPED } from "../../support/pauses";
import { built } from "../built";
import { CommentService } from "./comment-service";
import { fixture } from "./plans";

const MARKER = "<!-- cluster-platform review v1 id=default -->";

const platforms = ["github", "gitlab"] as const;

describe.each(platforms)("on %s", (platform) => {
  let service: CommentService;

  beforeEach(async () => {
    service = await CommentService.start(platform);
  });

  afterEach(() => service.close());

  const review = (name: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
    built(["review", fixture(name), "--comment", platform, "--fail-on", "none", ...args], { ...service.env, ...env });
  const bodies = () => service.comments.map(({ body }) => body);
  const writes = () => service.requests.filter((line) => !line.startsWith("GET") && line !== "POST /graphql");

  test("--comment writes a comment and later updates it", async () => {
    expect(await review("change", ["--fail-on", "critical"])).toMatchObject({ status: 2, stderr: "comment: created\n" });
    expect(bodies()).toEqual([expect.stringContaining("Denied: `prod` will be lost")]);
    expect(bodies()[0]!.startsWith(MARKER)).toBe(true);

    expect(await review("create")).toMatchObject({ status: 0, stderr: "comment: updated\n" });
    expect(bodies()).toEqual([expect.stringContaining("2 clusters created")]);

    expect(await review("create")).toMatchObject({ stderr: "comment: as it was\n" });
    expect(writes()).toHaveLength(2);
  });

  test("--comment writes nothing without changes, and updates an existing comment", async () => {
    expect(await review("unchanged")).toMatchObject({ status: 0, stderr: "comment: not needed\n" });
    expect(service.comments).toEqual([]);
    service.add(service.login, `${MARKER}\nold`);
    expect(await review("unchanged")).toMatchObject({ stderr: "comment: updated\n" });
    expect(bodies()).toEqual([expect.stringContaining("No changes")]);
  });

  test("--comment finds its comment on the third page, and does not touch comments of others and of other reviews", async () => {
    service.add("mallory", `${MARKER}\nforged`);
    service.add(service.login, "<!-- cluster-platform review v1 id=default-2 -->\nof another review");
    for (let index = 0; index < 230; index++) service.add("people", `talk ${index}, quoting ${MARKER}`);
    service.add(service.login, `${MARKER}\nours`);
    await review("create");
    expect(service.comments).toHaveLength(233);
    expect(bodies()[0]).toContain("forged");
    expect(bodies()[1]).toContain("of another review");
    expect(bodies().at(-1)).toContain("2 clusters created");
  });

  test("--comment keeps comments of several reviews apart with --id", async () => {
    await review("create", ["--id", "eu"]);
    await review("change", ["--id", "us"]);
    await review("remove", ["--id", "eu"]);
    expect(bodies()).toEqual([expect.stringContaining("id=eu"), expect.stringContaining("id=us")]);
    expect(bodies()[0]).toContain("`stage` will be lost");
  });

  test("--comment retries after 429 and 5xx, and waits as long as the service asks", async () => {
    service.fail(/^GET .*(comments|notes)/, 429, { headers: { "retry-after": "1" } });
    service.fail(/^GET .*(comments|notes)/, 502);
    const started = Date.now();
    expect(await review("create")).toMatchObject({ status: 0, stderr: "comment: created\n" });
    expect(Date.now() - started).toBeGreaterThan(1_000);
    service.fail(/^P(ATCH|UT)/, 500);
    expect(await review("change")).toMatchObject({ stderr: "comment: updated\n" });
    expect(service.comments).toHaveLength(1);
  });

  test("--comment looks for the comment after a failed creation, and never creates two", async () => {
    service.fail(/^POST .*(comments|notes)/, 502, { after: true });
    await review("create");
    expect(service.comments).toHaveLength(1);
    service.comments.length = 0;
    service.fail(/^POST .*(comments|notes)/, 503);
    await review("create");
    expect(service.comments).toHaveLength(1);
  });

  test("--comment creates no second comment if nothing is known of the first", async () => {
    const creation = /^POST .*(comments|notes)/;
    service.fail(creation, 502, { times: 3 });
    expect((await review("create")).stderr).toMatch(/^warning: .* POST .*: 502: as the test wants it\n$/);
    service.fail(creation, 200, { text: "", after: true });
    expect(await review("create")).toMatchObject({ stderr: "comment: created\n" });
    service.fail(/^P(ATCH|UT)/, 200, { text: "" });
    expect((await review("change")).stderr).toMatch(/P(ATCH|UT) .*: the reply \(200\) is empty, where JSON was expected\n$/);
    service.comments.length = 0;
    service.fail(creation, 502);
    service.fail(/^GET .*page=1/, 200, { json: [] });
    service.fail(/^GET .*page=1/, 400);
    expect((await review("create")).stderr).toMatch(/^warning: .* GET .*: 400: as the test wants it\n$/);
    expect(service.comments).toEqual([]);
  });

  for (const [flaw, reply, message] of [
    ["is not a list", { json: { message: "hello" } }, "the reply is not a list"],
    ["is not JSON", { text: "<p>\u001b]0;owned\u0007 sign in" }, "the reply (200) is an HTML page, not JSON"],
    ["has items of no form", { json: [null, 1, { id: "1", body: 2 }] }, "comment: created"],
  ] as const)
    test(`--comment reports a reply that ${flaw}, without its control characters`, async () => {
      service.fail(/^GET .*(comments|notes)/, 200, reply);
      const { status, stderr } = await review("create");
      expect(stderr).toContain(message);
      expect(stderr).toMatch(/^[ -~]*\n$/);
      expect(status).toBe(0);
    });

  test.each([
    ["a token that is refused", { [platform === "github" ? "GITHUB_TOKEN" : "GITLAB_TOKEN"]: "wrong" }, /401: Bad credentials/],
    ["no token", { [platform === "github" ? "GITHUB_TOKEN" : "GITLAB_TOKEN"]: "" }, /_TOKEN' must be/],
    ["no number of a request", { GITHUB_REF: "refs/heads/main", CI_MERGE_REQUEST_IID: "" }, /--pr/],
    [
      "a service that is not there",
      { [platform === "github" ? "GITHUB_API_URL" : "CI_API_V4_URL"]: "http://127.0.0.1:1", ...PAUSES_SKIPPED },
      /ECONNREFUSED/,
    ],
  ])("--comment warns of %s, and the exit code does not change", async (_, env, message) => {
    const created = await review("create", [], env);
    expect(created).toMatchObject({ status: 0, stderr: expect.stringMatching(message) as string });
    expect(created.stderr).toMatch(/^warning: the comment was not posted: /);
    expect(created.stderr).not.toContain(service.token);
    expect(created.stdout).toContain("2 clusters created");
    expect((await review("change", ["--fail-on", "critical"], env)).status).toBe(2);
  });

  test("--comment takes the number of the request from the command line if the pipeline does not have it", async () => {
    const env = { GITHUB_REF: "refs/heads/main", CI_MERGE_REQUEST_IID: "" };
    expect(await review("create", ["--pr", "7"], env)).toMatchObject({ stderr: "comment: created\n" });
  });

  test("--comment uses the proxy of the environment", async () => {
    const env = { [platform === "github" ? "GITHUB_API_URL" : "CI_API_V4_URL"]: "http://api.example.com" };
    const { stderr } = await review("create", [], { ...env, ...PAUSES_SKIPPED, HTTP_PROXY: "http://127.0.0.1:1" });
    expect(stderr).toMatch(/ECONNREFUSED/);
  });

  test("--comment shows the output of a failed plan in place of a review, and denies it", async () => {
    const output = join(mkdtempSync(join(tmpdir(), "failed-plan-")), "plan-output.txt");
    writeFileSync(output, "Planning…\n\u001b[31m╷\n│ \u001b[0mError: cluster prod is protected\n");
    const failed = () => built(["review", output, "--comment", platform], service.env);
    await review("change");
    const said = "No review: the plan failed, so nothing can be applied.";
    expect(await failed()).toMatchObject({
      status: 2,
      stdout: expect.stringContaining(said) as string,
      stderr: "comment: updated\n",
    });
    expect(bodies()).toEqual([expect.stringMatching(new RegExp(`^${MARKER}\n## ⚪ No review: the plan failed\n`))]);
    expect(bodies()[0]).not.toContain("REPLACE");
    expect(bodies()[0]).toContain("```text\nPlanning…\n╷\n│ Error: cluster prod is protected\n```\n");
    expect(await review("create")).toMatchObject({ stderr: "comment: updated\n" });
    expect(bodies()).toEqual([expect.stringContaining("2 clusters created")]);
    service.comments.length = 0;
    expect(await failed()).toMatchObject({ stderr: "comment: created\n" });
  });

  test("--comment respects --max-bytes", async () => {
    await review("register-and-replace", ["--max-bytes", "4000"]);
    expect(Buffer.byteLength(bodies()[0]!)).toBeLessThanOrEqual(4000);
  });
});

describe("on github", () => {
  let service: CommentService;
  const folder = mkdtempSync(join(tmpdir(), "cluster-platform-comment-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeEach(async () => {
    service = await CommentService.start("github");
  });

  afterEach(() => service.close());

  test("takes the number and the commit from the event, and links the run", async () => {
    const event = join(folder, "event.json");
    writeFileSync(event, JSON.stringify({ pull_request: { number: 7, head: { sha: "0123456789abcdef0123" } } }));
    await built(["review", fixture("create"), "--comment", "github"], {
      ...service.env,
      GITHUB_REF: "refs/heads/main",
      GITHUB_EVENT_PATH: event,
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_RUN_ID: "5",
    });
    expect(service.comments[0]!.body).toMatch(
      /Reviewed `0123456789ab`\. \[Run\]\(https:\/\/github\.com\/acme\/infra\/actions\/runs\/5\)/,
    );
  });

  test("the author is the workflow's own bot if the token may not ask who it is, and a person if it may", async () => {
    service.viewerIsKnown = false;
    service.add("github-actions[bot]", MARKER);
    service.add("someone", MARKER);
    const review = () => built(["review", fixture("create"), "--comment", "github"], service.env);
    await review();
    expect(service.comments.map(({ body }) => body === MARKER)).toEqual([false, true]);
    service.viewerIsKnown = true;
    service.login = "someone";
    await review();
    expect(service.comments.map(({ body }) => body === MARKER)).toEqual([false, false]);
  });

  test.each([
    ["an error in place of an answer", 200, { data: null, errors: [{ type: "RATE_LIMITED", message: "too fast" }] }, "too fast"],
    ["an answer without anybody", 200, { data: { viewer: null } }, "does not say whose token it is"],
    ["a limit", 403, { message: "You have exceeded a secondary rate limit" }, "secondary rate limit"],
  ])("no second comment is created if the owner of the token is unknown: %s", async (_, status, json, message) => {
    service.login = "someone";
    service.add("someone", MARKER);
    service.fail(/^POST \/graphql/, status, { json });
    const { stderr } = await built(["review", fixture("create"), "--comment", "github"], service.env);
    expect(stderr).toMatch(/^warning: the comment was not posted: POST \/graphql: /);
    expect(stderr).toContain(message);
    expect(service.comments.map(({ body }) => body)).toEqual([MARKER]);
  });
});
