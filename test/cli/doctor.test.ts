import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join, relative, resolve } from "node:path";
import { CloudBackend, NamedCloudWorkspace, RemoteBackend, type TerraformStack } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import { Secret } from "../../src/constructs/secret";
import { type Simulator, startSimulator } from "../../src/simulator";
import { provider, secrets } from "../support/capvs";
import { PAUSES_SKIPPED } from "../support/pauses";
import { accessTo } from "../support/service";
import { terraform } from "../support/tools";
import { Workspace } from "../terraform/workspace";
import { clusterPlatform } from "./command";
import { inProcess } from "./in-process";

let simulator: Simulator;
let workspace: Workspace;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  simulator = await startSimulator();
  env = accessTo(simulator);
  workspace = new Workspace();
});
afterEach(async () => {
  workspace.remove();
  await simulator.close();
});

/** As in a stack's code, the path is relative. */
const passwordFile = () => join(workspace.folder, "password.txt");

const synth = (url?: string) =>
  workspace.synth((stack) => {
    new Platform(stack, "platform", { url, engine: Engine.TERRAFORM_DATA });
    provider(stack, "vsphere", { password: Secret.fromFile(relative(process.cwd(), passwordFile())) });
  });

const doctor = (more: NodeJS.ProcessEnv = {}, args: string[] = []) => doctorBy(terraform, more, args);
const doctorBy = async (program: string, more: NodeJS.ProcessEnv = {}, args: string[] = []) => {
  const { status, stdout, stderr } = await inProcess(["doctor", "--terraform", program, ...args], { ...env, ...more });
  return { status, output: stdout + stderr };
};
const doctorInProcessOfItsOwn = (more: NodeJS.ProcessEnv) =>
  clusterPlatform(["doctor", "--terraform", terraform, "--stack", workspace.stackFolder], { ...env, ...more });

test("doctor finds no problem in a correct stack", async () => {
  synth();
  writeFileSync(passwordFile(), "a-password\n");
  const { status, output } = await doctorInProcessOfItsOwn(secrets);
  expect(output).not.toMatch(/WRONG|check/);
  expect(output).toContain(`${simulator.url} answers and accepts the token`);
  expect(output).toContain("0 providers and 0 clusters can be read");
  expect(output).toContain("2 of the 2 that the stack needs are available");
  expect(output).toContain("Ready to apply.");
  expect(status).toBe(0);
});

test("doctor finds a misspelled setting, and leaves the variables of a pipeline alone", async () => {
  const { status, output } = await doctor({ CLUSTER_PLATFORM_ADPOT: "capvs/clusters/prod", CLUSTER_PLATFORM_READER_TOKEN: "x" });
  expect(output.split("\n").filter((line) => line.startsWith("check"))).toEqual([
    "check  environment: CLUSTER_PLATFORM_ADPOT is not a setting, and nothing reads it: did you mean CLUSTER_PLATFORM_ADOPT?",
  ]);
  expect(status).toBe(0);
});

test("doctor finds a setting of the run that no hook can read", async () => {
  const { status, output } = await doctor({ CLUSTER_PLATFORM_ADOPT: "prod" });
  expect(output).toMatch(/^WRONG {2}environment: \[INVALID_SETTING\] 'CLUSTER_PLATFORM_ADOPT' must be ids .*, got "prod".*$/m);
  expect(status).toBe(2);
});

test("doctor says everything as JSON, too", async () => {
  const { status, output } = await doctor({ CLUSTER_PLATFORM_TOKEN: "another" }, ["--format", "json"]);
  expect(JSON.parse(output)).toEqual({
    version: 1,
    ready: false,
    checks: [
      { verdict: "good", subject: terraform, message: expect.stringContaining(" v") as string },
      { verdict: "good", subject: "node", message: process.versions.node },
      { verdict: "wrong", subject: "service", message: expect.stringMatching(/\[UNAUTHORIZED\].*401.*$/) as string },
    ],
  });
  expect(status).toBe(2);
  expect(JSON.parse((await doctor({}, ["-o", "json"])).output)).toMatchObject({ ready: true });
});

test("doctor says that a folder of a stack has no Platform", async () => {
  workspace.synth(() => undefined);
  const { status, output } = await doctor({}, ["--stack", workspace.stackFolder]);
  expect(output).toContain(`check  stack: ${workspace.stackFolder} has no Platform`);
  expect(output).toMatch(/\nNothing is wrong, but read the lines marked check above before you apply\.\n$/);
  expect(status).toBe(0);
});

test("doctor says that the notes cannot be written", async () => {
  synth();
  writeFileSync(join(workspace.stackFolder, ".cluster-platform"), "");
  const { status, output } = await doctor(secrets, ["--stack", workspace.stackFolder]);
  expect(output).toMatch(/^WRONG {2}notes: \[INVALID_SETTING\] .*\/\.cluster-platform is not a folder, so an apply /m);
  expect(status).toBe(2);
});

