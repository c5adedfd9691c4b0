import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DriftFinding, DriftReport } from "../../../src/cli/drift/finding";
import { startSimulator, type Simulator } from "../../../src/simulator";
import { PAUSES_SKIPPED } from "../../support/pauses";
import { accessTo } from "../../support/service";
import { capov } from "../../goldens/capov";
import { clusterBody } from "../../support/capvs";
import { built } from "../built";
import { inProcess } from "../in-process";
import { fixture } from "../review/plans";
import { Renderer, tablesAreEven } from "../review/renderer";
import { addCluster, addProvider } from "../../support/live-objects";

const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };

let simulator: Simulator;
let folder: string;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  folder = mkdtempSync(join(tmpdir(), "cluster-platform-drift-"));
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  await simulator.close();
});

const state = (name = "unchanged") => fixture(`${name}.state`);
interface State {
  readonly values: { readonly root_module: { resources: { readonly address: string }[] } };
}
const OTHER = "terraform_data/change";
const drift = (args: string[], env: NodeJS.ProcessEnv = {}) => inProcess(["drift", ...args], { ...accessTo(simulator), ...env });
const driftOfInput = (input: string, ...args: string[]) => built(["drift", "-", ...args], accessTo(simulator), input);
/** Drift of a state with this text. */
const driftOf = (text: string, ...args: string[]) => {
  const file = join(folder, "state.json");
  writeFileSync(file, text);
  return drift([file, ...args]);
};
const report = async (...args: string[]) => {
  const { stdout, stderr } = await drift([...args, "--format", "json"]);
  if (stderr) throw new Error(stderr);
  return JSON.parse(stdout) as DriftReport & { version: number; drift: boolean };
};

