import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { GRPCControllerDefinition } from "../../src/plugin/protocol/generated/go_plugin";
import { HealthCheckResponse_ServingStatus, HealthDefinition } from "../../src/plugin/protocol/generated/grpc_health";
import {
  Diagnostic_Severity as Severity,
  ProviderDefinition,
  ReadResource_Request,
  type Diagnostic,
} from "../../src/plugin/protocol/generated/tfplugin6.9";
import { selfSignedCertificate } from "../../src/plugin/protocol/certificate";
import { decodeObject, encode } from "../../src/plugin/values/codec";
import { typeOf } from "../../src/terraform/attributes";
import type { ObjectValue } from "../../src/terraform/value";
import { localhostTls } from "../support/localhost-tls";
import {
  bundle as bundlePlugin,
  bundleTiny,
  Connection,
  framed,
  PluginProcess,
  removeFolder,
  STARTED_BY_TERRAFORM,
  VERSION,
} from "./tiny-plugin";
import { provider } from "./tiny/provider";

const SERVICE = ProviderDefinition.fullName;
const methods = ProviderDefinition.methods;
const thing = provider.resources.tiny_thing!.attributes;

let bundle: string;
const processes: PluginProcess[] = [];
const folders: string[] = [];

beforeAll(() => {
  bundle = bundleTiny();
  folders.push(bundle);
});

afterAll(() => {
  for (const plugin of processes) plugin.kill();
  for (const folder of folders) removeFolder(folder);
});