test("doctor names all secrets that the stack needs and the machine lacks", async () => {
  synth();
  const { status, output } = await doctor({ VSPHERE_USERNAME: "" }, ["--stack", workspace.stackFolder]);
  expect(output).toContain("WRONG  environment variable VSPHERE_USERNAME: test/provider-vsphere (username) needs it, but");
  expect(output).toContain(
    `WRONG  file ${passwordFile()}: test/provider-vsphere (password) needs it, but the file ${passwordFile()} cannot`,
  );
  expect(status).toBe(2);
});

test("doctor finds the file of authorities where a hook does", async () => {
  workspace.synth((stack) => void new Platform(stack, "platform", { tls: { caFile: "package.json" } }));
  const { output } = await doctor({}, ["--stack", workspace.stackFolder]);
  expect(output).toContain(`'caFile' must name a readable PEM file of certificates, but ${resolve("package.json")} holds no`);
});

test("doctor checks the service that the stack names", async () => {
  synth("http://127.0.0.1:1");
  const { output } = await doctorInProcessOfItsOwn(PAUSES_SKIPPED);
  expect(output).toMatch(
    /WRONG {2}service: \[UNREACHABLE\] .*nothing listens at http:\/\/127.0.0.1:1 .*; check that the service runs, .*NO_PROXY/,
  );
});

test("doctor finds that a stack was moved without its assets", async () => {
  synth();
  rmSync(join(workspace.stackFolder, "assets"), { recursive: true });
  const { status, output } = await doctor(secrets, ["--stack", workspace.stackFolder]);
  expect(output).toMatch(/WRONG {2}hook program: assets\/\S+ is missing below/);
  expect(status).toBe(2);
});

interface Breakage {
  /** The prefix of a program file's name, and its replaced content. */
  readonly file?: readonly [name: string, text: string];
  readonly env?: () => NodeJS.ProcessEnv;
}

test.each<[string, Breakage, RegExp]>([
  [
    // The file exists where doctor runs, but not in the stack's folder.
    "NODE_OPTIONS with a relative path",
    { env: () => ({ NODE_OPTIONS: "--require ./package.json" }) },
    /\(Error: Cannot find module '\.\/package\.json'\): .* NODE_OPTIONS=--require/,
  ],
  [
    "a program that is read as ES modules",
    { file: ["package.json", '{ "type": "module" }'] },
    /The hook program is not complete/,
  ],
  ["a file that is cut off", { file: ["chunk", "const a = {"] }, /SyntaxError: /],
  ["a node that is something else", { env: () => pathWith("node", "echo v20.18.1") }, /does not run \(v20\.18\.1\)/],
])("doctor runs the hook program and finds that it does not run: %s", async (_, { file, env: more }, message) => {
  synth();
  const assets = join(workspace.stackFolder, "assets");
  if (file) {
    const path = readdirSync(assets, { recursive: true, encoding: "utf8" }).find((each) => basename(each).startsWith(file[0]))!;
    writeFileSync(join(assets, path), file[1]);
  }
  const { status, output } = await doctor({ ...secrets, ...more?.() }, ["--stack", workspace.stackFolder]);
  expect(output.match(/^WRONG {2}hook program: .*$/gm)).toEqual([expect.stringMatching(message)]);
  expect(status).toBe(2);
});

test.each<[string, Engine, (stack: TerraformStack) => void]>([
  [
    "a cloud block, with hooks",
    Engine.TERRAFORM_DATA,
    (stack) => void new CloudBackend(stack, { organization: "example", workspaces: new NamedCloudWorkspace("test") }),
  ],
  [
    "the backend remote, with the provider",
    Engine.PROVIDER,
    (stack) => void new RemoteBackend(stack, { organization: "example", workspaces: { prefix: "test-" } }),
  ],
])("doctor says that HCP Terraform has no Node.js: %s", async (_, engine, keepState) => {
  workspace.synth((stack) => {
    new Platform(stack, "platform", { engine });
    stack.node.tryRemoveChild("backend");
    keepState(stack);
  });
  const { output } = await doctor({}, ["--stack", workspace.stackFolder]);
  expect(output).toMatch(/^check {2}HCP Terraform: its machines have no Node\.js, .*execution mode to local/m);
  expect(output).not.toContain("Ready to apply");
});

test("doctor says what a folder without a stack lacks", async () => {
  const { status, output } = await doctor({}, ["--stack", workspace.folder]);
  expect(output).toMatch(/WRONG {2}stack: .*cdk\.tf\.json cannot be read .*synthesize first/);
  expect(status).toBe(2);
});

test("doctor says that the token was refused", async () => {
  const { status, output } = await doctor({ CLUSTER_PLATFORM_TOKEN: "another" });
  expect(output).toMatch(/WRONG {2}service: \[UNAUTHORIZED\] .*401/);
  expect(status).toBe(2);
});

