import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { TerraformVariable, type TerraformStack } from "cdktf";
import * as library from "../../src";
import { isSecretReference } from "../../src/model/secret-reference";
import type { TypeCode } from "../../src/model/provider-type";
import { goldens } from "../goldens";
import { isAtLeast, terraform, terraformBackends } from "../support/tools";
import { filesIn, formsOf, leaks, watchProcesses, type Artefact } from "./leaks";
import { failed, StackFixture, succeeded } from "./stack-fixture";
import { backendsFor, inRest, isRest, testOnceInRest } from "./test-on-backends";
import type { RunOptions } from "./workspace";

const { Secret } = library;

const pem = [
  "-----BEGIN OPENSSH PRIVATE KEY-----",
  "zq7PemLine1b3BlbnNzaC1rZXktdjEAAAAABG5vbmU",
  "zq7PemLine2AAAAB",
  "-----END OPENSSH PRIVATE KEY-----",
];
const innerKey = "zq7InnerKey+MIIEvQIBADANBgkqhkiG9w0BAQEFAASC/Zz==";

/** Values that occur nowhere else, by source. */
const fromEnv = {
  VS_USER: "zq7-user-of-vsphere",
  VS_PASSWORD: 'zq7-"env"\\pass<&>é',
  YC_KEY: JSON.stringify({
    id: "zq7-key-id",
    private_key: `-----BEGIN PRIVATE KEY-----\n${innerKey}\n-----END PRIVATE KEY-----\n`,
  }),
  OS_PASSWORD: "zq7 override/password?",
};
const fromFiles = { OV_PASSWORD: "zq7-file-pass/+=?%", SM_KEY: pem.join("\n") };
const fromTokens = {
  CD_PASSWORD: "zq7-sensitive-token-<pass>",
  CD_REFRESH: "zq7-plain-token-refresh",
  OS_TOKEN: "zq7-override-token",
};
const token = "zq7-bearer-token-of-the-service";
const everything = { ...fromEnv, ...fromFiles, ...fromTokens, token, innerKey };
const notTerraforms = { ...fromEnv, ...fromFiles, token, innerKey };

let fixture: StackFixture;
let secretFiles: string;
const fileOf = (name: keyof typeof fromFiles) => join(secretFiles, name);

async function open(backend = terraformBackends[0]!): Promise<void> {
  secretFiles = mkdtempSync(join(tmpdir(), "secret-files-"));
  for (const [name, content] of Object.entries(fromFiles)) writeFileSync(join(secretFiles, name), `${content}\n`);
  const variables = Object.fromEntries(Object.entries(fromTokens).map(([name, value]) => [`TF_VAR_${name}`, value]));
  fixture = await StackFixture.open({ backend, token, acceptUnknownFields: true, env: { ...fromEnv, ...variables } });
}

afterEach(async () => {
  await fixture.close();
  rmSync(secretFiles, { recursive: true });
});

/** A valid provider of a type with these secrets. */
function providerOf(stack: TerraformStack, code: TypeCode, secrets: object): void {
  const { declaration } = goldens[code].provider.minimal;
  const plain = Object.fromEntries(Object.entries(declaration).filter(([, value]) => !isSecretReference(value)));
  const constructs = library as unknown as Record<string, new (scope: TerraformStack, id: string, props: object) => unknown>;
  new constructs[`${code[0]!.toUpperCase()}${code.slice(1)}Provider`]!(stack, code, {
    ...plain,
    name: `${code}-main`,
    ...secrets,
  });
}

/** Six providers with secrets from all sources and in all shapes. */
function declare(changes: Partial<Record<TypeCode, object>> = {}, ephemeral = false): void {
  fixture.workspace.synth((stack) => {
    fixture.platform(stack, { timeouts: { createSeconds: 10 } });
    const variable = (name: keyof typeof fromTokens, sensitive: boolean) => {
      const made = new TerraformVariable(stack, name, { type: "string", sensitive });
      if (ephemeral) made.addOverride("ephemeral", true);
      return Secret.fromToken(made.stringValue);
    };
    const secrets: Partial<Record<TypeCode, object>> = {
      capvs: { username: Secret.fromEnv("VS_USER"), password: Secret.fromEnv("VS_PASSWORD") },
      capov: { username: "reader", password: Secret.fromFile(fileOf("OV_PASSWORD")) },
      capsmv2: { sshUsername: "root", sshPrivateKey: Secret.fromFile(relative(process.cwd(), fileOf("SM_KEY"))) },
      capyc: { serviceAccountKey: Secret.fromEnv("YC_KEY") },
      capcd: { username: "reader", password: variable("CD_PASSWORD", true), refreshToken: variable("CD_REFRESH", false) },
      capos: {
        bodyOverrides: {
          cloudconfig: { config: { auth: { password: Secret.fromEnv("OS_PASSWORD"), token: variable("OS_TOKEN", true) } } },
        },
      },
    };
    for (const [code, props] of Object.entries(secrets))
      providerOf(stack, code as TypeCode, { ...props, ...changes[code as TypeCode] });
  });
}

