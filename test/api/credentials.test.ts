import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { credentials } from "../../src/api/credentials";
import { Redactor } from "../../src/util/redaction";
import { runTokenCommand } from "../../src/api/token-command";
import { type Answer, clientOf, closeAll, failureOf, NO_CLUSTERS, serve, type Service } from "./service";

const folder = mkdtempSync(join(tmpdir(), "credentials-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(closeAll);

const tokenFile = join(folder, "token");
const write = (token: string) => writeFileSync(tokenFile, token);
const fromFile = { CLUSTER_PLATFORM_TOKEN_FILE: tokenFile };
/** A token command that logs each run and prints the token file. */
const commandLog = join(folder, "log");
const fromCommand = { ...process.env, CLUSTER_PLATFORM_TOKEN_COMMAND: `echo run >> '${commandLog}'; cat '${tokenFile}'` };
const runs = () => readFileSync(commandLog, "utf8").split("run").length - 1;
beforeEach(() => writeFileSync(commandLog, ""));

const refusal = (env: NodeJS.ProcessEnv) => failureOf((async () => credentials(env).token())());

describe("the token", () => {
  test("comes from a variable, a file or a command, without surrounding white space", async () => {
    write("\uFEFFfrom-file \r\n");
    await expect(credentials({ CLUSTER_PLATFORM_TOKEN: " from-variable\n" }).token()).resolves.toBe("from-variable");
    await expect(credentials(fromFile).token()).resolves.toBe("from-file");
    await expect(credentials(fromCommand).token()).resolves.toBe("from-file");
  });

  test("of a command is requested once, when it is needed, by any number of requests", async () => {
    write("once");
    const source = credentials(fromCommand);
    expect(runs()).toBe(0);
    expect(await Promise.all([source.token(), source.token(), source.token()])).toEqual(["once", "once", "once"]);
    expect(runs()).toBe(1);
  });

  test.each([{}, { CLUSTER_PLATFORM_TOKEN: "" }, { CLUSTER_PLATFORM_TOKEN: " \n", CLUSTER_PLATFORM_TOKEN_FILE: "" }])(
    "is required, and the error names three ways to set it (%j)",
    async (env) => {
      const error = await refusal(env);
      expect(error.code).toBe("MISSING_TOKEN");
      for (const name of ["CLUSTER_PLATFORM_TOKEN (", "CLUSTER_PLATFORM_TOKEN_FILE (", "CLUSTER_PLATFORM_TOKEN_COMMAND ("]) {
        expect(error.message).toContain(name);
      }
    },
  );

  test("must have exactly one source", async () => {
    const error = await refusal({ CLUSTER_PLATFORM_TOKEN: "tok-a", ...fromFile });
    expect(error).toMatchObject({ code: "INVALID_SETTING" });
    expect(error.message).toMatch(/CLUSTER_PLATFORM_TOKEN and CLUSTER_PLATFORM_TOKEN_FILE are set together/);
    expect(error.message).not.toContain("tok-a");
  });

  test.each([
    ["s3cret-a\ns3cret-b", /got 2 lines/],
    ["s3cret-a\r\ns3cret-b\rs3cret-c", /got 3 lines/],
    ["Bearer s3cret", /begins with 'Bearer': leave that word out/],
    ["s3cret s3cret", /got one with white space in it/],
    ["s3cret\u00a0s3cret", /got one with white space in it/],
    ["s3crét", /got one with other characters in it/],
    ["s3cret\u0000", /got one with other characters in it/],
    ["s3cret\u200b", /got one with other characters in it/],
  ])("%j is refused without showing it", async (token, message) => {
    write(token);
    for (const [name, error] of [
      ["CLUSTER_PLATFORM_TOKEN", await refusal({ CLUSTER_PLATFORM_TOKEN: token })],
      ["CLUSTER_PLATFORM_TOKEN_FILE", await refusal(fromFile)],
    ] as const) {
      expect(error.code).toBe("INVALID_SETTING");
      expect(error.message).toMatch(message);
      expect(error.message).toContain(`environment: '${name}' must give a token`);
      expect(error.message).not.toContain("s3cr");
    }
  });

  test("from a missing or empty file is a clear error", async () => {
    const missing = await refusal({ CLUSTER_PLATFORM_TOKEN_FILE: "missing/token" });
    expect(missing.code).toBe("MISSING_TOKEN");
    expect(missing.message).toContain(`${join(process.cwd(), "missing/token")} cannot be read (ENOENT)`);
    const inHome = await refusal({ CLUSTER_PLATFORM_TOKEN_FILE: "~/missing/token" });
    expect(inHome.message).toContain(`${join(homedir(), "missing/token")} cannot be read (ENOENT)`);
    write("\n");
    expect(await refusal(fromFile)).toMatchObject({ code: "MISSING_TOKEN", message: expect.stringMatching(/got nothing$/) });
  });
});

describe("a token command that fails", () => {
  const command = (text: string) => ({ ...process.env, CLUSTER_PLATFORM_TOKEN_COMMAND: text });

  test.each([
    [
      "exit 3",
      /'CLUSTER_PLATFORM_TOKEN_COMMAND' must be a command that prints a token and ends with 0, but it failed with exit code 3$/,
    ],
    ["echo not logged in >&2; exit 1", /failed with exit code 1: not logged in$/],
    ["kill -TERM $$", /was ended by SIGTERM$/],
    ["no-such-helper-s3cret", /failed with exit code 127: .*not found/],
    ["true", /must give a token, .*got nothing$/],
    ["echo Welcome; echo token", /got 2 lines$/],
    ["head -c 70000 /dev/zero | tr '\\0' a", /printed more than 65536 characters, a token was expected$/],
  ])("%s", async (text, message) => {
    const error = await refusal(command(text));
    expect(error.name).toBe("ConfigurationError");
    expect(error.message).toMatch(message);
  });

  test("is not quoted, and its output is shown without the token and known secrets", async () => {
    const redactor = new Redactor();
    redactor.add("vault-password");
    const env = command(
      "echo tok-s3cret; printf 'bad \\033[31mvault-password\\033[0m for tok-s3cret\\n' >&2; exit 1; : mysecretarg",
    );
    const error = await failureOf((async () => credentials(env, redactor).token())());
    expect(error.message).toMatch(/: bad \[hidden\] for \[hidden\]$/);
    expect(error.message).not.toContain("mysecretarg");
  });

  test.each([
    ["only the last words are shown", "printf 's3cret-\\033[0ms3cret'; printf 'x%.0s' $(seq 990)"],
    ["the output is longer than the kept part", "printf 's3cret-s3cret'; head -c 65530 /dev/zero | tr '\\0' ' '"],
    ["a line has no end", "printf 's3cret-s3cret'; head -c 65526 /dev/zero | tr '\\0' ' '; sleep 0.1; echo; echo no"],
  ])("shows no part of a secret if %s", async (_, text) => {
    const redactor = new Redactor();
    redactor.add("s3cret-s3cret");
    const error = await failureOf((async () => credentials(command(`(${text}) >&2; exit 1`), redactor).token())());
    expect(error.message).toMatch(/failed with exit code 1/);
    expect(error.message).not.toContain("cret");
  });

  test("shows only the last lines of long output", async () => {
    const error = await refusal(command("(seq 50000; echo not logged in) >&2; exit 1"));
    expect(error.message).toMatch(/failed with exit code 1: .*49999 50000 not logged in$/);
  });

  test("is ended with all its processes when it takes too long", async () => {
    const mark = join(folder, "survived");
    const started = Date.now();
    const result = await runTokenCommand(`(sleep 1.5; touch '${mark}') & sleep 60`, process.env, 300);
    expect(Date.now() - started).toBeLessThan(1_200);
    expect(result.failure).toBe("did not end within 0.3 seconds");
    await new Promise((resolve) => setTimeout(resolve, 1_700));
    expect(() => readFileSync(mark)).toThrow("ENOENT");
  });

  test("does not wait for processes that it leaves in the background", async () => {
    const started = Date.now();
    const result = await runTokenCommand("echo token; sleep 5 &", process.env, 30_000);
    expect(result).toEqual({ stdout: "token\n", stderr: "", failure: undefined });
    expect(Date.now() - started).toBeLessThan(2_000);
  });
});

describe("a token that the service refuses", () => {
  /** Accepts only the token `new`. */
  const picky: Answer = (response, { headers }) => {
    const accepted = headers.authorization === "Bearer new";
    response.writeHead(accepted ? 200 : 401).end(accepted ? JSON.stringify({ items: [], count: 0 }) : '{"message":"expired"}');
  };
  const tokens = (service: Service) => service.requests.map(({ headers }) => headers.authorization);

  test.each([
    ["file", fromFile],
    ["command", fromCommand],
  ])("is renewed from the %s, also for a POST", async (_, env) => {
    write("old");
    const service = await serve(picky);
    const client = clientOf(service.url, { credentials: credentials(env) });
    expect((await failureOf(client.createCluster("capvs", {}))).code).toBe("UNAUTHORIZED");
    write("new");
    await expect(client.createCluster("capvs", {})).resolves.toEqual({ items: [], count: 0 });
    await client.listClusters();
    expect(tokens(service)).toEqual(["Bearer old", "Bearer old", "Bearer new", "Bearer new"]);
  });

  test("is final if its source has no other token", async () => {
    write("old");
    const service = await serve({ status: 401, body: { message: "expired" } });
    for (const env of [{ CLUSTER_PLATFORM_TOKEN: "old" }, fromFile, fromCommand]) {
      const error = await failureOf(clientOf(service.url, { credentials: credentials(env) }).listClusters());
      expect(error.message).toMatch(/: 401: expired; the token was not accepted: renew it$/);
    }
    expect(service.requests).toHaveLength(3);
  });

  test("is renewed once per request", async () => {
    let count = 0;
    const service = await serve({ status: 401 });
    const client = clientOf(service.url, {
      credentials: { token: async () => `token-${count}`, renew: async () => `token-${++count}` },
    });
    expect((await failureOf(client.listClusters())).code).toBe("UNAUTHORIZED");
    expect(tokens(service)).toEqual(["Bearer token-0", "Bearer token-1"]);
  });

  test("is renewed once for all requests that were running", async () => {
    write("old");
    const arrived: (() => void)[] = [];
    // Refuses ten requests only when all of them have arrived.
    const service = await serve((response, request) => {
      const answer = () => (picky as (...args: unknown[]) => void)(response, request);
      if (request.headers.authorization === "Bearer new") return answer();
      if (arrived.push(answer) < 10) return;
      write("new");
      for (const late of arrived) late();
    });
    const client = clientOf(service.url, { credentials: credentials(fromCommand) });
    await Promise.all(Array.from({ length: 10 }, () => client.listClusters()));
    expect(service.requests).toHaveLength(20);
    expect(runs()).toBe(2);
  });

  test("is not renewed again by a request that is refused later", async () => {
    write("old");
    let refuse: (() => void) | undefined;
    const service = await serve([
      (response) => (refuse = () => response.writeHead(401).end()),
      (response) => response.writeHead(401).end(),
      NO_CLUSTERS,
    ]);
    const client = clientOf(service.url, { credentials: credentials(fromCommand) });
    const late = client.listClusters();
    while (refuse === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    write("new");
    await client.listClusters();
    refuse();
    await late;
    expect(tokens(service)).toEqual(["Bearer old", "Bearer old", "Bearer new", "Bearer new"]);
    expect(runs()).toBe(2);
  });

  test("that cannot be renewed is an error with the reason", async () => {
    write("old");
    const service = await serve({ status: 401 });
    const client = clientOf(service.url, { credentials: credentials(fromFile) });
    await failureOf(client.listClusters());
    rmSync(tokenFile);
    expect(await failureOf(client.listClusters())).toMatchObject({ code: "MISSING_TOKEN" });
  });

  test("takes no longer than the deadline to obtain", async () => {
    const service = await serve(NO_CLUSTERS);
    const env = { ...process.env, CLUSTER_PLATFORM_TOKEN_COMMAND: "sleep 0.9" };
    const client = clientOf(service.url, { credentials: credentials(env) });
    const started = Date.now();
    const error = await failureOf(client.createCluster("capvs", {}, { limitMs: 200 }));
    expect(error).toMatchObject({ code: "DEADLINE_EXCEEDED", ambiguous: false });
    expect(Date.now() - started).toBeLessThan(800);
    expect(service.requests).toHaveLength(0);
  });
});
