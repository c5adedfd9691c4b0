import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { type Simulator, startSimulator } from "../../src/simulator";
import { accessTo } from "../support/service";
import { goldens } from "../goldens";
import { capvs } from "../goldens/capvs";
import { typescriptErrors } from "../docs/typescript-blocks";
import { inProcess } from "./in-process";
import { testOnceInRest } from "../terraform/test-on-backends";
import { clusterPlatform } from "./command";
import { Platform } from "../../src/constructs/platform";
import { Workspace } from "../terraform/workspace";

let simulator: Simulator;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0 });
  env = accessTo(simulator);
});
afterEach(() => simulator.close());

const get = async (args: readonly string[], more = env) => {
  const { status, stdout, stderr } = await inProcess(["get", ...args], more);
  return { status, output: stdout + stderr };
};

const { body } = capvs.cluster.minimal as unknown as {
  body: { cluster: { clusterName: string }; provider: { identityName: string } };
};

test("get prints that there is nothing", async () => {
  expect(await clusterPlatform(["get", "clusters"], env)).toEqual({ status: 0, output: "no clusters\n" });
});

test("get prints clusters as a table with one line each", async () => {
  simulator.add("clusters", "capvs", body);
  const { status, output } = await get(["clusters"]);
  const [head, row] = output.trimEnd().split("\n");
  expect(status).toBe(0);
  expect(head).toMatch(/^TYPE +NAME +PROVIDER +PHASE +CONTROL PLANE +WORKERS +API ENDPOINT +CONDITIONS$/);
  expect(row).toMatch(new RegExp(`^capvs +${body.cluster.clusterName} +${body.provider.identityName} +Provisioned `));
});

test("get prints one cluster by its name as JSON", async () => {
  simulator.add("clusters", "capvs", body);
  simulator.add("clusters", "capvs", { ...body, cluster: { ...body.cluster, clusterName: "another" } });
  const { output } = await get(["clusters", "another", "-o", "json"]);
  expect(JSON.parse(output)).toMatchObject([{ name: "another", type: "capvs", phase: "Provisioned" }]);
});

describe("get with an object that cannot be read as a whole", () => {
  const item = (clusterName: string | null, more: object = {}) => ({ clusterName, providerType: "capvs", ...more });
  const listClusters = (...items: unknown[]) =>
    simulator.inject({ kind: "status", status: 200, path: "/api/v1/clusters", body: { items, count: items.length } });

  test("shows it as far as it can be read, with a warning", async () => {
    listClusters(item("sound"), item("odd", { providerType: null, phase: "Pending" }), null);
    const { status, stdout, stderr } = await inProcess(["get", "clusters", "-o", "json"], env);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: "sound", type: "capvs" },
      { name: "", type: "unknown" },
      { name: "odd", type: "unknown", phase: "Pending" },
    ]);
    expect(stderr).toBe(
      "warning: GET /api/v1/clusters: the reply's 'items[1].providerType' must be a name, got null (cluster odd)," +
        " and 1 more like it; it is shown as far as it can be read\n",
    );
  });

  test("leaves it out of a program, with the reason", async () => {
    listClusters(item("sound"), item("odd", { providerType: "" }), item("twin"), item("twin", { phase: "Pending" }));
    const { status, stdout, stderr } = await inProcess(["get", "--format", "typescript"], env);
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining("(cluster odd)") as string });
    expect(stdout).toContain('new CapvsCluster(this, "sound"');
    expect(stdout).toContain('// Left out: cluster "odd", because this package does not know the type "unknown".');
    expect(stdout).toContain('// Left out: cluster "twin", because the service lists different clusters of this name.');
    expect(stdout.match(/new \w+Cluster\(/g)).toHaveLength(1);
  });
});

test("get knows a kind in singular, too", async () => {
  simulator.add("clusters", "capvs", body);
  const { clusterName: name } = body.cluster;
  expect(await get(["cluster", name])).toEqual(await get(["clusters", name]));
  expect(await get(["provider"])).toEqual(await get(["providers"]));
  expect((await get(["cluster", name])).status).toBe(0);
});

