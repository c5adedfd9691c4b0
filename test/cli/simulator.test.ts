import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { clusterBody, CLUSTERS, NEW_CLUSTER, NEW_PROVIDER, providerBody } from "../simulator/bodies";
import { call, seconds } from "../simulator/call";

const COMMAND = [join(__dirname, "../../dist/cli/main.js")];

/** The environment without variables that the command reads or that switch colours on. */
const { CLUSTER_PLATFORM_TOKEN: _, FORCE_COLOR: __, NODE_EXTRA_CA_CERTS: ___, ...environment } = process.env;

const children: ChildProcessByStdio<null, Readable, Readable>[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function start(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [...COMMAND, "simulator", "--port", "0", ...args], {
    env: { ...environment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output.text += chunk.toString()));
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  await Promise.race([until(() => output.text.includes("Ctrl-C")), exited]);
  const url = /CLUSTER_PLATFORM_URL=(\S+)/.exec(output.text)?.[1] ?? "";
  const token = /CLUSTER_PLATFORM_TOKEN=([A-Za-z0-9_-]+)/.exec(output.text)?.[1] ?? "";
  return { child, output, exited, url, token };
}

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...COMMAND, ...args], { env: environment, encoding: "utf8" });
  return { status, stdout, stderr };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await seconds(0.02);
}

describe("while it runs", () => {
  test("it prints its URL and how to use it, then a line for each request that changes something", async () => {
    const service = await start(["--provision-seconds", "0", "--delete-seconds", "0"]);
    expect(service.output.text).toBe(`The embedded service listens on ${service.url}

  export CLUSTER_PLATFORM_URL=${service.url}
  export CLUSTER_PLATFORM_TOKEN=${service.token}

A cluster takes 0 s to be Provisioned. Objects exist only while it runs; --state FILE keeps them.
Ctrl-C ends it.

`);
    const greeting = service.output.text.length;
    await call(
      service,
      "POST",
      NEW_PROVIDER,
      providerBody("eu", { connectInfo: { url: "vc:443", user: "u", passwd: "hunter2" } }),
    );
    await call(service, "POST", NEW_CLUSTER, clusterBody("prod"));
    await call(service, "GET", CLUSTERS);
    await call(service, "POST", NEW_CLUSTER, clusterBody("prod"));
    await call(service, "DELETE", `${CLUSTERS}/prod`);
    await call(service, "DELETE", `${CLUSTERS}/prod`, undefined, "wrong");
    await until(() => service.output.text.includes("401"));
    const lines = service.output.text.slice(greeting).trimEnd().split("\n");
    expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ""))).toEqual([
      `201 POST ${NEW_PROVIDER} eu`,
      `201 POST ${NEW_CLUSTER} prod`,
      `409 POST ${NEW_CLUSTER} a cluster 'prod' exists already`,
      `204 DELETE ${CLUSTERS}/prod`,
      `401 DELETE ${CLUSTERS}/prod the request has no bearer token, or a wrong one`,
    ]);
    expect(service.output.text).not.toContain("hunter2");
  });

  test("no name in a request can control the terminal", async () => {
    const service = await start();
    await call(service, "POST", NEW_PROVIDER, providerBody("a\u001b[2J\nb"));
    await until(() => service.output.text.includes("201"));
    expect(service.output.text).toMatch(/201 POST \S+ a\\u\{1b\}\[2J\\nb\n$/);
  });

  test("it uses the token of the environment and does not print it", async () => {
    const service = await start([], { CLUSTER_PLATFORM_TOKEN: "from-the-environment" });
    expect((await call(service, "GET", CLUSTERS, undefined, "from-the-environment")).status).toBe(200);
    expect(service.output.text).not.toContain("from-the-environment");
  });

  test("it prefers the token of the command line to the one of the environment", async () => {
    const service = await start(["--token", "t0ken"], { CLUSTER_PLATFORM_TOKEN: "from-the-environment" });
    expect((await call(service, "GET", CLUSTERS, undefined, "t0ken")).status).toBe(200);
    expect((await call(service, "GET", CLUSTERS, undefined, "from-the-environment")).status).toBe(401);
    expect(service.output.text).not.toContain("t0ken");
  });

  test("it injects the given faults", async () => {
    const service = await start([
      ...["--fault", "GET /api/v1/clusters status=503 retry-after=3 times=1"],
      ...["--fault", "POST drop after times=1", "--accept-unknown-fields"],
    ]);
    const first = await call(service, "GET", CLUSTERS);
    expect([first.status, first.headers.get("retry-after")]).toEqual([503, "3"]);
    expect((await call(service, "GET", CLUSTERS)).status).toBe(200);
    await expect(call(service, "POST", NEW_PROVIDER, providerBody("eu", { extra: 1 }))).rejects.toThrow("fetch failed");
    expect((await call(service, "POST", NEW_PROVIDER, providerBody())).status).toBe(409);
    await until(() => service.output.text.includes("409"));
    expect(service.output.text).toMatch(new RegExp(`--- POST ${NEW_PROVIDER} \\(fault: drop\\)\n`));
  });

  test("it uses the given times", async () => {
    const service = await start(["--provision-seconds", "3600", "--delete-seconds", "3600", "--provider-ready-seconds", "3600"]);
    await call(service, "POST", NEW_PROVIDER, providerBody());
    expect((await call(service, "POST", NEW_CLUSTER, clusterBody("prod"))).json).toMatchObject({
      error: { code: "PROVIDER_NOT_READY" },
    });
    expect((await call(service, "DELETE", `${NEW_PROVIDER}/eu`)).status).toBe(202);
    expect((await call(service, "POST", NEW_PROVIDER, providerBody())).json).toMatchObject({
      error: { code: "DELETION_UNDER_WAY" },
    });
  });

  test.each(["SIGINT", "SIGTERM"] as const)("it ends on %s with exit code 0, even in the middle of a request", async (signal) => {
    const service = await start(["--fault", "hang"]);
    const hanging = call(service, "GET", CLUSTERS).catch((error: Error) => error.message);
    await seconds(0.1);
    service.child.kill(signal);
    expect(await service.exited).toEqual([0, null]);
    expect(await hanging).toBe("fetch failed");
  });

  test("it continues if nobody reads its output any more", async () => {
    const service = await start();
    service.child.stdout.destroy();
    for (const name of ["a", "b", "c"]) {
      expect((await call(service, "POST", NEW_PROVIDER, providerBody(name))).status).toBe(201);
    }
    service.child.kill("SIGTERM");
    expect(await service.exited).toEqual([0, null]);
  });
});