test.each([
  [
    "no token",
    { CLUSTER_PLATFORM_TOKEN: "" },
    "no token for the service, and nothing was sent: set one of CLUSTER_PLATFORM_TOKEN",
    "MISSING_TOKEN",
  ],
  ["two tokens", { CLUSTER_PLATFORM_TOKEN_FILE: "token.txt" }, "set together.*: unset all but one", "INVALID_SETTING"],
])("doctor reports %s and checks the rest", async (_, more, message, code) => {
  synth();
  const { status, output } = await doctor({ CLUSTER_PLATFORM_URL: "", ...more }, ["--stack", workspace.stackFolder]);
  expect(output).toMatch(new RegExp(`^WRONG  token: \\[${code}\\] .*${message}`, "m"));
  expect(output).toMatch(/^WRONG {2}service: \[MISSING_URL\] the URL of the service is not known.*$/m);
  expect(output).toContain("WRONG  environment variable VSPHERE_USERNAME");
  expect(output).toMatch(/\nNot ready: correct the lines marked WRONG above\.\n$/);
  expect(status).toBe(2);
});

describe("another server in the service's place", () => {
  let other: Server;
  afterEach(() => other.close());

  const page = "<html><head><title>Sign in</title></head></html>";
  test.each([
    ["a page", 200, page, /\[CONTRACT\].*HTML page with the title "Sign in", .*; check the URL/],
    ["another interface", 404, '{"message":"nope"}', /\[NOT_FOUND\].*404: nope; check the URL and its path/],
    ["a failure", 500, '{"message":"boom"}', /\[SERVICE_ERROR\].*500: boom.*; see what the service's own log says,/],
  ])("%s is a problem, and doctor says what to do", async (_, code, body, message) => {
    other = createServer((_request, reply) => void reply.writeHead(code, { "retry-after": "0" }).end(body));
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const { status, output } = await doctor({
      CLUSTER_PLATFORM_URL: `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
    });
    expect(output).not.toContain("accepts the token");
    expect(output.match(/^WRONG/gm)).toHaveLength(1);
    expect(output).toMatch(message);
    expect(status).toBe(2);
  });
});

const pathWith = (name: string, script: string) => {
  mkdirSync(workspace.folder, { recursive: true });
  writeFileSync(join(workspace.folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(workspace.folder, name), 0o755);
  return { PATH: `${workspace.folder}:${process.env.PATH}`, TERRAFORM_BINARY_NAME: "" };
};

test.each([
  ["Terraform v1.4.7", "1.5"],
  ["OpenTofu v1.5.0", "1.6"],
])("doctor refuses %s", async (version, oldest) => {
  const { status, output } = await clusterPlatform(["doctor"], { ...env, ...pathWith("terraform", `echo "${version}"`) });
  expect(output).toContain(`WRONG  terraform: ${version}, but the minimum version is ${oldest}`);
  expect(status).toBe(2);
});

test("doctor ignores an empty TERRAFORM_BINARY_NAME", async () => {
  const path = pathWith("terraform", 'echo "Terraform v1.11.4"');
  const { output } = await clusterPlatform(["doctor"], { ...env, ...path });
  expect(output).toContain("good   terraform: Terraform v1.11.4");
});

test.each([
  ["fails", 'echo "no version is chosen" >&2; exit 3', "no version is chosen"],
  ["is something else", 'echo "hello"', "hello"],
  ["hangs", "sleep 60", "did not end within 15 seconds"],
])("doctor reports a Terraform that exists and %s", async (_, script, said) => {
  const folder = pathWith("broken", script);
  const { status, output } = await doctorBy("broken", folder);
  expect(output).toContain(`WRONG  broken: does not print its version (${said}): run 'broken version' to see why`);
  expect(output).toContain("answers and accepts the token");
  expect(status).toBe(2);
});

test.each([
  ["20.18.0", "WRONG  node: 20.18.0, but the minimum version is 20.18.1"],
  ["20.18.1", "good   node: 20.18.1"],
  ["21.0.0", "good   node: 21.0.0"],
])("doctor compares node %s with the package's requirement", async (version, message) => {
  const { output } = await doctor(pathWith("node", `echo v${version}`));
  expect(output).toContain(message);
});

test("doctor says how to get Terraform if it is missing", async () => {
  const { status, output } = await doctorBy("/nonexistent/terraform");
  expect(output).toContain("not on the PATH: install Terraform 1.5");
  expect(status).toBe(2);
});

describe("a service whose clock differs", () => {
  let other: Server;
  afterEach(() => other.close());

  test.each([
    [3600, "3600 s behind the service's"],
    [-3600, "3600 s ahead of the service's"],
  ])("by %i s is a hint, but no reason not to apply", async (seconds, message) => {
    other = createServer(({ url }, reply) => {
      reply.setHeader("date", new Date(Date.now() + seconds * 1000).toUTCString());
      reply.end(url === "/api/v1/clusters" ? '{"items":[],"count":0}' : "[]");
    });
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const { status, output } = await doctor({
      CLUSTER_PLATFORM_URL: `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
    });
    // The Date header has whole seconds, and the request takes time.
    expect(output.replace(/(359|360)\d(?= s )/, "3600")).toContain(`check  clock: ${message}`);
    expect(status).toBe(0);
  });
});