describe("in the folder of a stack, get", () => {
  let workspace: Workspace;
  const before = process.cwd();
  beforeEach(() => (workspace = new Workspace()));
  afterEach(() => {
    process.chdir(before);
    workspace.remove();
  });

  const inStackOf = async (urls: readonly string[], more: NodeJS.ProcessEnv = {}) => {
    workspace.synth((stack) => {
      for (const [index, url] of urls.entries())
        new Platform(stack, `platform-${index}`, { name: index ? `p${index}` : undefined, url });
    });
    process.chdir(workspace.stackFolder);
    const { CLUSTER_PLATFORM_URL: _, ...others } = env;
    return get(["clusters"], { ...others, ...more });
  };

  test("takes the url that the stack declares", async () => {
    expect(await inStackOf([simulator.url])).toEqual({ status: 0, output: "no clusters\n" });
  });

  test("takes CLUSTER_PLATFORM_URL, if it is set", async () => {
    const { output } = await inStackOf([simulator.url], { CLUSTER_PLATFORM_URL: "ftp://elsewhere" });
    expect(output).toContain("'CLUSTER_PLATFORM_URL' must");
  });

  test("chooses none of several urls", async () => {
    expect((await inStackOf([simulator.url, "https://other.example.com"])).output).toContain("[MISSING_URL]");
  });
});

test("get fails for an unknown name", async () => {
  expect(await get(["clusters", "absent"])).toEqual({
    status: 1,
    output: "Error [NOT_FOUND] there is no cluster 'absent' on the service\n",
  });
});

test("get says what is missing to reach the service", async () => {
  const { status, output } = await get(["providers"], {});
  expect(status).toBe(1);
  expect(output).toContain("[MISSING_URL]");
});

test("get says once that it repeats a request, and logs every attempt", async () => {
  simulator.inject({ kind: "cut", method: "GET", times: 2 });
  const { status, output } = await get(["clusters"], { ...env, CLUSTER_PLATFORM_LOG: " debug\n" });
  expect(status).toBe(0);
  expect(output.match(/^warning: GET .* broke while it answered \(200\).*; trying again$/gm)).toHaveLength(1);
  expect(output.match(/^debug: GET \/api\/v1\/clusters: .* attempt \d/gm)).toHaveLength(3);
});

test("get prints the next step after a failed request", async () => {
  simulator.inject({ kind: "status", status: 400, method: "GET" });
  expect(await get(["clusters"])).toEqual({
    status: 1,
    output: expect.stringMatching(/^Error \[REJECTED\] GET .*: 400: .*; check that the URL is that of .*\n$/) as string,
  });
});