describe("--state", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "simulator-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("keeps the objects across restarts, even after a kill", async () => {
    const state = join(folder, "state.json");
    const first = await start(["--state", state]);
    expect(first.output.text).toContain(`Objects are kept in ${state}.`);
    await call(first, "POST", NEW_PROVIDER, providerBody());
    first.child.kill("SIGKILL");
    await first.exited;
    const second = await start(["--state", state]);
    expect((await call(second, "DELETE", `${NEW_PROVIDER}/eu`)).status).toBe(202);
  });

  test("with a damaged file is refused in one line, and the file is not changed", () => {
    const state = join(folder, "state.json");
    writeFileSync(state, "{");
    const { status, stdout, stderr } = run("simulator", "--state", state);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^Error \[INVALID_DOCUMENT\] the state file \S+ is damaged \(.*\); it was not changed; .*\n$/);
    expect(readFileSync(state, "utf8")).toBe("{");
  });
});

test("a port in use is reported in one line, with the way out", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  expect(run("simulator", "--port", String(port))).toEqual({
    status: 1,
    stdout: "",
    stderr: `Error [INVALID_SETTING] cannot listen on 127.0.0.1, port ${port}: another program uses the port; choose another port, or 0 for any free port\n`,
  });
  other.close();
});

test.each([
  [
    ["simulator", "--port", "http"],
    "option '--port <number>' argument 'http' is invalid. It must be a whole number from 0 to 65535.",
  ],
  [["simulator", "--port", "65536"], "It must be a whole number from 0 to 65535."],
  [["simulator", "--provision-seconds", "-1"], "It must be a number of seconds, 0 or more."],
  [["simulator", "--delete-seconds", ""], "It must be a number of seconds, 0 or more."],
  [["simulator", "--prot", "80"], "error: unknown option '--prot'\n(Did you mean --port?)"],
  [["simulator", "now"], "error: too many arguments for 'simulator'"],
  [["simulator", "--fault", "explode"], "Error [INVALID_SETTING] fault 'explode': 'kind' must be one of"],
  [["simulate"], "error: unknown command 'simulate'\n(Did you mean simulator?)"],
])("%j is refused", (args, says) => {
  const { status, stdout, stderr } = run(...args);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toContain(says);
  expect(stderr).not.toContain("    at ");
});

test("a defect is shown with its stack and a request to report it", () => {
  const broken = "data:text/javascript,process.once = () => { throw new TypeError('once is not what it was') }";
  const args = ["--import", "tsx", "--import", broken, COMMAND.at(-1)!, "simulator", "--port", "0"];
  const { status, stderr } = spawnSync(process.execPath, args, { env: environment, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^TypeError: once is not what it was\n +at [^]*\nError: this is a bug in cluster-platform; please report it/,
  );
});

test("the command without arguments lists the commands", () => {
  const { status, stderr } = run();
  expect(status).toBe(1);
  expect(stderr).toMatch(/simulator +run the embedded service/);
  expect(run("--help")).toEqual({ status: 0, stdout: stderr, stderr: "" });
});

test.each([[["simulator", "--help"]], [["help", "simulator"]]])("%j explains its options and faults", (args) => {
  const { status, stdout, stderr } = run(...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/--provider-ready-seconds[^]*Faults are written as/);
});

test("--version is that of the package", () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as { version: string };
  expect(run("--version")).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});