/** Everything that a run printed, all command lines during the run, and all files afterwards. */
async function artefactsOf(run: () => Promise<{ output: string }>): Promise<Artefact[]> {
  const stop = watchProcesses();
  const { output } = await run();
  return [stop(), { name: "output", content: output }, ...filesIn(fixture.workspace.folder)];
}

const sentBodies = () => JSON.stringify(fixture.simulator.requests.map(({ body }) => body));
const posts = () => fixture.writes().filter((write) => write.startsWith("POST"));

describe.each(backendsFor("secrets", isRest ? inRest(terraformBackends) : terraformBackends))("on $title", (backend) => {
  beforeEach(() => open(backend));

  test("secrets are in no output or file of synth, plan and apply, and reach the service unchanged", async () => {
    declare();
    const { workspace } = fixture;
    const plan = join(workspace.folder, "plan");
    const shown: Artefact[] = [];
    const artefacts = await artefactsOf(async () => {
      const planned = await workspace.run(["plan", "-input=false", `-out=${plan}`]);
      const { output } = await workspace.run(["show", "-json", plan], { quiet: true });
      const { variables, ...rest } = JSON.parse(output) as Record<string, unknown>;
      shown.push(
        { name: "plan as JSON", content: JSON.stringify(rest) },
        { name: "variables of the plan", content: JSON.stringify(variables) },
      );
      const applied = await workspace.run(["apply", "-input=false", plan]);
      expect(applied.status).toBe(0);
      const state = await workspace.run(["show", "-json"], { quiet: true });
      return { output: [planned.output, applied.output, state.output].join("\n") };
    });
    const names = artefacts.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["plan!tfplan", "terraform.tfstate", "cdktf.out/stacks/test/cdk.tf.json"]));
    expect(leaks([...artefacts, ...shown], notTerraforms)).toEqual([]);

    // Terraform keeps values of variables only in a saved plan.
    const [savedPlan, elsewhere] = [names.filter((name) => /^plan($|!tfplan$)/.test(name)), ["variables of the plan"]];
    const rest = [...artefacts, ...shown].filter(({ name }) => ![...savedPlan, ...elsewhere].includes(name));
    expect(leaks(rest, fromTokens)).toEqual([]);
    expect(leaks(shown, fromTokens)).toContain("CD_PASSWORD in variables of the plan as text");

    // A document of several lines keeps its last line break.
    for (const value of Object.values({ ...fromEnv, ...fromFiles, SM_KEY: `${fromFiles.SM_KEY}\n`, ...fromTokens })) {
      expect(sentBodies()).toContain(JSON.stringify(value));
    }
  });

  testOnceInRest("secrets are hidden if the service repeats them, and the reason stays readable", async () => {
    declare();
    const own: Record<string, readonly string[]> = {
      capvs: [fromEnv.VS_USER, fromEnv.VS_PASSWORD],
      capov: [fromFiles.OV_PASSWORD],
      capsmv2: [pem[1]!],
      capyc: [innerKey],
      capcd: [fromTokens.CD_PASSWORD, fromTokens.CD_REFRESH],
      capos: [fromEnv.OS_PASSWORD, fromTokens.OS_TOKEN],
    };
    const forms = ["text", "JSON", "URL", "HTML", "base64"];
    const basic = (value: string) => Buffer.from(`u:${value}.`).toString("base64");
    for (const [code, values] of Object.entries(own)) {
      const repeated = values.flatMap((value) => [...forms.map((form) => formsOf(value)[form]!), basic(value)]);
      const message = `login refused: ${[token, ...repeated].join(" | ")}`;
      fixture.simulator.inject({ kind: "status", status: 400, path: `/api/v1/platform/providers/${code}`, body: { message } });
    }
    const artefacts = await artefactsOf(() => fixture.workspace.apply());
    expect(leaks(artefacts, everything)).toEqual([]);
    const output = artefacts.find(({ name }) => name === "output")!.content;
    expect(output.match(/400:\s+login\s+refused:\s+\[hidden\]/g)!.length).toBeGreaterThanOrEqual(6);
    // Terraform suppresses the output of a hook with a sensitive value, but not the message of a failed hook.
    expect(output).toContain('capcd_providers["capcd-main"] (local-exec): (output suppressed due to sensitive value in config)');
    const reason = output.slice(output.indexOf(`with ${backend.engine}.capcd_providers["capcd-main"]`));
    expect(reason.slice(0, 600)).toMatch(/login\s+refused:\s+\[hidden\]/);
  });
});