test("get prints any text of the service without characters that control a terminal or are invisible", async () => {
  const odd = "a\u202eb\u009b31m\u200f";
  const service = createServer((_request, reply) =>
    reply.end(JSON.stringify({ items: [{ clusterName: odd, providerType: "constructor", phase: "\u001b[31m" }], count: 1 })),
  );
  await once(service.listen(0, "127.0.0.1"), "listening");
  const there = { ...env, CLUSTER_PLATFORM_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}` };
  const table = await get(["clusters"], there);
  const json = await get(["clusters", "-o", "json"], there);
  const absent = await get(["clusters", odd.slice(1)], there);
  service.close();
  expect(table.output).toContain("constructor  a\\u{202e}b\\u{9b}31m\\u{200f}");
  expect(JSON.parse(json.output)).toMatchObject([{ name: odd, type: "constructor" }]);
  for (const { output } of [table, json, absent]) expect(output).toMatch(/^[ -~\n]*$/);
});

test.each([
  ["text", [/^ADDED +capvs +first /, /^ADDED +capvs +second /, /^DELETED +capvs +first /]],
  ["json", [/^\{"event":"ADDED","object":\{"name":"first",.*\}\}$/, /"ADDED".*"second"/, /"DELETED".*"first"/]],
])("get follows changes until it is interrupted, also through an outage, as %s", async (format, lines) => {
  const named = (clusterName: string) => ({ ...body, cluster: { ...body.cluster, clusterName } });
  const changes = (text: string) => text.match(/^.*(ADDED|MODIFIED|DELETED).*$/gm) ?? [];
  simulator.add("clusters", "capvs", named("first"));
  const then = [
    () => {
      simulator.inject({ kind: "status", status: 503, retryAfterSeconds: 0, times: 6 });
      simulator.add("clusters", "capvs", named("second"));
    },
    () => simulator.remove("clusters", "capvs", "first"),
  ];
  const args = ["get", "clusters", "--watch", "--interval", "0.1", "-o", format];
  const { status, output } = await clusterPlatform(args, env, (process) => {
    let text = "";
    process.stdout!.on("data", (data: Buffer) => {
      text += data.toString();
      const { length } = changes(text);
      if (length === lines.length) process.kill("SIGINT");
      else if (lines.length - length === then.length) then.shift()!();
    });
  });
  expect(status).toBe(0);
  expect(changes(output)).toEqual(lines.map((line) => expect.stringMatching(line) as string));
  expect(output.match(/^warning: .* 503.*; looking again$/gm)).toHaveLength(1);
});

describe("get --format typescript", () => {
  const { body: ofCapsmv2 } = goldens.capsmv2.cluster.minimal;
  const named = (clusterName: string, more: object = {}, identityName = "vs-main") => ({
    cluster: { ...body.cluster, clusterName, ...more },
    provider: { ...body.provider, identityName },
  });

  const written = async (...args: string[]) => {
    const { status, stdout, stderr } = await inProcess(["get", "--format", "typescript", ...args], env);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    return stdout;
  };
  const declared = (program: string) => [...program.matchAll(/new (\w+Cluster)\(\s*this,\s*"(.*?)"/g)].map(([, , name]) => name);
  const constants = (program: string) => [...program.matchAll(/const (\w+) =\s+\w+\.fromName/g)].map(([, name]) => name);

  beforeEach(() => {
    simulator.add("providers", "capvs", goldens.capvs.provider.minimal.body);
    simulator.add("providers", "capvs", { ...goldens.capvs.provider.minimal.body, identityName: "2nd" });
    simulator.add("providers", "capsmv2", goldens.capsmv2.provider.minimal.body);
    simulator.add("clusters", "capsmv2", ofCapsmv2);
    for (const name of ["platform", "b", "a"]) simulator.add("clusters", "capvs", named(name));
    simulator.add("clusters", "capvs", named("on-2nd", { ingress: "apps.example.com", secure: false }, "2nd"));
  });

  test("declares clusters and refers to their providers, sorted and with what the lists show", async () => {
    const program = await written();
    expect(constants(program)).toEqual(["smMainProvider", "no2ndProvider", "vsMainProvider"]);
    expect(declared(program)).toEqual(["sm-prod", "a", "b", "on-2nd", "platform"]);
    expect(program).toContain('new Platform(this, "platform2", { engine: Engine.TERRAFORM_DATA });');
    expect(program).toContain(`
    new CapvsCluster(this, "on-2nd", {
      adopt: true,
      name: "on-2nd",
      provider: no2ndProvider,
      podSubnet: "10.244.0.0/16",
      serviceSubnet: "10.96.0.0/12",
      productVersion,
      kubernetesVersion: no2ndKubernetesVersion,
      ingress: "apps.example.com",
      secure: false,
      apiEndpoint: "10.0.1.10",
      controlPlane: { count: 3, ...capvsControlPlane },
`);
  });

  test("has one constant before the class for each value that the lists do not show, and names the defaults", async () => {
    simulator.add("clusters", "capvs", named("twin-of-a"));
    const [todos, constructs] = (await written()).split("class Clusters");
    expect(constructs).not.toContain("TODO");
    expect(todos!.match(/^const (\w+)/gm)).toEqual([
      "const kubernetesVersion",
      "const capsmv2ControlPlane",
      "const capsmv2DefaultWorkers",
      "const productVersion",
      "const vsMainKubernetesVersion",
      "const capvsControlPlane",
      "const capvsDefaultWorkers",
      "const capvsInfraWorkers",
      "const no2ndKubernetesVersion",
    ]);
    expect(todos).toContain("// 9 edits left: ");
    expect(todos).toContain(`
// a version of the form <major>.<minor>.<patch>, as in 1.28.3
const productVersion = TODO;
`);
    expect(todos).toContain("const capvsControlPlane = { diskGib: TODO, memoryMib: TODO, cpus: TODO };\n");
    const inOneLine = todos!.replace(/\n\/\/ +/g, " ");
    expect(inOneLine).toContain(
      "a Kubernetes version, as in v1.28.3 or 1.28.3, or undefined if it was not declared; vs-main offers v1.28.3\n" +
        "const vsMainKubernetesVersion = TODO;",
    );
    expect(inOneLine).toContain('Workers "default": roles (["workers"])');
  });

  test("declares providers only with --providers or as providers, with each credential in a variable", async () => {
    const secret = goldens.capvs.provider.minimal.body.connectInfo as { passwd: string };
    const program = await written("--providers");
    expect(program).toContain("// 5 clusters and 3 providers of ");
    expect(program).not.toContain("fromName");
    expect(program).not.toContain(secret.passwd);
    expect(program).toContain(`
    const vsMainProvider = new CapvsProvider(this, "vs-main", {
      adopt: true,
      name: "vs-main",
      username: Secret.fromEnv("VS_MAIN_USERNAME"),
      password: Secret.fromEnv("VS_MAIN_PASSWORD"),
      ipAddressPoolName: "",
      allowEditCsi: false,
      ...capvsVsMain,
    });
`);
    expect(await written("providers", "vs-main")).toContain('    new CapvsProvider(this, "vs-main", {');
    expect(await written("--providers", "--import")).toContain("    vsMainProvider.importFrom();\n");
  });

  const formatted = "is formatted as Prettier does, and compiles but for each TODO";
  test(formatted, () => isFormatted());
  testOnceInRest(`${formatted}, with --import`, () => isFormatted("--import"));
  testOnceInRest(`${formatted}, with --providers`, () => isFormatted("--providers"));
  async function isFormatted(...more: string[]): Promise<void> {
    for (const length of [20, 35, 45, 60, 253]) {
      const name = "n".repeat(length);
      simulator.add("providers", "capvs", { ...goldens.capvs.provider.minimal.body, identityName: name });
      simulator.add("clusters", "capvs", named(name, { ingress: `'"\\${name}` }, name));
    }
    const program = await written(...more);
    const prettier = ["node_modules/prettier/bin/prettier.cjs", "--no-config", "--parser", "typescript"];
    expect(program).toBe(spawnSync(process.execPath, prettier, { input: program, encoding: "utf8" }).stdout);
    const block = { page: "docs/main.ts", line: 1, code: program, preamble: "", continues: false, language: "ts" };
    const todos = program.replace(/^\/\/.*/gm, "").match(/\bTODO\b/g)!;
    expect(typescriptErrors([block])).toEqual(todos.map(() => expect.stringContaining("Cannot find name 'TODO'.") as string));
    const some = "declare const TODO: never;";
    expect(typescriptErrors([{ ...block, preamble: some }])).toEqual([]);
  }

  test("takes names of clusters, and of providers with their clusters, of one kind if that is given", async () => {
    expect(declared(await written("b", "sm-main"))).toEqual(["sm-prod", "b"]);
    expect(declared(await written("clusters", "b", "on-2nd"))).toEqual(["b", "on-2nd"]);
    const providers = await written("providers", "vs-main");
    expect([constants(providers), declared(providers)]).toEqual([[], []]);
    expect(await inProcess(["get", "--format", "typescript", "b", "absent"], env)).toMatchObject({
      status: 1,
      stderr: "Error [NOT_FOUND] there is no cluster or provider 'absent' on the service\n",
    });
  });

  test("leaves out what no construct can declare, and says why", async () => {
    simulator.inject({
      kind: "status",
      status: 200,
      path: "/api/v1/clusters",
      body: {
        count: 4,
        items: [
          { clusterName: "of-new-type", providerType: "cap*/", phase: "Provisioned" },
          { clusterName: "a b\u202e", providerType: "capvs", phase: "Provisioned" },
          { clusterName: "leaving", providerType: "capvs", phase: "Deleting" },
          { clusterName: "young", providerType: "capvs", phase: "", networks: [{ type: "Pod CIDR", network: "10/8" }] },
        ],
      },
    });
    const program = await written();
    expect(declared(program)).toEqual(["young"]);
    expect(program).toContain('// Left out: cluster "of-new-type", because this package does not know the type "cap*/".\n');
    expect(program).toContain('// Left out: cluster "a b\\u{202e}", because no construct takes this name.\n');
    expect(program).toContain('// Left out: cluster "leaving", because the service is deleting it.\n');
    expect(program).toContain("const youngProvider = TODO;\n");
    expect(program).toContain("const youngWorkers = TODO;\n");
    expect(program).toContain(
      '// a network in CIDR notation, as in 10.96.0.0/12; the service shows "10/8"\nconst youngPodSubnet = TODO;\n',
    );
    expect(program).toContain("      podSubnet: youngPodSubnet,\n      serviceSubnet,\n");
  });

  test("has no text of the service as code, also in a comment", async () => {
    const evil = "x\u2028process.exit();\nprocess.exit();";
    const workersGroups = [{ groupName: evil, workersCount: 2 }];
    const items = [{ clusterName: "prod", providerType: "capvs", providerConfigID: "p", phase: "Provisioned", workersGroups }];
    const providers = [{ providerType: "capvs", configs: [{ name: "p", kubeVers: [evil] }] }];
    simulator.inject({ kind: "status", status: 200, path: "/api/v1/clusters", body: { count: 1, items } });
    simulator.inject({ kind: "status", status: 200, path: "/api/v1/platform/providers", body: providers });
    const program = await written("--providers");
    expect(program).toContain("process.exit()");
    expect(program.split(/[\n\u2028]/).filter((line) => /^[^/]*process\.exit/.test(line))).toEqual([]);
  });

  test.each([
    [["prod"], "error: command-argument value 'prod' is invalid for argument 'kind'. Allowed choices are providers, clusters."],
    [[], "error: missing required argument 'kind'\nWrite providers or clusters, as in: cluster-platform get clusters"],
    [["--format", "typescript", "--watch"], "error: --watch cannot be used with --format typescript"],
  ])("is told apart from the other formats: %j", async (args, message) => {
    const { status, output } = await get(args);
    expect({ status, output }).toEqual({ status: 1, output: `${message}\n(see cluster-platform get --help)\n` });
  });
});