describe("drift of a state", () => {
  /** Adds everything that the state declares, with the given changes. */
  const populate = ({ prod = {}, provider = {} }: { prod?: object | false; provider?: object } = {}) => {
    addProvider(simulator, "vsphere", provider);
    if (prod) addCluster(simulator, "prod", prod);
    addCluster(simulator, "stage");
  };

  test("is none if everything lives as declared, and each list is requested once", async () => {
    populate();
    expect(await drift([state()])).toMatchObject({
      status: 0,
      stdout: "No drift in what the service shows: 3 objects as declared\n",
      stderr: "",
    });
    expect(simulator.requests.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      "GET /api/v1/clusters",
      "GET /api/v1/platform/providers",
    ]);
  });

  test("shows a foreign cluster that cannot be read as a whole, and judges a declared one strictly", async () => {
    populate();
    const headers = { authorization: `Bearer ${simulator.token}` };
    const { items } = (await (await fetch(`${simulator.url}/api/v1/clusters`, { headers })).json()) as { items: object[] };
    const listing = (...more: object[]) => {
      const all = [...items, ...more];
      simulator.inject({
        kind: "status",
        status: 200,
        path: "/api/v1/clusters",
        times: 1,
        body: { items: all, count: all.length },
      });
    };
    listing({ clusterName: "odd", providerType: null, phase: "Provisioned" });
    expect(await report(state(), "--unmanaged")).toMatchObject({
      findings: [{ verdict: "UNMANAGED", object: "unknown/clusters/odd", repairs: [{ code: "IGNORE" }] }],
      notes: [{ because: "unread", problem: expect.stringContaining("got null (cluster odd)") as string }],
    });
    listing({ clusterName: "odd", providerType: "", phase: "Provisioned" });
    expect(await drift([state(), "--ignore", "unknown/clusters/odd"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("got an empty string (cluster odd)") as string,
    });
    for (const nameless of [null, { clusterName: null }, { clusterName: "", providerType: "vsphere" }]) {
      listing(nameless as object);
      expect(await report(state(), "--unmanaged")).toMatchObject({
        findings: [{ verdict: "UNMANAGED" }],
        notes: [{ because: "unread", problem: expect.stringContaining("must be ") as string }],
      });
    }
    for (const group of [null, { providerType: null, configs: [] }, { providerType: "vsphere", configs: [{ name: null }] }]) {
      const path = "/api/v1/platform/providers";
      const listed = (await (await fetch(simulator.url + path, { headers })).json()) as object[];
      simulator.inject({ kind: "status", status: 200, path, times: 1, body: [...listed, group] });
      expect((await report(state())).notes[0]).toMatchObject({ problem: expect.stringContaining("must be ") as string });
    }
    listing({ clusterName: "prod", providerType: null });
    expect(await drift([state()])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("got null (cluster prod)") as string,
    });
  });

  test("includes a missing object, with the command that creates it again", async () => {
    populate({ prod: false });
    expect((await drift([state()])).status).toBe(2);
    expect((await report(state())).findings).toEqual([
      expect.objectContaining({
        verdict: "MISSING",
        object: "capvs/clusters/prod",
        stack: "unchanged",
        address: `null_resource.capvs_clusters["prod"]`,
        repairs: [
          {
            code: "RECREATE_MISSING",
            commands: [
              `CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/prod terraform apply -replace='null_resource.capvs_clusters["prod"]'`,
            ],
          },
          { code: "REMOVE_DECLARATION", commands: ["CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/prod terraform apply"] },
        ],
      }),
    ]);
  });

  test("asks for the URL if the service has none of the declared objects", async () => {
    const isAsked = async () =>
      (await drift([state()])).stdout.includes(
        "none of the 3 declared objects is on the service: is CLUSTER_PLATFORM_URL the right one?",
      );
    expect(await isAsked()).toBe(true);
    addProvider(simulator, "vsphere");
    expect(await isAsked()).toBe(false);
  });

  test("does not include a field that bodyOverrides have sent, and prints no secret", async () => {
    populate({ prod: { podSubnet: "10.200.0.0/16" } });
    const document = JSON.parse(readFileSync(state(), "utf8")) as {
      values: { root_module: { resources: { index?: string; values: { triggers: Record<string, string> } }[] } };
    };
    const prod = document.values.root_module.resources.find(({ index }) => index === "prod")!;
    const secretly = () => driftOfInput(JSON.stringify(document));
    expect((await secretly()).stdout).toContain("10.200.0.0/16");
    prod.values.triggers["bodyOverrides.cluster.podSubnet"] = "(secret)";
    expect(await secretly()).toMatchObject({ status: 0, stdout: "No drift in what the service shows: 3 objects as declared\n" });
  });

  test("has an object by its name in the state, not by the key that terraform state mv gave the instance", async () => {
    populate();
    addCluster(simulator, "dev");
    const renamed = state("renamed-in-state");
    expect(await drift([renamed])).toMatchObject({
      status: 0,
      stdout: "No drift in what the service shows: 4 objects as declared\n",
    });
    simulator.remove("clusters", "capvs", "stage");
    simulator.remove("clusters", "capvs", "dev");
    const moving = (from: string, to: string) => ({
      code: "MOVE_BACK",
      commands: [`terraform state mv 'null_resource.capvs_clusters[${from}]' 'null_resource.capvs_clusters["${to}"]'`],
    });
    expect((await report(renamed)).findings).toMatchObject([
      { verdict: "MISSING", object: "capvs/clusters/dev", repairs: [moving("0", "dev")] },
      { verdict: "MISSING", object: "capvs/clusters/stage", repairs: [moving('"stage-new"', "stage")] },
    ]);
  });

  test.each([
    [
      "settings",
      "cluster_platform_protection",
      {
        input: {
          deletionProtection: [],
          allowDeletion: [],
          retain: [],
          adopt: [],
          connection: { url: "https://other.example.com/" },
        },
      },
    ],
    ["orphan check", "cluster_platform_orphan_check", { triggers_replace: { url: "https://other.example.com", objects: {} } }],
  ])("does not include a Platform that uses another service, by its %s in the state", async (_, name, values) => {
    populate({ prod: { controlPlane: { count: 5, ...size } } });
    const document = JSON.parse(readFileSync(state(), "utf8")) as {
      values: { root_module: { resources: { name: string; values: object }[] } };
    };
    const { resources } = document.values.root_module;
    Object.assign(
      resources.find((resource) => resource.name === name)!,
      { values },
    );
    expect(await driftOf(JSON.stringify(document))).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining(
        "all 3 objects of the given states name https://other.example.com as their service",
      ) as string,
    });
  });

  test.each<[string, Parameters<typeof populate>[0], object]>([
    ["node counts", { prod: { controlPlane: { count: 5, ...size } } }, { field: "controlPlane.count", before: "3", after: "5" }],
    [
      "worker groups",
      { prod: { workers: [{ group: "default", count: 7, ...size }] } },
      { field: "workers.default.count", before: "2", after: "7" },
    ],
    ["networks", { prod: { podSubnet: "10.9.0.0/16" } }, { field: "podSubnet", before: "10.244.0.0/16", after: "10.9.0.0/16" }],
    [
      "the endpoint",
      { prod: { apiEndpoint: "192.168.0.9" } },
      { field: "apiEndpoint", before: "192.168.134.30", after: "192.168.0.9" },
    ],
  ])("includes a changed %s", async (_, otherwise, difference) => {
    populate(otherwise);
    const { findings } = await report(state());
    expect(findings).toMatchObject([{ verdict: "CHANGED", object: "capvs/clusters/prod", changes: [difference] }]);
    expect(findings[0]!.repairs.map(({ code }) => code)).toEqual(["DECLARE_LIVE", "REPLACE"]);
  });

  test("includes changed versions of a provider, and offers a replacement only if no cluster uses it", async () => {
    populate({ provider: { templates: [{ template: "new", kubernetesVersion: "v1.30.0" }] } });
    const changed = {
      verdict: "CHANGED",
      object: "capvs/providers/vsphere",
      changes: [{ field: "templates", before: "1.28.3", after: "1.30.0" }],
    };
    const [used] = (await report(state())).findings;
    expect(used).toMatchObject({ ...changed, repairs: [{ code: "DECLARE_LIVE" }] });
    for (const { name } of simulator.clusters) simulator.remove("clusters", "capvs", name);
    const { findings } = await report(state());
    expect(findings).toContainEqual(
      expect.objectContaining({
        ...changed,
        repairs: [expect.objectContaining({ code: "DECLARE_LIVE" }), expect.objectContaining({ code: "REPLACE" })],
      }),
    );
  });

  test("offers no command that would delete a foreign object of the same name on another provider", async () => {
    addProvider(simulator);
    addProvider(simulator, "other");
    addCluster(simulator, "stage");
    simulator.add("clusters", "capvs", { ...rebased(), provider: { ...rebased().provider, identityName: "other" } });
    const { findings } = await report(state(), "--ignore", "other");
    expect(findings).toMatchObject([
      {
        verdict: "CHANGED",
        changes: [{ field: "provider", before: "vsphere", after: "other" }],
        repairs: [{ code: "LET_GO" }],
      },
    ]);
  });

  test("has a cluster of another type under the name as the same object with a change, and not twice", async () => {
    addProvider(simulator);
    addCluster(simulator, "stage");
    const { cluster, ...rest } = capov.cluster.minimal.body as { cluster: object };
    simulator.add("clusters", "capov", { ...rest, cluster: { ...cluster, clusterName: "prod" } });
    const { findings } = await report(state());
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ verdict: "CHANGED", object: "capvs/clusters/prod", repairs: [{ code: "LET_GO" }] });
    expect(findings[0]!.changes[0]).toEqual({ field: "type", before: "capvs", after: "capov" });
  });

  test("names what others have in one line, and lists it on request, unless it is ignored", async () => {
    populate();
    addCluster(simulator, "stray");
    addProvider(simulator, "spare");
    expect(await drift([state()])).toMatchObject({
      status: 0,
      stdout:
        "No drift in what the service shows: 3 objects as declared\n\nnote  in none of the given states: capvs/clusters/stray, capvs/providers/spare\n",
    });
    const all = await report(state(), "--unmanaged");
    expect(all.findings.map(({ verdict: kind, object }) => `${kind} ${object}`)).toEqual([
      "UNMANAGED capvs/clusters/stray",
      "UNMANAGED capvs/providers/spare",
    ]);
    expect(all.findings[0]!.repairs[0]).toEqual({
      code: "ADOPT",
      commands: ["CLUSTER_PLATFORM_ADOPT=capvs/clusters/stray terraform apply"],
    });
    expect(await report(state(), "--ignore", "capvs/providers/*")).toMatchObject({
      notes: [{ because: "unmanaged", objects: ["capvs/providers/spare"] }],
      findings: [{ object: "capvs/clusters/stray" }],
    });
    const none = await drift([state(), "--ignore", "s*"]);
    expect(none).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("No drift in what the service shows: 3 objects as declared\n") as string,
    });
  });

  test("does not include a provider that a declared cluster only names", async () => {
    populate();
    const json = JSON.parse(readFileSync(state(), "utf8")) as State;
    const { resources } = json.values.root_module;
    json.values.root_module.resources = resources.filter(({ address }) => !address.includes("capvs_providers"));
    expect(JSON.parse((await driftOf(JSON.stringify(json), "--format", "json")).stdout)).toMatchObject({
      declared: 2,
      findings: [],
    });
  });

  test("includes a cluster that is not ready, with the command that waits", async () => {
    simulator.timing.provisionSeconds = 3600;
    populate();
    const { findings } = await report(state());
    expect(findings).toMatchObject([
      { verdict: "NOT-READY", name: "prod" },
      { verdict: "NOT-READY", name: "stage" },
    ]);
    expect(findings[0]!.phase).not.toBe("Provisioned");
    expect(findings[0]!.repairs).toEqual([
      { code: "WAIT", commands: ["terraform apply -replace=terraform_data.cluster_platform_ready"] },
      { code: "PUT_IN_STACK", commands: [] },
    ]);
  });

  test("does not treat the object of a failed create as this stack's", async () => {
    populate();
    expect((await report(state("tainted"))).findings).toMatchObject([
      {
        verdict: "UNFINISHED",
        object: "capvs/clusters/prod",
        repairs: [{ code: "TAKE_OVER", commands: ["CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod terraform apply"] }],
      },
    ]);
    simulator.remove("clusters", "capvs", "prod");
    expect((await report(state("tainted"))).findings).toMatchObject([
      { verdict: "MISSING", repairs: [{ code: "FINISH", commands: ["terraform apply"] }] },
    ]);
  });

  test("removes an imported instance of hooks from the state before its object is adopted", async () => {
    populate();
    const document = JSON.parse(readFileSync(state(), "utf8")) as {
      values: { root_module: { resources: { index?: string; values: object }[] } };
    };
    document.values.root_module.resources.find(({ index }) => index === "prod")!.values = { id: "some-id" };
    const { stdout } = await driftOf(JSON.stringify(document));
    expect(stdout).toContain("UNMANAGED  cluster prod");
    expect(stdout).toMatch(
      /remove the entry, declare the object, and adopt it:\n +terraform state rm '\S+\["prod"\]'\n +CLUSTER_PLATFORM_ADOPT=capvs\/clusters\/prod terraform apply\n$/,
    );
  });

  const marked = (marks: object): string => {
    const document = JSON.parse(readFileSync(state(), "utf8")) as {
      values: { root_module: { resources: { index?: string; sensitive_values: Record<string, object> }[] } };
    };
    const prod = document.values.root_module.resources.find(({ index }) => index === "prod")!;
    for (const key of Object.keys(prod.sensitive_values)) prod.sensitive_values[key] = marks;
    return JSON.stringify(document);
  };

  test("hides values that Terraform marks sensitive", async () => {
    populate({ prod: { podSubnet: "10.9.0.0/16" } });
    const { stdout } = await driftOf(marked({ podSubnet: true }));
    expect(stdout).toContain("podSubnet (hidden)");
    expect(stdout).not.toMatch(/10\.9\.0\.0|10\.244/);
  });

  test.each([
    ["as declared", "vsphere", []],
    ["another one", "other", [{ field: "provider", before: null, after: null, hidden: true }]],
  ])("hides the provider of a cluster if Terraform marks it sensitive, %s", async (_, on, changes) => {
    addProvider(simulator);
    addProvider(simulator, "other");
    addCluster(simulator, "stage");
    simulator.timing.provisionSeconds = 3600;
    simulator.add("clusters", "capvs", clusterBody("prod", on));
    const prod = async (marks: object) => {
      const { stdout } = await driftOf(marked(marks), "--format", "json");
      return (JSON.parse(stdout) as DriftReport).findings.find(({ name }) => name === "prod");
    };
    expect(await prod({ provider: true })).toMatchObject({ provider: null, changes });
    expect(await prod({ podSubnet: true })).toMatchObject({ provider: on });
  });
});