describe("a plugin that Terraform has started", () => {
  let plugin: PluginProcess;
  let connection: Connection;

  beforeAll(async () => {
    plugin = start({ TF_LOG: "trace" });
    connection = await plugin.connect();
    await connection.call(SERVICE, methods.configureProvider, { config: encode(typeOf(provider.attributes), {}) });
  });

  afterAll(() => connection.close());

  test("answers an unknown method or service with UNIMPLEMENTED", async () => {
    for (const path of [`/${SERVICE}/ListResource`, `/${SERVICE}/OpenEphemeralResource`, "/tfplugin7.Provider/Plan", "/"]) {
      expect(await connection.send(path, framed(new Uint8Array()))).toMatchObject({ http: 200, status: 12 });
    }
  });

  test.each<[what: string, data: Buffer, status: number, message: string]>([
    ["a message that is none", framed(Buffer.from("ffffffff", "hex")), 13, "the request of ReadResource cannot be decoded"],
    ["a message that is cut off", framed(Buffer.from("0a64", "hex")), 13, "the request of ReadResource cannot be decoded"],
    ["a frame that is cut off", Buffer.from("0000000009", "hex"), 13, "exactly one message"],
    ["two messages", Buffer.concat([framed(Buffer.alloc(0)), framed(Buffer.alloc(0))]), 13, "exactly one message"],
    ["no message", Buffer.alloc(0), 13, "no whole message"],
    ["a compressed message", Buffer.from("010000000100", "hex"), 12, "compressed"],
  ])("answers %s with an error of gRPC", async (_, data, status, message) => {
    const answer = await connection.send(`/${SERVICE}/ReadResource`, data);
    expect(answer).toMatchObject({ status });
    expect(answer.message).toContain(message);
  });

  test("answers other requests than gRPC as HTTP does", async () => {
    expect(await connection.send("/", Buffer.alloc(0), { "content-type": "application/json" })).toMatchObject({ http: 415 });
  });

  test("ignores additions of a newer Terraform to a message", async () => {
    const unknownField = Buffer.from("fa3f03616263", "hex");
    const request = ReadResource_Request.encode({ typeName: "tiny_thing", currentState: state({ name: "a" }) }).finish();
    const answer = await connection.send(`/${SERVICE}/ReadResource`, framed(Buffer.concat([request, unknownField])));
    expect(answer.status).toBe(0);
  });

  test("drops what an identity of another version has besides", async () => {
    const { response } = await connection.call(SERVICE, methods.upgradeResourceIdentity, {
      typeName: "tiny_thing",
      version: 7,
      rawIdentity: { json: Buffer.from('{"name":"a","region":"eu"}') },
    });
    expect(decodeObject(["object", { name: "string" }], response!.upgradedIdentity!.identityData)).toEqual({ name: "a" });
  });

  test("answers a value of the wrong type with a diagnostic that does not show the value", async () => {
    const read = await connection.call(SERVICE, methods.readResource, {
      typeName: "tiny_thing",
      currentState: encode(["object", { name: "number" }], { name: 77777 }),
    });
    expect(read.response!.diagnostics).toMatchObject([
      { summary: expect.stringContaining("name: must be a string, is a number") },
    ]);
    expect(JSON.stringify(read.response!.diagnostics)).not.toContain("77777");
  });

  test.each<[what: string, trouble: string, summary: string, detail: RegExp]>([
    [
      "throws",
      "create throws",
      "This is a bug in the provider tiny. Please report it: boom, and the password is [hidden]",
      /TypeError: boom, and the password is \[hidden\]\n.*at trouble/,
    ],
    ["throws an error with a code", "create is refused", "[TINY_REFUSED] the create is refused", /^$/],
    [
      "throws in a timer, and would never answer",
      "create throws in a timer",
      "This is a bug in the provider tiny. Please report it: thrown in a timer",
      /RangeError: thrown in a timer\n.*at throwLater/,
    ],
  ])("answers with a diagnostic if a handler %s, and continues", async (_, trouble, summary, detail) => {
    const { status, response } = await create(connection, { name: "a", password: "hunter2", trouble });
    expect(status).toBe(0);
    expect(response!.diagnostics).toMatchObject([{ severity: Severity.ERROR, summary, detail: expect.stringMatching(detail) }]);
    expect(decodeObject(typeOf(thing), response!.newState)).toBeNull();
    expect((await connection.call(SERVICE, methods.getMetadata, {})).response!.resources).toEqual([{ typeName: "tiny_thing" }]);
  });

  test("keeps the state if a read or a deletion fails", async () => {
    const prior = state({ name: "a", trouble: "read is refused", id: "7" });
    const read = await connection.call(SERVICE, methods.readResource, { typeName: "tiny_thing", currentState: prior });
    expect(read.response).toMatchObject({ newState: { msgpack: Buffer.from(prior.msgpack!) } });
    const doomed = state({ name: "a", trouble: "delete is refused", id: "7" });
    const deleted = await connection.call(SERVICE, methods.applyResourceChange, {
      typeName: "tiny_thing",
      priorState: doomed,
      plannedState: state(null),
      config: state(null),
    });
    expect(decodeObject(typeOf(thing), deleted.response!.newState)).toMatchObject({ name: "a", id: "7" });
    expect(summaries(deleted.response!.diagnostics)).toEqual(["[TINY_REFUSED] the delete is refused"]);
  });

  test("logs requests in Terraform's format, without secrets", async () => {
    await create(connection, { name: "a", password: "hunter2", trouble: "create throws" });
    const entries = plugin.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries).toContainEqual({
      "@level": "debug",
      "@message": "ApplyResourceChange",
      "@module": "tiny",
      "@timestamp": expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      milliseconds: expect.any(Number),
      diagnostics: 1,
    });
    expect(plugin.log.join()).toContain("the password is [hidden]");
    expect(plugin.log.join()).not.toContain("hunter2");
  });

  test("answers health checks", async () => {
    const { check } = HealthDefinition.methods;
    const { response } = await connection.call(HealthDefinition.fullName, check, { service: "plugin" });
    expect(response).toEqual({ status: HealthCheckResponse_ServingStatus.SERVING });
  });

  test("refuses other clients", async () => {
    const { pem, keyPem } = selfSignedCertificate();
    await expect(plugin.connect({ cert: pem, key: keyPem })).rejects.toThrow();
    await expect(plugin.connect({})).rejects.toThrow();
  });
});