describe("whatever goes wrong", () => {
  beforeEach(() => open());

  test("secrets are not in the debug log and not in Terraform's, even if the service's replies repeat them", async () => {
    declare();
    const log = join(fixture.workspace.folder, "terraform.log");
    const env = { CLUSTER_PLATFORM_LOG: "debug", TF_LOG: "trace", TF_LOG_PATH: log };
    const artefacts = await artefactsOf(async () => fixture.workspace.apply({ env }));
    const output = artefacts.find(({ name }) => name === "output")!.content;
    expect(output).toContain("debug: POST /api/v1/platform/providers/capov: 201");
    expect(readFileSync(log, "utf8")).toContain("[TRACE]");
    expect(leaks(artefacts, everything)).toEqual([]);
  });

  const crashes = "secrets are not in the output of a hook that crashes %s with a body in its error";
  test.each([["in the middle of a request", "throw lost"]])(crashes, crashing);
  testOnceInRest.each([
    ["from a timer", "setTimeout(() => { throw lost; }); throw undefined"],
    ["from a promise that nobody waits for", "void Promise.reject(lost); throw undefined"],
  ])(crashes, crashing);

  async function crashing(_: string, crash: string): Promise<void> {
    declare();
    const preload = join(secretFiles, "crash.cjs");
    writeFileSync(
      preload,
      `const { stringify } = JSON;
       JSON.stringify = (value, ...rest) => {
         if (!value || !(value.connectInfo || value.connection || value.cloudconfig || value.credentials)) return stringify(value, ...rest);
         const lost = new TypeError("cannot send " + stringify(value));
         ${crash};
       };`,
    );
    const artefacts = await artefactsOf(() => fixture.workspace.apply({ env: { NODE_OPTIONS: `--require=${preload}` } }));
    const output = artefacts.find(({ name }) => name === "output")!.content;
    expect(output).toMatch(/this\s+is\s+a\s+bug\s+in\s+cdktf-cluster-platform/);
    expect(output).toContain("cannot send");
    expect(output).toContain("[hidden]");
    expect(leaks(artefacts, everything)).toEqual([]);
    expect(posts()).toEqual([]);
  }

  testOnceInRest("secrets are not in the output and files of an apply that is interrupted while it sends them", async () => {
    declare();
    fixture.simulator.inject({ kind: "hang", method: "POST" });
    let running: Parameters<NonNullable<RunOptions["started"]>>[0] | undefined;
    fixture.simulator.onRequest = ({ method }) => void (method === "POST" && setTimeout(() => running!.kill("SIGINT"), 300));
    const artefacts = await artefactsOf(() => fixture.workspace.apply({ started: (process) => (running = process) }));
    expect(posts().length).toBeGreaterThan(0);
    expect(artefacts.map(({ name }) => name)).toContainEqual(expect.stringContaining(".cluster-platform/objects"));
    expect(leaks(artefacts, everything)).toEqual([]);
  });

  testOnceInRest("secrets are hidden in output even if the code has one as plain text", async () => {
    fixture.workspace.synth((stack) => {
      fixture.platform(stack);
      providerOf(stack, "capov", { username: "reader", password: Secret.unsafePlainText("zq7-in-the-code") });
    });
    const message = "wrong password zq7-in-the-code";
    fixture.simulator.inject({ kind: "status", status: 400, method: "POST", body: { message } });
    expect(await fixture.failed()).toContain("wrong password [hidden]");
  });
});