function rebased(): { provider: object } {
  const { body } = simulator.clusters.find(({ name }) => name === "stage")!;
  const copy = structuredClone(body) as { cluster: { clusterName: string; apiEndpoint: string }; provider: object };
  copy.cluster.clusterName = "prod";
  copy.cluster.apiEndpoint = "192.168.134.30";
  return copy;
}

test("an object that two states declare is reported", async () => {
  addProvider(simulator);
  addCluster(simulator, "prod");
  addCluster(simulator, "stage");
  const { notes, findings } = await report(state(OTHER), state());
  expect(findings).toEqual([]);
  expect(notes.map((note) => (note.because === "declared twice" ? note.object : note.because)).sort()).toEqual([
    "capvs/clusters/prod",
    "capvs/clusters/stage",
    "capvs/providers/vsphere",
  ]);
});

describe("drift exits with an error, and never with drift, when", () => {
  const failing = (env: NodeJS.ProcessEnv = {}) => drift([state()], env);

  test("the service cannot be reached, refuses the token, or sends an incomplete list", async () => {
    const unreachable = { ...accessTo(simulator), CLUSTER_PLATFORM_URL: "http://127.0.0.1:1", ...PAUSES_SKIPPED };
    expect(await built(["drift", state()], unreachable)).toMatchObject({ status: 1, stdout: "" });
    expect(await failing({ CLUSTER_PLATFORM_TOKEN: "wrong" })).toMatchObject({ status: 1, stdout: "" });
    expect(await failing({ CLUSTER_PLATFORM_URL: undefined })).toMatchObject({ status: 1, stdout: "" });
    simulator.inject({ kind: "partial-list", method: "GET", path: "/api/v1/clusters" });
    addCluster(simulator, "prod");
    addCluster(simulator, "stage");
    expect(await failing()).toMatchObject({ status: 1, stdout: "" });
  });

  test.each([
    ["{}", "got something else"],
    ['{"version":4,"serial":7,"lineage":"3f0e"}', "got a state file; convert it with 'terraform show -json FILE'"],
    ['{"format_version":"3.0"}', 'got format "3.0"'],
    ['{"format_version":"1.2","resource_changes":[]}', "got a plan"],
    ["", "got nothing"],
  ])("the state is %j", async (content, message) => {
    expect(await driftOf(content)).toMatchObject({ status: 1, stderr: expect.stringContaining(message) as string });
    expect(simulator.requests).toEqual([]);
  });

  test("a request fails, and prints the next step", async () => {
    simulator.inject({ kind: "status", status: 400, method: "GET" });
    expect(await drift([state()])).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/^Error \[REJECTED\] GET .*: 400: .*; check that the URL is that of .*\n$/) as string,
    });
  });

  test.each(["[", "{a", "stray ", "clusters/stray", "capvs/cluster/stray"])(
    "--ignore is %j, which cannot match anything",
    async (pattern) => {
      const { status, stderr } = await drift([state(), "--ignore", pattern]);
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: `Error [INVALID_SETTING] command line: '--ignore' must be a name or type/kind/name, as in capvs/clusters/prod. Each part may contain '*', '?', '{a,b}' and '!(a|b)', with at most 3 of '*' and '!(', got ${JSON.stringify(pattern)}\n`,
      });
      expect(simulator.requests).toEqual([]);
    },
  );

  test("an empty --ignore, or one with a type that only the service knows, is no error", async () => {
    const ignoring = (pattern: string) => driftOf('{"format_version":"1.0"}', "--ignore", pattern);
    expect(await ignoring("")).toMatchObject({ status: 0, stderr: "" });
    expect(await ignoring("capxy/clusters/stray")).toMatchObject({ status: 0, stderr: "" });
  });

  test("an empty state is no error, and a note says that it may be another one", async () => {
    expect(await driftOf('{"format_version":"1.0"}')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^No drift in what the service shows: 0 objects as declared\n\nnote {2}\S+ has no resources: is it from the/,
      ) as string,
    });
  });
});