describe("a plugin's start", () => {
  test("is one line on standard output, for any NODE_OPTIONS and any package.json above", async () => {
    const above = temporary("a folder ");
    const folder = join(above, "plugins");
    cpSync(bundle, folder, { recursive: true });
    writeFileSync(join(above, "package.json"), '{ "type": "module" }');
    const preload = join(above, "preload.cjs");
    writeFileSync(preload, 'console.log("1|5|tcp|1.2.3.4:5|grpc|"); setTimeout(() => console.log("later"), 100);');
    const output = await outputOf(folder, { NODE_OPTIONS: `--require=${JSON.stringify(preload)}` });
    expect(output).toMatch(/^1\|6\|unix\|[^|\n]+\|grpc\|[A-Za-z0-9+/]+\n$/);
  });

  test("offers a port if a socket's path would be too long, and no certificate if none is requested", async () => {
    const deep = join(temporary("deep-"), "x".repeat(90));
    mkdirSync(deep);
    const plugin = start({ TMPDIR: deep, PLUGIN_CLIENT_CERT: "" });
    expect(await plugin.handshake).toMatch(/^1\|6\|tcp\|127\.0\.0\.1:\d+\|grpc\|$/);
    const connection = await Connection.to(await plugin.handshake, undefined);
    expect((await connection.call(SERVICE, methods.getMetadata, {})).status).toBe(0);
    connection.close();
  });

  test("has the missing requirement on the line, so that Terraform shows it", async () => {
    const bin = temporary("bin-");
    expect(await outputOf(bundle, { PATH: bin })).toBe(
      `The provider needs Node.js, and there is no 'node' on the PATH (${bin}). Install Node.js, or extend the PATH.\n`,
    );
    expect(await outputOf(bundle, { PLUGIN_PROTOCOL_VERSIONS: "5" })).toMatch(/^The provider needs version 6 .* offers 5: use /);
    expect(await outputOf(bundle, { TF_PLUGIN_MAGIC_COOKIE: "" })).toMatch(/^This program is a plugin of Terraform .*\n$/);
    writeFileSync(join(bin, "plugin.js"), "Object.defineProperty(process.versions, 'node', { value: '20.18.0' })");
    expect(await outputOf(bundle, { NODE_OPTIONS: `--require=${join(bin, "plugin.js")}` })).toMatch(
      /^The provider needs Node\.js \d+\.\d+\.\d+ or newer, and 'node' on the PATH is 20\.18\.0\.\n$/,
    );
  });

  test("ends the reports of Node and NODE_DEBUG, because both show the environment", async () => {
    const folder = temporary("diagnostics-");
    const [preload, seen] = ["preload.cjs", "seen"].map((name) => join(folder, name)) as [string, string];
    writeFileSync(
      preload,
      `setInterval(() => {
         const { reportOnFatalError, reportOnSignal, reportOnUncaughtException } = process.report;
         const seen = [process.env.NODE_DEBUG, reportOnFatalError, reportOnSignal, reportOnUncaughtException];
         require("fs").writeFileSync(${JSON.stringify(`${seen}.new`)}, JSON.stringify(seen));
         require("fs").renameSync(${JSON.stringify(`${seen}.new`)}, ${JSON.stringify(seen)});
       }, 50);`,
    );
    const reports = "--report-on-fatalerror --report-on-signal --report-uncaught-exception";
    const env = { NODE_DEBUG: "child_process", NODE_OPTIONS: `${reports} --require=${preload}` };
    const launcher = readdirSync("dist/plugin").find((name) => name.startsWith("terraform-provider-"))!;
    const plugin = PluginProcess.launch(resolve("dist/plugin", launcher), env);
    processes.push(plugin);
    await plugin.handshake;
    rmSync(seen, { force: true });
    while (!existsSync(seen)) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(JSON.parse(readFileSync(seen, "utf8"))).toEqual([null, false, false, false]);
  });

  test("has the same bytes in any folder", () => {
    const copy = temporary("another clone ");
    for (const part of ["src", "scripts", "package.json", "tsconfig.json"]) cpSync(part, join(copy, part), { recursive: true });
    symlinkSync(join(process.cwd(), "node_modules"), join(copy, "node_modules"));
    const filesFrom = (clone?: string) => {
      const folder = bundlePlugin({ entry: "src/plugin/main.ts", name: "clusterplatform" }, temporary("bundle-"), clone);
      return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
    };
    const here = filesFrom();
    expect(Object.keys(here).length).toBeGreaterThan(10);
    expect(filesFrom(copy)).toEqual(here);
  });
});