describe("a secret that changes", () => {
  beforeEach(() => open());

  test("changes no plan, and reaches the service with a new credentialsVersion", async () => {
    declare();
    await fixture.applied();
    const rotated = { VS_PASSWORD: "zq7-rotated-env", TF_VAR_CD_PASSWORD: "zq7-rotated-token" };
    writeFileSync(fileOf("OV_PASSWORD"), "zq7-rotated-file");
    expect(await fixture.workspace.plan({ env: rotated })).toEqual([]);
    succeeded(await fixture.workspace.apply({ env: rotated }));
    expect(sentBodies()).not.toContain("zq7-rotated");

    const version = { credentialsVersion: 2 };
    declare({ capvs: version, capov: version, capcd: version });
    const plan = await fixture.workspace.plan({ env: rotated });
    expect(plan.filter(({ actions }) => actions.join() === "delete,create").map(({ address }) => address)).toEqual([
      ...["capcd", "capov", "capvs"].map((code) => expect.stringContaining(`${code}_providers["${code}-main"]`) as string),
      "terraform_data.cluster_platform_ready",
    ]);
    const artefacts = await artefactsOf(() => fixture.workspace.apply({ env: rotated }));
    for (const value of ["zq7-rotated-env", "zq7-rotated-token", "zq7-rotated-file"]) expect(sentBodies()).toContain(value);
    expect(leaks(artefacts, { env: "zq7-rotated-env", token: "zq7-rotated-token", file: "zq7-rotated-file" })).toEqual(
      leaks(artefacts, { token: "zq7-rotated-token" }).filter((leak) => /in plan/.test(leak)),
    );
  });

  testOnceInRest("is not needed by plan, by an apply that creates nothing, and by destroy", async () => {
    declare();
    await fixture.applied();
    for (const name of Object.keys(fromFiles)) rmSync(join(secretFiles, name));
    const env = Object.fromEntries(Object.keys(fromEnv).map((name) => [name, undefined]));
    expect(await fixture.workspace.plan({ env })).toEqual([]);
    succeeded(await fixture.workspace.destroy({ env }));
    expect(fixture.live()).toEqual([]);
  });
});

describe("a secret that is missing", () => {
  beforeEach(() => open());

  test("is reported together with all others of its object before that is created, and other objects are created", async () => {
    declare();
    rmSync(fileOf("OV_PASSWORD"));
    const output = failed(await fixture.workspace.apply({ env: { VS_USER: undefined, VS_PASSWORD: "", TF_VAR_CD_REFRESH: "" } }));
    for (const part of [
      "test/capvs: 2 secrets cannot be resolved; nothing was sent to create the object:",
      "username: the environment variable VS_USER is not set",
      "password: the environment variable VS_PASSWORD is empty",
      `password: the file ${fileOf("OV_PASSWORD")} cannot be read (ENOENT)`,
      "refreshToken: the token of Secret.fromToken is an empty string",
      "Provide them where Terraform runs and apply again",
      "exit status 2",
    ]) {
      expect(output).toContain(part);
    }
    expect(fixture.live()).toEqual(["capos-main", "capsmv2-main", "capyc-main"]);
    writeFileSync(fileOf("OV_PASSWORD"), fromFiles.OV_PASSWORD);
    await fixture.applied();
    expect(fixture.live()).toHaveLength(6);
    expect(posts()).toHaveLength(6);
  });
});

describe("a secret from an ephemeral variable", () => {
  test("is stored nowhere, not even in a saved plan", async () => {
    await open();
    if (!isAtLeast(terraform, { terraform: 10, openTofu: 11 }))
      return console.error("NOT RUN: ephemeral variables, which this Terraform does not have");
    declare({}, true);
    const plan = join(fixture.workspace.folder, "plan");
    const artefacts = await artefactsOf(async () => {
      const planned = await fixture.workspace.run(["plan", "-input=false", `-out=${plan}`]);
      const shown = await fixture.workspace.run(["show", "-json", plan]);
      const applied = await fixture.workspace.run(["apply", "-input=false", plan]);
      expect(applied.status).toBe(0);
      return { output: planned.output + shown.output + applied.output };
    });
    expect(leaks(artefacts, everything)).toEqual([]);
    for (const value of Object.values(fromTokens)) expect(sentBodies()).toContain(value);
    expect(await fixture.workspace.plan()).toEqual([]);
  });
});