describe("drift in its formats", () => {
  const renderer = new Renderer();
  afterAll(() => renderer.stop());

  const finding = (findings: readonly DriftFinding[], kind: string) => findings.filter(({ verdict: each }) => each === kind);

  test("has the same findings in every format", async () => {
    addCluster(simulator, "stage", { podSubnet: "10.9.0.0/16" });
    addCluster(simulator, "stray");
    const file = (name: string) => join(folder, name);
    const formats = ["json", "gitlab", "markdown", "text"].flatMap((format) => ["--format", `${format}=${file(format)}`]);
    writeFileSync(file("summary"), "before\n");
    const { status, stdout } = await drift([state(), "--unmanaged", ...formats, "--summary", file("summary")]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    const read = (name: string) => readFileSync(file(name), "utf8");

    const json = JSON.parse(read("json")) as DriftReport;
    expect(json).toMatchObject({ version: 1, drift: true, declared: 3 });
    expect(["MISSING", "CHANGED", "UNMANAGED"].map((kind) => finding(json.findings, kind).length)).toEqual([2, 1, 1]);
    expect(JSON.parse(read("gitlab"))).toEqual({ create: 2, update: 1, delete: 1 });
    expect(read("text")).toContain("to create all missing objects of unchanged again: ");
    expect(read("summary")).toBe(`before\n${read("markdown")}`);

    const page = await renderer.render(read("markdown"));
    expect(page.faults).toEqual([]);
    expect(tablesAreEven(page)).toBe(true);
    expect(page.tables[0]).toHaveLength(5);
    expect(page.details).toBe(4);
  });
});