describe("a plugin's end", () => {
  test("comes with Terraform's request, and leaves no socket", async () => {
    const plugin = start();
    const socket = (await plugin.handshake).split("|")[3]!;
    const connection = await plugin.connect();
    expect(existsSync(socket)).toBe(true);
    const { status } = await connection.call(GRPCControllerDefinition.fullName, GRPCControllerDefinition.methods.shutdown, {});
    expect(status).toBe(0);
    expect(await plugin.exited).toBe(0);
    expect(existsSync(dirname(socket))).toBe(false);
  });

  test.each<[how: string, stop: (plugin: PluginProcess, connection: Connection) => unknown]>([
    ["Terraform's StopProvider", (_, connection) => connection.call(SERVICE, methods.stopProvider, {})],
    ["SIGTERM", (plugin) => plugin.kill("SIGTERM")],
  ])("on %s waits for its handlers, which are told to stop", async (_, stop) => {
    const events = join(temporary("events-"), "log");
    const plugin = start({ TINY_LOG: events });
    const connection = await plugin.connect();
    const applied = create(connection, { name: "a", trouble: "create waits" });
    await until(() => read(events).includes("waiting"));
    // A terminal sends Ctrl-C to every process. Only Terraform decides what follows.
    plugin.kill("SIGINT");
    await stop(plugin, connection);
    expect(summaries((await applied).response!.diagnostics)).toEqual(["[TINY_REFUSED] interrupted"]);
    expect(read(events)).toEqual(["create a", "waiting", "stopping", "finished"]);
    expect((await connection.call(SERVICE, methods.getMetadata, {})).status).toBe(0);
    connection.close();
  });

  test("comes by itself when Terraform is killed, after the running requests", async () => {
    const events = join(temporary("events-"), "log");
    const terraform = spawn(
      process.execPath,
      [
        "-e",
        `require("node:child_process").spawn(process.argv[1], { stdio: "inherit" })`,
        join(bundle, `terraform-provider-tiny_v${VERSION}`),
      ],
      { env: { ...process.env, ...STARTED_BY_TERRAFORM, TINY_LOG: events }, stdio: ["ignore", "pipe", "ignore"] },
    );
    const handshake = await new Promise<string>((resolve) => createInterface({ input: terraform.stdout }).once("line", resolve));
    const connection = await Connection.to(handshake, localhostTls);
    void create(connection, { name: "a", trouble: "create waits" }).catch(() => {});
    await until(() => read(events).includes("waiting"));
    terraform.kill("SIGKILL");
    await until(() => !existsSync(handshake.split("|")[3]!));
    expect(read(events)).toEqual(["create a", "waiting", "abandoned", "finished"]);
    connection.close();
  });
});

function start(env: NodeJS.ProcessEnv = {}): PluginProcess {
  const plugin = PluginProcess.start(bundle, env);
  processes.push(plugin);
  return plugin;
}

/** Everything that the plugin writes to standard output until it has started or ended. */
async function outputOf(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const plugin = PluginProcess.start(folder, env);
  processes.push(plugin);
  let output = "";
  plugin.child.stdout!.on("data", (data: Buffer) => (output += data.toString()));
  await plugin.handshake;
  // The plugin closes the descriptor after the line.
  await new Promise((resolve) => plugin.child.stdout!.once("close", resolve));
  return output;
}

function state(value: Partial<ObjectValue> | null) {
  return encode(typeOf(thing), value as ObjectValue | null);
}

function create(connection: Connection, value: Partial<ObjectValue>) {
  return connection.call(SERVICE, methods.applyResourceChange, {
    typeName: "tiny_thing",
    priorState: state(null),
    plannedState: state(value),
    config: state(value),
  });
}

function summaries(diagnostics: readonly Diagnostic[] | undefined): unknown[] {
  return (diagnostics ?? []).map(({ summary }) => summary);
}

function temporary(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.push(folder);
  return folder;
}

function read(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !holds();) {
    if (Date.now() > end) throw new Error(`not within a minute: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
