import { notesFolder } from "../../../src/host/notes-folder";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TerraformStack, Token } from "cdktf";
import { Construct } from "constructs";
import { ClusterList, ProviderList } from "../../../src/api/lists";
import { comparison } from "../../../src/cli/doctor/compare/comparison";
import { mayBeCreated } from "../../../src/cli/doctor/compare/planned";
import type { LiveService } from "../../../src/cli/doctor/service";
import { connectionsOf, readStack } from "../../../src/cli/doctor/stack";
import { type State, stateIn } from "../../../src/cli/doctor/state";
import { CapvsProvider } from "../../../src/constructs/types/capvs";
import { Platform } from "../../../src/constructs/platform";
import { Engine } from "../../../src/constructs/engine";
import type { PlatformProps } from "../../../src/constructs/platform-props";
import { RetiredPlatform } from "../../../src/constructs/retired-platform";
import { capov } from "../../goldens/capov";
import type { Declared } from "../../../src/declarations/declaration";
import { systemClock } from "../../../src/model/clock";
import { readRunSettings } from "../../../src/host/run-settings";
import type { ClusterPlatformError } from "../../../src/model/errors";
import { Journal } from "../../../src/lifecycle/journal";
import { cluster, provider } from "../../support/capvs";
import { declare } from "../../support/declare";
import { Workspace } from "../../terraform/workspace";
import { fixture } from "../review/plans";

const workspace = new Workspace();
afterAll(() => workspace.remove());

const URL = "https://platform.example.com";
const TERRAFORM_DATA = { engine: Engine.TERRAFORM_DATA };

interface Had {
  readonly type?: string;
  readonly name: string;
  readonly index: string | undefined;
  readonly tainted?: boolean;
  readonly module?: string;
  readonly values?: object;
}

/** The state after an apply that has waited for the clusters. */
function stateOf(...had: Had[]): State {
  const prefixes = had.flatMap(({ type, name }) => (type === undefined ? (/^(\w+_|)capvs_\w+s$/.exec(name)?.[1] ?? []) : []));
  const all = [...new Set(prefixes)].flatMap((prefix) => [waits(`${prefix}readiness`), waits(`${prefix}ready`)]);
  return stateOfOnly(...had, ...all);
}

const waits = (name: string): Had => ({ name: `cluster_platform_${name}`, index: undefined });

function stateOfOnly(...had: Had[]): State {
  const resources = had.map(({ type = "terraform_data", name, index, tainted, values }) => ({
    address: type.startsWith("clusterplatform_") || index === undefined ? `${type}.${name}` : `${type}.${name}["${index}"]`,
    mode: "managed",
    type,
    name,
    index,
    tainted,
    values: {
      id: `id-of-${index}`,
      triggers_replace: { name: index, ...values },
      triggers: { name: index, ...values },
      ...(type.startsWith("clusterplatform_") && { service: URL }),
      ...values,
    },
  }));
  const root_module = { resources };
  return stateIn({ format_version: "1.0", values: { root_module } }, "state", "state");
}

type Program = (stack: TerraformStack) => void;

/** Everything that the tests declare with the props of test/support/capvs.ts, as an apply stores it. */
const declaredObjects = (engine: Engine) => {
  const { stackFolder } = workspace.synth((stack) => {
    new Platform(stack, "platform", { engine });
    const on = provider(stack);
    for (const name of ["prod", "old", "half", "stage"]) cluster(stack, name, on);
  });
  return readStack(stackFolder);
};

const triggersOf: ReadonlyMap<string, object> = new Map(
  declaredObjects(Engine.TERRAFORM_DATA).platforms[0]!.declared.map(({ name, entry }) => [name, entry.triggers]),
);
const { resource: argumentsOf } = declaredObjects(Engine.PROVIDER).synthesized as {
  resource: Readonly<Record<string, Readonly<Record<string, object>>>>;
};

const providerIs = (name: string): Had => ({ name: "capvs_providers", index: name, values: triggersOf.get(name) });
const clusterIs = (name: string, more: Partial<Had> = {}): Had => ({
  name: "capvs_clusters",
  index: name,
  values: triggersOf.get(name),
  ...more,
});

/** An object of the package's own provider. */
const pluginHas = (kind: "cluster" | "provider", name: string): Had => ({
  type: `clusterplatform_capvs_${kind}`,
  name,
  index: name,
  values: { ...argumentsOf[`clusterplatform_capvs_${kind}`]![name], ...(kind === "cluster" && { provider_name: "vsphere" }) },
});

/** The deletion guard of the last apply. */
const guardOf = (...ids: readonly string[]) => recorderOf("deletion_guard", ids);
/** The orphan check of the last apply. */
const checkOf = (...ids: readonly string[]) => recorderOf("orphan_check", ids);

function recorderOf(name: string, ids: readonly string[]): Had {
  const objects = Object.fromEntries(ids.map((id) => [id, ""]));
  return { name: `cluster_platform_${name}`, index: "", values: { triggers_replace: { objects } } };
}

function serviceOf(
  clusters: readonly string[],
  providers: readonly string[],
  on = "vsphere",
  phase = "Provisioned",
): LiveService {
  const items = clusters.map((clusterName) => ({
    clusterName,
    providerType: "capvs",
    providerConfigID: on,
    phase,
  }));
  return {
    url: URL,
    clusters: new ClusterList("/", { items, count: items.length }),
    providers: new ProviderList("/", [{ providerType: "capvs", configs: providers.map((name) => ({ name })) }]),
  };
}

/** The findings as `verdict subject: message`. */
function found(
  declare: (stack: TerraformStack) => void,
  state: State,
  service: LiveService,
  env: NodeJS.ProcessEnv = {},
): string[] {
  const stack = readStack(workspace.synth(declare).stackFolder);
  const services = new Map(connectionsOf(stack).map((literals) => [JSON.stringify(literals), service]));
  return [...comparison(stack, state, services, env)].map(({ verdict, subject, message }) => `${verdict} ${subject}: ${message}`);
}

const withVsphere =
  (props: PlatformProps = {}): Program =>
  (stack) => {
    new Platform(stack, "platform", { ...TERRAFORM_DATA, ...props });
    provider(stack);
  };
const withProd =
  (props: PlatformProps = {}, declared: Parameters<typeof cluster>[3] = {}): Program =>
  (stack) => {
    new Platform(stack, "platform", { ...TERRAFORM_DATA, ...props });
    cluster(stack, "prod", provider(stack), declared);
  };
const declaring = withProd();

type Text = string | RegExp;
/** All findings in their order, or a matcher of them. */
type Said = Text | readonly Text[] | ReturnType<typeof some>;
type Case = [what: string, program: Program, state: State, service: LiveService, said: Said, env?: NodeJS.ProcessEnv];

const is = (text: Text): unknown => (typeof text === "string" ? text : expect.stringMatching(text));
const some = (text: Text) => ({ matcher: expect.arrayContaining([is(text)]) as unknown });
const none = (text: RegExp) => ({ matcher: expect.not.arrayContaining([is(text)]) as unknown });
const good = /^good state/;

function matcherOf(said: Said): unknown {
  if (typeof said === "object" && "matcher" in said) return said.matcher;
  return [said].flat().map((text) => is(text as Text));
}

function cases(group: string, rows: Case[]): void {
  describe(group, () => {
    test.each(rows)("%s", (_, program, state, service, said, env = {}) => {
      expect(found(program, state, service, env)).toEqual(matcherOf(said));
    });
  });
}

test.each([Engine.TERRAFORM_DATA, Engine.PROVIDER])(
  "an object that left the code is somebody else's if it lives on another provider, on %s",
  (engine) => {
    const state =
      engine === Engine.PROVIDER
        ? stateOf(pluginHas("provider", "vsphere"), pluginHas("cluster", "prod"))
        : stateOf(providerIs("vsphere"), clusterIs("prod"));
    const said = found(withVsphere({ engine }), state, serviceOf(["prod"], ["vsphere", "other"], "other"));
    expect(said.filter((line) => line.startsWith("wrong"))).toEqual([
      expect.stringMatching(
        /^wrong state: cluster prod: .* is a capvs cluster on provider other, .* will fail\. .*retain: \["capvs\/clusters\/prod"\].*\[NOT_OURS\]$/,
      ),
    ]);
  },
);

test("a matching stack, state and service give no problem", () => {
  const state = stateOf(providerIs("vsphere"), clusterIs("prod"));
  expect(found(declaring, state, serviceOf(["prod", "of-others"], ["vsphere", "of-others"]))).toEqual([
    "good state: 2 objects, and the service has all of them unchanged",
  ]);
});

test("an object whose create did not finish is not one that the service has", () => {
  const state = stateOf(providerIs("vsphere"), clusterIs("prod", { tainted: true }));
  expect(found(declaring, state, serviceOf([], ["vsphere"]))).toEqual([
    "good state: 1 object, and the service has all of them unchanged",
  ]);
});

test.each([Engine.TERRAFORM_DATA, Engine.PROVIDER])("a cluster that an apply waits for may take too long, on %s", (engine) => {
  const pending = serviceOf(["prod"], ["vsphere"], "vsphere", "Pending");
  const waiting = (waitForReady: boolean) => withProd({ engine }, { waitForReady });
  const readyIn = (names: readonly string[]): Had => ({
    type: "clusterplatform_ready",
    name: "ready",
    index: undefined,
    values: { objects: { "capvs/clusters/prod": "1" }, wait_for: names.map((name) => `capvs/clusters/${name}`) },
  });
  const state = (...names: string[]) =>
    engine === Engine.PROVIDER
      ? stateOf(pluginHas("provider", "vsphere"), pluginHas("cluster", "prod"), readyIn(names))
      : stateOf(providerIs("vsphere"), clusterIs("prod"));
  const waits =
    "doubtful state: capvs/clusters/prod is not ready (its phase is Pending): an apply that waits for it fails if that takes longer than timeouts.readySeconds [READY_TIMEOUT]";
  expect(found(waiting(true), state("prod"), pending)).toContain(waits);
  expect(found(waiting(false), state(), pending)).not.toContain(waits);
  const leaving = serviceOf(["prod"], ["vsphere"], "vsphere", "Deleting");
  expect(found(waiting(false), state(), leaving)).toContain(
    "doubtful state: the service is deleting capvs/clusters/prod: an apply that waits for it fails [READY_TIMEOUT]",
  );
});

const live = serviceOf(["prod"], ["vsphere"]);
const vsphere = stateOf(providerIs("vsphere"));
const applied = stateOf(providerIs("vsphere"), clusterIs("prod"));
const adopting = { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" };

cases("a live object under a declared name", [
  [
    "is reported",
    declaring,
    vsphere,
    live,
    /^wrong name: the name of cluster prod is taken by a capvs cluster .* an apply will fail\. .*CLUSTER_PLATFORM_ADOPT=capvs\/clusters\/prod \[NAME_TAKEN\]$/,
  ],
  [
    "is reported if its instance is tainted",
    declaring,
    stateOf(providerIs("vsphere"), clusterIs("prod", { tainted: true })),
    live,
    /\[NAME_TAKEN\]/,
  ],
  [
    "is good if the apply adopts it",
    declaring,
    vsphere,
    live,
    [/^good name: .*prod is on the service, and an apply adopts it/, /^good state/],
    adopting,
  ],
  [
    "is reported if it differs from what the apply adopts",
    declaring,
    stateOf(),
    serviceOf(["prod"], ["vsphere"], "other"),
    [
      /^wrong name: .* provider is other, declared is vsphere: an apply will fail\..*\[ADOPT_MISMATCH\]$/,
      /^wrong name: the name of capvs provider vsphere is taken .*\[NAME_TAKEN\]$/,
    ],
    adopting,
  ],
]);

describe("the notes of this machine decide as in an apply:", () => {
  const prod = { type: "capvs", kind: "clusters", name: "prod" } as const;
  const place = { url: URL, workspace: "default", platform: "", run: "1" };
  const declared: Declared = Object.fromEntries(
    Object.entries(triggersOf.get("prod")!).map(([field, value]) => [field, String(value)]),
  );
  type Notes = (journal: Journal) => void;
  const sent =
    (more: Declared): Notes =>
    (journal) =>
      void journal.writeCreation(prod, { declared: { ...declared, ...more } });
  const changed = sent({ productVersion: "2.4.0" });
  const contradicted: Notes = (journal) => {
    changed(journal);
    journal.contradict(prod);
  };
  const deleted: Notes = (journal) => void journal.writeDeletion(prod, "id-of-prod");
  const nothing: Notes = () => undefined;
  const leaving = { clusterName: "prod", providerType: "capvs", providerConfigID: "vsphere", phase: "Deleting" };
  const gone = { ...live, clusters: new ClusterList("/", { items: [leaving], count: 1 }) };
  const spelled = serviceOf(["PROD"], ["vsphere"]);

  test.each<[what: string, write: Notes, state: State, service: LiveService, said: RegExp, env?: NodeJS.ProcessEnv]>([
    ["a create", sent({}), vsphere, live, /^doubtful name: .*an interrupted apply was creating it/],
    [
      "a create with another declaration",
      changed,
      vsphere,
      live,
      /^wrong name: .*: an apply will fail\. .*declare what was sent then.* \[NAME_TAKEN\]$/,
    ],
    [
      "a create with another declaration than the apply adopts",
      changed,
      vsphere,
      live,
      /^wrong name: cluster prod cannot be adopted, .*since then productVersion changed .* \[ADOPT_MISMATCH\]$/,
      adopting,
    ],
    [
      "another spelling",
      nothing,
      vsphere,
      spelled,
      /^wrong name: .* is taken by PROD, a capvs cluster .* the name PROD included.* \[NAME_TAKEN\]$/,
      adopting,
    ],
    ["an object that the service deletes", nothing, vsphere, gone, /^doubtful name: the service is deleting /, adopting],
    [
      "a deletion",
      deleted,
      vsphere,
      live,
      /^doubtful name: this stack has asked the service to delete .* lists still show it/,
      adopting,
    ],
    [
      "another declaration of an object in the state",
      contradicted,
      applied,
      live,
      /^doubtful state: an earlier apply has sent another declaration of capvs\/clusters\/prod .*\[ADOPT_MISMATCH\]$/,
    ],
  ])("%s", (_, write, state, service, said, env = {}) => {
    const folder = join(workspace.synth(declaring).stackFolder, ".cluster-platform");
    write(new Journal({ ...place, notes: notesFolder(folder) }, systemClock));
    const findings = found(declaring, state, service, env);
    rmSync(folder, { recursive: true, force: true });
    expect(findings.filter((finding) => !good.test(finding))).toEqual(matcherOf(said));
  });
});

const on =
  (name: string, kubernetesVersion?: string, declared: object = {}, props: PlatformProps = {}): Program =>
  (stack) => {
    new Platform(stack, "platform", { ...TERRAFORM_DATA, deletionProtection: false, ...props });
    cluster(stack, "prod", CapvsProvider.fromName(name), { kubernetesVersion, ...declared });
  };
const misspelled = on("vpshere-eu");

cases("an unregistered provider", [
  [
    "is reported with the most similar name",
    misspelled,
    stateOf(),
    serviceOf([], ["gcp", "vsphere-eu", "vsphere-us-east"]),
    /^wrong provider: capvs\/providers\/vpshere-eu, on which capvs\/clusters\/prod is declared, .* Is vsphere-eu meant\?/,
  ],
  ["is reported alone if no name is similar", misspelled, stateOf(), serviceOf([], ["gcp"]), /^wrong provider: (?!.*Is gcp)/],
  [
    "is reported without a state",
    misspelled,
    { problem: "x" },
    serviceOf([], []),
    [/^wrong provider/, /^doubtful state: unknown, because x\. /],
  ],
]);

test("a provider that another stack beside this one registers is doubtful", () => {
  const beside = join(workspace.synth(misspelled).stackFolder, "../network");
  mkdirSync(beside, { recursive: true });
  const locals = { capvs_providers: { "vpshere-eu": '{"path":"p","triggers":{}}' } };
  writeFileSync(join(beside, "cdk.tf.json"), JSON.stringify({ locals }));
  expect(found(misspelled, stateOf(), serviceOf([], []))).toEqual([
    expect.stringMatching(/^doubtful provider: .* is not registered yet: first apply the stack network/),
  ]);
  rmSync(beside, { recursive: true });
});

const offering: LiveService = {
  ...serviceOf(["prod"], []),
  providers: new ProviderList("/", [{ providerType: "capvs", configs: [{ name: "vsphere", kubeVers: ["v1.28.3"] }] }]),
};

cases("the provider of a cluster in the state", [
  [
    "is doubtful if a plan compares the changed cluster with the live one, which differs from the state",
    on("vsphere", "v1.29.0", {}, { engine: Engine.PROVIDER }),
    stateOf(pluginHas("cluster", "prod")),
    serviceOf(["prod"], [], "another"),
    some(/^doubtful provider/),
  ],
  [
    "is wrong if a plan certainly replaces the cluster",
    on("vsphere", "v1.29.0", {}, { engine: Engine.PROVIDER }),
    stateOf(pluginHas("cluster", "prod")),
    serviceOf(["prod"], []),
    some(/^wrong provider/),
  ],
  [
    "is doubtful if it is missing",
    on("vsphere"),
    stateOf(clusterIs("prod")),
    serviceOf(["prod"], []),
    some(/^doubtful provider: /),
  ],
  [
    "is wrong if the cluster is replaced and it is missing",
    on("vspere"),
    stateOf(clusterIs("prod")),
    offering,
    some(/^wrong provider: capvs\/providers\/vspere, .* Is vsphere meant\?/),
  ],
  [
    "must offer another version that the cluster is replaced with",
    on("vsphere", "v1.29.1"),
    stateOf(clusterIs("prod")),
    offering,
    some(
      "wrong capvs/clusters/prod: no template of the provider vsphere offers the declared kubernetesVersion v1.29.1, only v1.28.3",
    ),
  ],
  [
    "must offer the version of a cluster that is to be adopted and that nothing on the service is",
    on("vsphere", "v1.29.1", { adopt: true }),
    stateOf(),
    { ...offering, clusters: serviceOf([], []).clusters },
    [/^wrong capvs\/clusters\/prod: no template of the provider vsphere offers/],
  ],
  [
    "must offer the version of a cluster that is replaced, because an adoption finds nothing between",
    on("vsphere", "v1.29.1", { adopt: true }),
    stateOf(clusterIs("prod")),
    offering,
    some(/^wrong capvs\/clusters\/prod: no template of the provider vsphere offers/),
  ],
  [
    "may lack the version of a changed cluster that the run adopts in place",
    on("vsphere", "v1.29.1", {}, { retain: ["prod"] }),
    stateOf(clusterIs("prod")),
    offering,
    none(/^wrong/),
    { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" },
  ],
  [
    "may lack the version of a live cluster that is adopted",
    on("vsphere", "v1.29.1", { adopt: true }),
    stateOf(),
    offering,
    none(/^wrong/),
  ],
  ["may offer the version", on("vsphere", "v1.28.3"), stateOf(clusterIs("prod")), offering, none(/^wrong/)],
]);

const lists = (retain: string[]) =>
  withProd({ deletionProtection: ["prd-*", "prod", "old", "*/clusters/*"], allowDeletion: ["older"], retain });

cases("entries of the Platform's lists are reported", [
  [
    "if they match nothing",
    lists(["gone"]),
    applied,
    serviceOf(["prod", "old"], ["vsphere"]),
    [
      /^doubtful deletionProtection: the Platform names prd-\*, old, which neither .* misspelled/,
      /^doubtful allowDeletion: the Platform names older,/,
      /^doubtful retain: the Platform names gone,/,
    ],
  ],
  [
    "if they cause a refusal",
    lists(["odl"]),
    stateOf(providerIs("vsphere"), clusterIs("prod"), clusterIs("old")),
    serviceOf(["prod", "old"], ["vsphere"]),
    [
      /^wrong deletionProtection: capvs\/clusters\/old left the code and is protected: .*\[PROTECTED\]$/,
      /^doubtful deletionProtection: .* prd-\*, which/,
      /^doubtful allowDeletion/,
      /^wrong retain: the Platform names odl, .* refuses to delete capvs\/clusters\/old/,
    ],
  ],
]);

const gone = /^wrong Platform: the state has capvs\/providers\/vsphere, capvs\/clusters\/prod of the Platform, which was removed/;
const ofNull =
  /^wrong Platform: the state has capvs\/providers\/vsphere, capvs\/clusters\/prod of the Platform, which has another engine .* forget .* Set migrateFrom: Engine\.NULL_RESOURCE on it/;
const retired =
  (props: PlatformProps): Program =>
  (stack) =>
    void new RetiredPlatform(stack, "platform", { ...TERRAFORM_DATA, ...props });
const onNull = stateOf(...[providerIs("vsphere"), clusterIs("prod")].map((each) => ({ ...each, type: "null_resource" })));

const switched = /^wrong engine: .* in terraform_data\.capvs_\w+, .*\[ENGINE_SWITCHED\]$/;

cases("objects that an apply would forget are reported", [
  [
    "of a removed Platform",
    (stack) => void new Platform(stack, "platform", { ...TERRAFORM_DATA, name: "eu" }),
    applied,
    live,
    gone,
  ],
  [
    "but not of a retired one, which protects them",
    retired({}),
    applied,
    live,
    /^wrong deletionProtection: .* To delete it, write allowDeletion: \["prod"\] on the Platform in the same change\. .* write retain: \["prod"\] on the Platform \[PROTECTED\]$/,
  ],
  [
    "but not of a retired one that may delete them",
    retired({ allowDeletion: ["prod"] }),
    applied,
    live,
    /^good state: 2 objects/,
  ],
  ["of another engine", declaring, onNull, live, ofNull],
  [
    "of a Platform that is the provider's now, and nothing is refused",
    withVsphere({ engine: Engine.PROVIDER }),
    onNull,
    live,
    ofNull,
  ],
  ["and not as missing", withVsphere({ engine: Engine.PROVIDER }), onNull, serviceOf([], []), ofNull],
  ["but not of another engine that they move from", withProd({ migrateFrom: Engine.NULL_RESOURCE }), onNull, live, good],
  ["of the other engine", withProd({ engine: Engine.NULL_RESOURCE }), applied, live, [switched, switched]],
]);

describe("an object at the address of another one", () => {
  const on =
    (engine: Engine, ...names: string[]): Program =>
    (stack) => {
      new Platform(stack, "platform", { engine });
      const registered = provider(stack);
      for (const name of names) cluster(stack, name, registered);
    };
  const hook = (key: string) => `terraform_data.capvs_clusters["${key}"]`;
  const plugin = (id: string) => `clusterplatform_capvs_cluster.${id}`;
  const service = serviceOf(["prod", "old", "stage"], ["vsphere"]);
  const [rm, mv] = [
    (address: string) => `terraform state rm '${address}'`,
    (from: string, to: string) => `terraform state mv '${from}' '${to}'`,
  ];
  const said = (name: string, at: string, expected: string, way: string) =>
    `wrong state: the state has capvs/clusters/${name} at ${at}, and the code expects it at ${expected}: an apply will fail. ${way} [DECLARED_ELSEWHERE]`;
  const TWICE = "The state has it there, too. Remove this entry: ";
  const AFTER = "The commands above move it, too";

  describe.each([
    [Engine.TERRAFORM_DATA, hook, clusterIs, providerIs("vsphere")],
    [
      Engine.PROVIDER,
      plugin,
      (name: string, more?: Partial<Had>) => ({ ...pluginHas("cluster", name), ...more }),
      pluginHas("provider", "vsphere"),
    ],
  ] as const)("on %s", (engine, at, has, registered) => {
    const entry = (key: string, name: string, more: Partial<Had> = {}) =>
      has(name, engine === Engine.PROVIDER ? { name: key, ...more } : { index: key, ...more });
    const wrong = (names: readonly string[], ...entries: Had[]) =>
      found(on(engine, ...names), stateOf(registered, ...entries), service).filter((finding) =>
        finding.includes("expects it at"),
      );

    test("moves back", () => {
      expect(wrong(["prod"], entry("old", "prod"))).toEqual([
        said("prod", at("old"), at("prod"), `Move it: ${mv(at("old"), at("prod"))}`),
      ]);
    });

    test("replaces a tainted one at its own address", () => {
      expect(wrong(["prod"], entry("prod", "prod", { tainted: true }), entry("old", "prod"))).toEqual([
        said("prod", at("old"), at("prod"), `Move it: ${rm(at("prod"))}, then ${mv(at("old"), at("prod"))}`),
      ]);
    });

    test("is one too many if the state has it at its own address, too", () => {
      for (const entries of [
        [entry("prod", "prod"), entry("old", "prod")],
        [entry("old", "prod"), entry("prod", "prod")],
      ]) {
        expect(wrong(["prod"], ...entries)).toEqual([said("prod", at("old"), at("prod"), TWICE + rm(at("old")))]);
      }
    });

    test("waits for the one in its way", () => {
      expect(wrong(["prod", "old"], entry("old", "prod"), entry("stage", "old"))).toEqual([
        said("prod", at("old"), at("prod"), `Move it: ${mv(at("old"), at("prod"))}`),
        said("old", at("stage"), at("old"), `Move it: ${mv(at("stage"), at("old"))}`),
      ]);
      expect(wrong(["prod", "old"], entry("stage", "old"), entry("old", "prod"))).toEqual([
        said("old", at("stage"), at("old"), `Move it: ${mv(at("old"), at("prod"))}, then ${mv(at("stage"), at("old"))}`),
        said("prod", at("old"), at("prod"), AFTER),
      ]);
    });

    test("goes aside if both are in the way of each other", () => {
      const commands = [mv(at("prod"), at("prod_aside")), mv(at("old"), at("prod")), mv(at("prod_aside"), at("old"))];
      expect(wrong(["prod", "old"], entry("prod", "old"), entry("old", "prod"))).toEqual([
        said("old", at("prod"), at("old"), `Move it: ${commands.join(", then ")}`),
        said("prod", at("old"), at("prod"), AFTER),
      ]);
    });
  });

  test("is not created again by its move", () => {
    const misplaced = stateOf(providerIs("vsphere"), clusterIs("prod", { index: "old" }));
    expect(found(on(Engine.TERRAFORM_DATA, "prod"), misplaced, serviceOf([], ["vsphere"]))).toEqual([
      said("prod", hook("old"), hook("prod"), `Move it: ${mv(hook("old"), hook("prod"))}`),
      "doubtful state: capvs/clusters/prod is in the state but not on the service. Move its instance as another line says, and run the doctor again",
    ]);
  });

  test("is there because of a moved block, which has to go", () => {
    const moving: Program = (stack) => {
      on(Engine.TERRAFORM_DATA, "prod", "old")(stack);
      stack.addOverride("moved", [{ from: hook("prod"), to: hook("old") }]);
    };
    expect(found(moving, applied, service)).toContainEqual(said("prod", hook("prod"), hook("prod"), "Remove the moved block"));
  });

  test("moves to the Platform to which a moved block gives it", () => {
    const moving: Program = (stack) => {
      on(Engine.TERRAFORM_DATA, "prod")(stack);
      stack.addOverride("moved", [{ from: `terraform_data.eu_capvs_clusters["old"]`, to: hook("old") }]);
    };
    const state = stateOf(providerIs("vsphere"), clusterIs("prod", { name: "eu_capvs_clusters", index: "old" }));
    const from = `terraform_data.eu_capvs_clusters["old"]`;
    expect(found(moving, state, service)).toContainEqual(said("prod", from, hook("prod"), `Move it: ${mv(from, hook("prod"))}`));
  });

  test("is refused by the provider if it was imported there", () => {
    const imported = { ...argumentsOf.clusterplatform_capvs_cluster!.old, provider_name: "vsphere", declared_at: null };
    const state = stateOf(pluginHas("provider", "vsphere"), { ...pluginHas("cluster", "prod"), values: imported });
    expect(found(on(Engine.PROVIDER, "prod"), state, serviceOf(["old"], ["vsphere"]))).toEqual([
      `wrong state: ${plugin("prod")} was imported as capvs/clusters/old, and the code declares capvs/clusters/prod there: a plan will fail. Remove it: ${rm(plugin("prod"))} [ADOPT_MISMATCH]`,
    ]);
  });
});

describe("a moved block", () => {
  const renamed =
    (props: PlatformProps, ...moved: string[]): Program =>
    (stack) => {
      new Platform(stack, "platform", { ...TERRAFORM_DATA, name: "eu", ...props });
      provider(stack);
      stack.addOverride(
        "moved",
        moved.map((id) => ({
          from: `terraform_data.${id}`,
          to: `terraform_data.${id.replace(/^(cluster_platform_)?/, "$1eu_")}`,
        })),
      );
    };
  const blocks = ["capvs_providers", "capvs_clusters"];
  const guard = "cluster_platform_deletion_guard";
  const had = [providerIs("vsphere"), clusterIs("prod")];
  const isProtected = some(/^wrong deletionProtection: capvs\/clusters\/prod left the code and is protected: .*\[PROTECTED\]$/);

  cases("of a whole block brings its objects to the other Platform, and", [
    [
      "an object there that leaves the code is protected",
      renamed({ deletionProtection: ["prod"] }, ...blocks),
      stateOf(...had),
      live,
      isProtected,
    ],
    [
      "also if the deletion guard moves along",
      renamed({ deletionProtection: ["prod"] }, ...blocks, guard),
      stateOf(...had, guardOf("capvs/providers/vsphere", "capvs/clusters/prod")),
      live,
      isProtected,
    ],
    ["the others are as before", renamed({ deletionProtection: false }, ...blocks), stateOf(providerIs("vsphere")), live, good],
    [
      "one that the new block has already stops it",
      renamed({ deletionProtection: false }, ...blocks),
      stateOf(...had, clusterIs("old", { name: "eu_capvs_clusters" })),
      live,
      some(/^wrong Platform: the state has capvs\/clusters\/prod of the Platform, which was removed from the code/),
    ],
  ]);

  test("does not make an object of somebody's own resource", () => {
    const taking: Program = (stack) => {
      declaring(stack);
      stack.addOverride("moved", [{ from: "terraform_data.mine", to: 'terraform_data.capvs_clusters["prod"]' }]);
    };
    const mine = { name: "mine", index: undefined, values: { triggers_replace: null } };
    expect(found(taking, stateOf(providerIs("vsphere"), mine), serviceOf([], ["vsphere"]))).toEqual([
      'wrong state: terraform_data.mine has no declaration in the state, and the code moves it to terraform_data.capvs_clusters["prod"], whose hooks cannot use it: an apply will fail. Remove that moved block [NOT_OURS]',
    ]);
  });
});

describe("an instance whose destroy hook refuses", () => {
  const service = serviceOf(["prod"], ["vsphere"]);
  const moving = (stack: TerraformStack) => {
    new Platform(stack, "platform", { ...TERRAFORM_DATA, migrateFrom: Engine.NULL_RESOURCE });
    cluster(stack, "prod", provider(stack));
  };
  const older = (more: Partial<Had> = {}) => clusterIs("prod", { type: "null_resource", ...more });
  const inPassage = () => older({ name: "capvs_clusters_moving_prod", index: undefined });
  const newer = (more: Partial<Had> = {}) => clusterIs("prod", more);
  const [from, to] = ['null_resource.capvs_clusters["prod"]', 'terraform_data.capvs_clusters["prod"]'];
  const passage = "null_resource.capvs_clusters_moving_prod";

  test.each([
    ["cannot move, because the new address has another one", () => [older(), newer()], from, from],
    ["cannot move to a tainted one", () => [older(), newer({ tainted: true })], from, to],
    ["cannot leave its passage", () => [inPassage(), newer()], passage, passage],
  ])("%s", (_, had, at, superfluous) => {
    const twice = `the state has it twice, in ${at} and in ${to}, so Terraform cannot move it`;
    expect(found(moving, stateOf(providerIs("vsphere"), ...had()), service)).toEqual([
      expect.stringMatching(
        new RegExp(`^wrong engine: ${literal(twice)}.* rm '${literal(superfluous)}' \\[DECLARED_ELSEWHERE\\]$`),
      ),
    ]);
  });

  test("is not a tainted one, nor one in a passage that is free", () => {
    for (const had of [[older({ tainted: true }), newer()], [inPassage()]]) {
      const state = stateOf(providerIs("vsphere"), ...had);
      expect(found(moving, state, service)).toEqual([expect.stringMatching(/^good state/)]);
    }
  });

  test("is not one in a circle of moves, which Terraform refuses", () => {
    const circle = (stack: TerraformStack) => {
      declaring(stack);
      stack.addOverride("moved", [
        { from, to },
        { from: to, to: from },
      ]);
    };
    expect(found(circle, stateOf(providerIs("vsphere"), newer()), service)).toEqual([expect.stringMatching(/^good state/)]);
  });

  test.each([["deletion_guard"], ["orphan_check"]])("is a %s that was imported", (resource) => {
    const imported = (more: Partial<Had> = {}): Had => ({
      ...{ name: `cluster_platform_${resource}`, index: undefined },
      ...{ values: { triggers_replace: null }, ...more },
    });
    const address = `terraform_data.cluster_platform_${resource}`;
    const state = (more?: Partial<Had>) => stateOf(providerIs("vsphere"), clusterIs("prod"), imported(more));
    expect(found(declaring, state(), service)).toEqual([
      expect.stringMatching(
        new RegExp(`^wrong state: ${address} has no list .* an apply will fail.*rm '${address}'.*\\[INVALID_SETTING\\]$`),
      ),
    ]);
    expect(found(declaring, state({ tainted: true }), service)).toEqual([expect.stringMatching(/^good state/)]);
  });

  test.each<[string, object]>([
    ["was imported", { triggers_replace: null }],
    ["has no name", { triggers_replace: { provider: "vsphere" } }],
    ["has no provider", { triggers_replace: { name: "prod" } }],
  ])("%s", (_, values) => {
    const imported: Had = { name: "capvs_clusters", index: "prod", values };
    const problem = `${to} has no declaration in the state, as after 'terraform import'`;
    expect(found(declaring, stateOf(providerIs("vsphere"), imported), service)[0]).toMatch(
      new RegExp(`^wrong state: ${literal(problem)}.* terraform state rm '${literal(to)}'.*=capvs/clusters/prod \\[NOT_OURS\\]$`),
    );
    const tainted = stateOf(providerIs("vsphere"), { ...imported, tainted: true });
    expect(found(declaring, tainted, service).filter((finding) => finding.includes("import"))).toEqual([]);
    const forgetting = (stack: TerraformStack) => void new Platform(stack, "platform", { ...TERRAFORM_DATA, name: "eu" });
    expect(found(forgetting, stateOf(imported), service).filter((finding) => finding.includes("import"))).toEqual([]);
  });
});

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

test("a Platform may get another name, or another engine without a move, if the apply adopts the objects", () => {
  const service = serviceOf(["prod"], ["vsphere"]);
  const had = stateOf(providerIs("vsphere"), clusterIs("prod"));
  const adopting = { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod,capvs/providers/vsphere" };
  const on = (props: PlatformProps) => (stack: TerraformStack) => {
    new Platform(stack, "platform", props);
    cluster(stack, "prod", provider(stack));
  };
  const adopts = "good name: capvs/clusters/prod is on the service, and an apply adopts it";
  for (const props of [{ ...TERRAFORM_DATA, name: "eu" }, { engine: Engine.PROVIDER }]) {
    expect(found(on(props), had, service)).toEqual([
      expect.stringMatching(
        /^wrong Platform: the state has capvs\/providers\/vsphere, capvs\/clusters\/prod of the Platform, which/,
      ),
    ]);
    for (const tainted of [false, true]) {
      const state = stateOf(providerIs("vsphere"), clusterIs("prod", { tainted }));
      const all = found(on(props), state, service, adopting);
      expect(all).not.toContainEqual(expect.stringMatching(/^(wrong|doubtful)/));
      if (tainted || "name" in props) expect(all).toContainEqual(adopts);
    }
  }
});

test("a deletion guard looks for the objects that it knows, also if the state has lost them", () => {
  const had = [providerIs("vsphere"), clusterIs("prod")];
  const guards = [["half"], ["half", "prod"], ["prod"]].map((names) => guardOf(...names.map((name) => `capvs/clusters/${name}`)));
  const said = guards.map((guard) => found(declaring, stateOf(...had, guard), serviceOf(["prod"], ["vsphere"])));
  expect(said.map((all) => all.filter((line) => line.includes("OBJECT_MISSING")))).toEqual([
    [
      "wrong state: capvs/clusters/half, the only object that the deletion guard in the state has, is not on the service at https://platform.example.com: an apply will fail. " +
        "If the URL is right, set CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/half [OBJECT_MISSING]",
    ],
    [],
    [],
  ]);
});

test("an object of an unfinished create may leave the code, unless a deletion guard knows it, or the orphan check does and it lives", () => {
  const half = clusterIs("half", { tainted: true });
  const had = [providerIs("vsphere"), clusterIs("prod"), half];
  const guard = guardOf("capvs/providers/vsphere", "capvs/clusters/prod", "capvs/clusters/half");
  const refused = expect.stringMatching(
    /^wrong deletionProtection: capvs\/clusters\/half left the code .*\[PROTECTED\]$/,
  ) as string;
  const lives = expect.stringMatching(
    /^wrong state: removed from the code, but still on the service: capvs\/clusters\/half: an apply will fail\. .* and then remove it with allowDeletion: \["capvs\/clusters\/half"\] on the Platform \[STILL_LIVE\]$/,
  ) as string;
  expect(found(declaring, stateOf(...had), serviceOf(["prod"], ["vsphere"]))).toEqual([expect.stringMatching(/^good state/)]);
  const service = serviceOf(["prod", "half"], ["vsphere"]);
  const check = checkOf("capvs/providers/vsphere", "capvs/clusters/prod", "capvs/clusters/half");
  expect(found(declaring, stateOf(...had, check), service)).toEqual([lives]);
  expect(found(declaring, stateOf(...had, check, guard), service)).toEqual([refused, lives]);
  expect(found(declaring, stateOf(...had, { ...check, tainted: true }), service)).toEqual([
    expect.stringMatching(
      /^doubtful state: capvs\/clusters\/half left the code and is tainted, and the orphan check does not know it: an apply leaves it on the service\. If cluster half is this stack's: /,
    ),
  ]);
  const notes = notesFolder(join(workspace.stackFolder, ".cluster-platform"));
  const journal = new Journal({ notes, url: URL, workspace: "blue", platform: "", run: "1" }, systemClock);
  journal.writeCreation({ type: "capvs", kind: "clusters", name: "half" }, { declared: {} });
  expect(found(declaring, stateOf(...had), service, { TF_WORKSPACE: "blue" })).toEqual([
    expect.stringMatching(/^wrong state: on the service but not in the state: capvs\/clusters\/half: an apply will fail\./),
  ]);
  rmSync(join(workspace.stackFolder, ".cluster-platform"), { recursive: true });
  expect(found(declaring, stateOf(...had, guard), serviceOf(["prod"], ["vsphere"]))).toEqual([refused]);
});

describe("with the package's own provider", () => {
  const PROVIDER = { engine: Engine.PROVIDER };
  let had: State;
  beforeAll(() => (had = stateOf(pluginHas("provider", "vsphere"), pluginHas("cluster", "prod"))));

  test("a protected cluster may move to another Platform", () => {
    const moving = (move: boolean) => (stack: TerraformStack) => {
      new Platform(stack, "platform", PROVIDER);
      const on = provider(stack);
      const lab = new Platform(stack, "lab", { ...PROVIDER, name: "lab" });
      const prod = cluster(stack, "prod", on, { platform: lab });
      if (move) prod.moveFromId("clusterplatform_capvs_cluster.prod");
    };
    const service = serviceOf(["prod"], ["vsphere"]);
    expect(found(moving(true), had, service)).toEqual([expect.stringMatching(/^good state/)]);
    expect(found(moving(false), had, service)).toEqual([
      "wrong name: the state has capvs/clusters/prod at clusterplatform_capvs_cluster.prod, and the code declares it on the Platform lab: an apply will fail. " +
        "Write a moved block from the one address to the other [DECLARED_ELSEWHERE]",
    ]);
  });

  test("objects of a Platform that has hooks now are lost, also if another Platform keeps the provider", () => {
    const keeping = (props: PlatformProps) => (stack: TerraformStack) => {
      new Platform(stack, "eu", { ...PROVIDER, name: "eu" });
      cluster(stack, "prod", provider(stack, "vsphere", { platform: new Platform(stack, "platform", props) }), {
        platform: stack.node.findChild("platform") as Platform,
      });
    };
    const service = serviceOf(["prod"], ["vsphere"]);
    expect(found(keeping(TERRAFORM_DATA), had, service)).toContainEqual(
      "wrong Platform: the state has capvs/providers/vsphere, capvs/clusters/prod of the Platform, which has another engine in the code: a plan will fail. " +
        "Set engine: Engine.PROVIDER again, or migrateFrom: Engine.PROVIDER as docs/engines.md says [MISSING_PLATFORM]",
    );
    const moving = found(keeping({ ...TERRAFORM_DATA, migrateFrom: Engine.PROVIDER }), had, service);
    expect(moving).not.toContainEqual(expect.stringMatching(/^wrong Platform/));
  });

  test("an object at the address of another one is of the Platform with that address", () => {
    const lab = (stack: TerraformStack) => {
      const platform = new Platform(stack, "platform", { ...PROVIDER, name: "lab", allowDeletion: ["prod"] });
      provider(stack, "vsphere", { platform });
    };
    const at = (address: string) =>
      stateOf({ ...pluginHas("provider", "vsphere"), name: "lab_vsphere" }, { ...pluginHas("cluster", "prod"), name: address });
    const service = serviceOf(["prod"], ["vsphere"]);
    expect(found(lab, at("lab_old"), service)).toEqual([expect.stringMatching(/^good state/)]);
    for (const address of ["old", "eu_old", "lab_"]) {
      expect(found(lab, at(address), service)[0]).toBe(
        `doubtful Platform: capvs/clusters/prod is in the state at clusterplatform_capvs_cluster.${address}, as after 'terraform state mv', and no Platform of the code has that address. ` +
          "So the doctor cannot tell what an apply does. Move back with 'terraform state mv' what this stack should keep",
      );
    }
  });

  test("an object that an interrupted apply has created, and that left the code, is reported", () => {
    const props = { engine: Engine.PROVIDER, deletionProtection: false as const };
    const left = (retain: string[]) => (stack: TerraformStack) => {
      new Platform(stack, "platform", { ...props, retain });
      cluster(stack, "prod", provider(stack));
    };
    const service = serviceOf(["prod", "half"], ["vsphere"]);
    workspace.synth(left([]));
    const folder = join(workspace.stackFolder, ".cluster-platform");
    const half = { type: "capvs", kind: "clusters", name: "half" } as const;
    new Journal({ notes: notesFolder(folder), url: URL, workspace: "blue", platform: "", run: "1" }, systemClock).writeCreation(
      half,
      { declared: {} },
    );
    const blue = { TF_WORKSPACE: "blue" };
    expect(found(left([]), had, service, blue)).toEqual([
      expect.stringMatching(
        /^wrong state: on the service but not in the state: capvs\/clusters\/half: an apply will fail\. .*\[STILL_LIVE\]$/,
      ),
    ]);
    expect(found(left([]), had, service)).toEqual([expect.stringMatching(/^good state/)]);
    expect(found(left([]), had, serviceOf(["prod"], ["vsphere"]), blue)).toEqual([expect.stringMatching(/^good state/)]);
    expect(found(left(["half"]), had, service, blue)).toEqual([expect.stringMatching(/^doubtful retain/)]);
    const declaredAt = (url: string) => (stack: TerraformStack) => {
      left([])(stack);
      const lab = new Platform(stack, "lab", { ...props, name: "lab", url });
      cluster(stack, "half", provider(stack, "spare", { platform: lab }), { platform: lab });
    };
    const leftBehind = /^wrong state: on the service but not in the state: capvs\/clusters\/half/;
    const env = { ...blue, CLUSTER_PLATFORM_URL: URL };
    expect(found(declaredAt("https://lab.example.com"), had, service, env)).toContainEqual(expect.stringMatching(leftBehind));
    expect(found(declaredAt(URL), had, service, env)).not.toContainEqual(expect.stringMatching(leftBehind));
    rmSync(folder, { recursive: true });
  });

  test("an entry of retain refuses a deletion only if the service does not have it", () => {
    const retaining = (stack: TerraformStack) => {
      new Platform(stack, "platform", { ...PROVIDER, allowDeletion: ["prod"], retain: ["released"] });
      provider(stack);
    };
    expect(found(retaining, had, serviceOf(["prod", "released"], ["vsphere"]))).toEqual([
      expect.stringMatching(
        /^doubtful retain: the Platform names released, which neither the code nor the state has: .* remove it after an apply that succeeds$/,
      ),
    ]);
    expect(found(retaining, had, serviceOf(["prod"], ["vsphere"]))).toEqual([
      expect.stringMatching(
        /^wrong retain: the Platform names released, which neither the code nor the service has: an apply refuses to delete capvs\/clusters\/prod, .*\[INVALID_SETTING\]$/,
      ),
    ]);
  });

  test("a switch from hooks needs a confirmation for a missing object", () => {
    const switching = (stack: TerraformStack) => {
      new Platform(stack, "platform", { ...PROVIDER, migrateFrom: Engine.TERRAFORM_DATA });
      cluster(stack, "prod", provider(stack), { podSubnet: "10.9.0.0/16" });
    };
    const [state, service] = [stateOf(...storedBy(declaring)), serviceOf([], ["vsphere"])];
    const missing = "capvs/clusters/prod is in the state but not on the service";
    expect(found(switching, state, service)).toEqual([
      `wrong state: ${missing}, and the state does not say which service it was created on: a plan will fail. If the object is really gone, run once with CLUSTER_PLATFORM_ACCEPT_GONE=1 [OBJECT_MISSING]`,
    ]);
    expect(found(switching, state, service, { CLUSTER_PLATFORM_ACCEPT_GONE: "1" })).toEqual([
      `doubtful state: ${missing}: an apply creates it again`,
    ]);
  });
});

test("a CA file is relative to the stack's folder, with hooks and with the provider", () => {
  for (const engine of [Engine.TERRAFORM_DATA, Engine.PROVIDER]) {
    const { stackFolder } = workspace.synth(
      (stack) => void new Platform(stack, "platform", { engine, tls: { caFile: "certificates/ca.pem" } }),
    );
    expect(connectionsOf(readStack(stackFolder)).map(({ caFile }) => caFile)).toEqual([resolve("certificates/ca.pem")]);
  }
});

test("a single import, moved or removed block need not be in a list", () => {
  const { stackFolder } = workspace.synth((stack) => {
    declaring(stack);
    stack.addOverride("import", { to: "terraform_data.one", id: "1" });
    stack.addOverride("moved", { from: "terraform_data.old", to: "terraform_data.new" });
    stack.addOverride("removed", { from: "terraform_data.gone", lifecycle: { destroy: false } });
  });
  const { imported, moved } = readStack(stackFolder);
  expect([...imported, ...moved]).toEqual(["terraform_data.one", ["terraform_data.old", "terraform_data.new"]]);
});

/** The objects of a stack, as an apply with terraform_data stores them. */
function storedBy(declare: (stack: TerraformStack) => void): Had[] {
  const { platforms } = readStack(workspace.synth(declare).stackFolder);
  return platforms.flatMap(({ declared }) =>
    declared.map(({ type, kind, name, entry }) => ({ name: `${type}_${kind}`, index: name, values: entry.triggers })),
  );
}

describe("an object of the state that the service lacks", () => {
  const ACCEPT_GONE = { CLUSTER_PLATFORM_ACCEPT_GONE: "1" };
  const missing = "capvs/clusters/prod is in the state but not on the service";

  test("with hooks: the apply creates it again only if its declaration has changed", () => {
    const state = stateOf(...storedBy(declaring));
    const service = serviceOf([], ["vsphere"]);
    const command = `${missing}. To create it again: CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/prod terraform apply -replace='terraform_data.capvs_clusters["prod"]'`;
    expect(found(declaring, state, service)).toEqual([
      `doubtful state: ${command}. If the plan has that already, set CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/prod [OBJECT_MISSING]. An apply without changes does not notice it`,
    ]);
    expect(found(declaring, state, service, ACCEPT_GONE)).toEqual([`doubtful state: ${command}`]);
    for (const left of [[], [waits("readiness"), { ...waits("ready"), tainted: true }]])
      expect(found(declaring, stateOfOnly(...storedBy(declaring), ...left), service)).toEqual([
        `wrong state: ${command}. If the plan has that already, set CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/prod [OBJECT_MISSING]`,
      ]);
    const changed = (stack: TerraformStack) => {
      new Platform(stack, "platform", TERRAFORM_DATA);
      cluster(stack, "prod", provider(stack), { podSubnet: "10.9.0.0/16" });
    };
    expect(found(changed, state, service)).toEqual([
      `doubtful state: ${missing}: an apply creates it again, because its declaration has changed`,
    ]);
  });

  test("with hooks: the service must have another object, unless the run accepts that all are gone", () => {
    const state = stateOf(...storedBy(declaring));
    expect(found(declaring, state, serviceOf(["of-others"], []))).toEqual([
      expect.stringMatching(
        /^doubtful state: none of the 2 objects .* is on the service at https:\/\/platform\.example\.com\. Is it the right one\? If they are really gone, create them again: CLUSTER_PLATFORM_ACCEPT_GONE=capvs\/clusters\/prod,capvs\/providers\/vsphere terraform apply( -replace=\S+){2} \[OBJECT_MISSING\]\. An apply without changes does not notice it$/,
      ),
    ]);
    const changed = (stack: TerraformStack) => {
      new Platform(stack, "platform", TERRAFORM_DATA);
      cluster(stack, "prod", provider(stack), { podSubnet: "10.9.0.0/16" });
    };
    expect(found(changed, state, serviceOf(["of-others"], []))).toEqual([
      expect.stringMatching(/^wrong state: none of the 2 objects .* \[OBJECT_MISSING\]$/),
    ]);
    expect(found(declaring, state, serviceOf(["of-others"], []), ACCEPT_GONE)).toEqual([
      expect.stringMatching(/^doubtful state: capvs\/\w+\/\w+ is in the state but not on the service\. To create it again/),
      expect.stringMatching(/^doubtful state/),
    ]);
  });

  test("with the package's own provider: the apply creates it again if the service proves to be the right one", () => {
    const document = readFileSync(fixture("provider/unchanged.state"), "utf8").replaceAll("http://127.0.0.1:7070", URL);
    const state = stateIn(JSON.parse(document), "state", "state");
    const both = (stack: TerraformStack) => {
      new Platform(stack, "platform", { engine: Engine.PROVIDER });
      const on = provider(stack);
      for (const name of ["prod", "stage"]) cluster(stack, name, on);
    };
    expect(found(both, state, serviceOf(["stage"], ["vsphere"]))).toEqual([
      `doubtful state: ${missing}: an apply creates it again`,
    ]);
    // Terraform reads registrations first, so clusters prove nothing for them.
    const unproven =
      "wrong state: capvs/providers/vsphere is in the state but not on the service, and nothing that Terraform has read before it proves that this is the right service: " +
      "a plan will fail. If the object is really gone, run once with CLUSTER_PLATFORM_ACCEPT_GONE=1 [OBJECT_MISSING]";
    expect(found(both, state, serviceOf(["prod", "stage"], []))).toEqual([unproven]);
    expect(found(both, state, serviceOf(["prod", "stage"], []), ACCEPT_GONE)).toEqual([
      "doubtful state: capvs/providers/vsphere is in the state but not on the service: an apply creates it again",
    ]);
    const moved = { ...serviceOf(["stage"], ["vsphere"]), url: "https://other.example.com" };
    const refused = `wrong state: the state names ${URL} as the service of capvs/clusters/stage, capvs/providers/vsphere, but this run uses ${moved.url}: a plan will fail`;
    expect(found(both, state, moved)).toEqual([
      expect.stringContaining(`wrong state: ${missing}, and the state names ${URL} as its service: a plan will fail`),
      expect.stringContaining(refused),
    ]);
    expect(found(both, state, moved, { CLUSTER_PLATFORM_FORMER_URL: URL })).toEqual([
      `doubtful state: ${missing}: an apply creates it again`,
    ]);
  });
});

const five = { controlPlane: { count: 5, cpus: 4, memoryMib: 8192, diskGib: 60 } };
const changing =
  (engine: Engine, props: PlatformProps = {}, declared: object = {}) =>
  (stack: TerraformStack) => {
    new Platform(stack, "platform", { engine, ...props });
    cluster(stack, "prod", provider(stack), { ...five, ...declared });
  };

describe.each([Engine.TERRAFORM_DATA, Engine.PROVIDER])("on %s", (engine) => {
  const byProvider = engine === Engine.PROVIDER;
  const stored = (kind: "cluster" | "provider", name: string, more: object = {}): Had =>
    byProvider
      ? { ...pluginHas(kind, name), values: { ...pluginHas(kind, name).values, uid: `id-of-${name}` }, ...more }
      : { ...(kind === "cluster" ? clusterIs(name) : providerIs(name)), ...more };
  const had = (...more: Had[]) => stateOf(stored("provider", "vsphere"), stored("cluster", "prod"), ...more);
  const live = serviceOf(["prod"], ["vsphere"]);
  const changed = (service: LiveService, props?: PlatformProps, declared?: object, env?: NodeJS.ProcessEnv) =>
    found(changing(engine, props, declared), had(), service, env);

  test("a changed object that is protected is refused, unless it is gone", () => {
    const refused =
      /^wrong deletionProtection: capvs\/clusters\/prod has changed and is protected: .* will fail\. To keep it, undo what causes the replacement\. To delete it, write allowDeletion: \["prod"\] on the Platform .* and adopt: true on it .*\[PROTECTED\]$/;
    expect(changed(live)).toEqual([expect.stringMatching(refused)]);
    expect(changed(live, { allowDeletion: ["prod"] })).toEqual([expect.stringMatching(/^good state/)]);
    expect(changed(serviceOf([], ["vsphere"]))).toEqual([expect.stringMatching(/^doubtful state: .* an apply creates it again/)]);
  });

  test("a changed object that retain keeps is refused, unless the apply adopts it", () => {
    const kept = { retain: ["prod"] };
    const refused = [
      expect.stringMatching(/^wrong retain: capvs\/clusters\/prod has changed and is kept by retain: .*\[RETAINED\]$/),
    ];
    expect(changed(live, kept)).toEqual(refused);
    const adopting = { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" };
    expect(changed(live, kept, {}, adopting)).toContainEqual(expect.stringMatching(/^good name: .*an apply adopts it$/));
    if (byProvider) return;
    expect(changed(serviceOf(["prod"], ["vsphere"], "other"), kept, {}, adopting)).toContainEqual(
      expect.stringMatching(/^wrong name: .*provider is other, declared is vsphere.*\[ADOPT_MISMATCH\]$/),
    );
  });

  test("a registration that clusters use is not deleted, and clusters of other stacks may go before it", () => {
    const moved =
      (props: PlatformProps, ...names: string[]) =>
      (stack: TerraformStack) => {
        new Platform(stack, "platform", { engine, ...props });
        const on = provider(stack, "vsphere", { datacenter: "/us" });
        for (const name of names) cluster(stack, name, on);
      };
    const inUse = (verdict: string, name: string) =>
      expect.stringMatching(
        new RegExp(
          `^${verdict} provider: .* capvs/providers/vsphere, which capvs/clusters/${name} uses, .*\\[PROVIDER_IN_USE\\]$`,
        ),
      ) as string;
    expect(found(moved({}, "prod"), had(), live)).toContainEqual(inUse("wrong", "prod"));
    expect(found(moved({ retain: ["prod"] }), had(), live)).toContainEqual(inUse("wrong", "prod"));
    expect(found(moved({ allowDeletion: ["prod"] }), had(), live)).toEqual([expect.stringMatching(/^good state/)]);
    expect(found(moved({ allowDeletion: ["prod"] }), had(), serviceOf(["prod", "other"], ["vsphere"]))).toEqual([
      inUse("doubtful", "other"),
    ]);
  });

  test("a live object is not deleted if the run says that it is gone", () => {
    const leaving = (stack: TerraformStack) => {
      new Platform(stack, "platform", { engine, allowDeletion: ["prod"] });
      provider(stack);
    };
    const env = { CLUSTER_PLATFORM_ACCEPT_GONE: "capvs/clusters/prod" };
    const refused = expect.stringMatching(
      /^wrong state: capvs\/clusters\/prod (left the code|has changed) and is on the service, although .*\[NOT_GONE\]$/,
    ) as string;
    for (const program of [leaving, changing(engine, { allowDeletion: ["prod"] })]) {
      expect(found(program, had(), live, env)).toContainEqual(refused);
      expect(found(program, had(), live, { CLUSTER_PLATFORM_ACCEPT_GONE: "1" })).not.toContainEqual(refused);
    }
  });

  test.each<[string, string]>([
    ["CLUSTER_PLATFORM_ADOPT", "prod"],
    ["CLUSTER_PLATFORM_ADOPT", "capvs/cluster/prod"],
    ["CLUSTER_PLATFORM_ACCEPT_GONE", "yes"],
    ["CLUSTER_PLATFORM_FORMER_URL", "old"],
  ])("%s=%s is judged as an apply does it", (variable, value) => {
    const env = { [variable]: value };
    let refused: ClusterPlatformError | undefined;
    try {
      readRunSettings(env);
    } catch (error) {
      refused = error as ClusterPlatformError;
    }
    const message = `${refused!.message.replace(/^environment: /, "")} [${refused!.code}]`;
    const wrong = `wrong environment: ${message}`;
    expect(found(changing(engine, { allowDeletion: ["prod"] }), had(), live, env)).toContainEqual(wrong);
    // Without a change, Terraform runs no hook.
    const unread = `doubtful environment: an apply that creates or deletes something fails: ${message}`;
    const unchanged = (stack: TerraformStack) => {
      new Platform(stack, "platform", { engine });
      cluster(stack, "prod", provider(stack));
    };
    expect(found(unchanged, had(), live, env)).toEqual([byProvider ? wrong : unread]);
  });

  test("settings of a run that this engine ignores are no problem", () => {
    const ignored = byProvider ? {} : { CLUSTER_PLATFORM_FORMER_URL: "https://former.example.com" };
    const env = { ...ignored, CLUSTER_PLATFORM_ADOPT: "capvs/clusters/of-another-stack" };
    const [one, other] = [{}, env].map((each) => changed(live, { allowDeletion: ["prod"] }, {}, each));
    expect(other).toEqual(one);
    expect(other!.join()).not.toContain("wrong");
  });

  test("an object that goes to another Platform needs a moved block, or with hooks retain and adopt", () => {
    const moving = (props: PlatformProps, adopt?: true) => (stack: TerraformStack) => {
      const main = new Platform(stack, "platform", { engine, ...props });
      const on = provider(stack, "vsphere", { platform: main });
      cluster(stack, "prod", on, { platform: new Platform(stack, "lab", { engine, name: "lab" }), adopt });
    };
    const taken =
      /^wrong name: the state has capvs\/clusters\/prod at .* on the Platform lab: an apply will fail\. Write a moved block/;
    expect(found(moving({ retain: ["prod"] }), had(), live)).toEqual([expect.stringMatching(taken)]);
    expect(found(moving({ allowDeletion: ["prod"] }, true), had(), live)).toEqual([expect.stringMatching(taken)]);
    expect(found(moving({ retain: ["prod"] }, true), had(), live)).toContainEqual(
      expect.stringMatching(/^good name: .*an apply adopts it/),
    );
  });

  test("an object that the state has on two Platforms of one service is refused, unless the one that leaves retains it", () => {
    const moved =
      (props: PlatformProps, url?: string): ((stack: TerraformStack) => void) =>
      (stack) => {
        const main = new Platform(stack, "platform", { engine, ...props });
        const lab = new Platform(stack, "lab", { engine, name: "lab", url });
        cluster(stack, "prod", provider(stack, "vsphere", { platform: main }), { platform: lab });
      };
    const inLab = (more: object = {}) => {
      const { type, name, ...rest } = stored("cluster", "prod");
      return { ...rest, ...(byProvider && { type }), name: `lab_${name}`, ...more };
    };
    const address = byProvider ? "clusterplatform_capvs_cluster.prod" : 'terraform_data.capvs_clusters["prod"]';
    const remedy = byProvider
      ? `Remove this entry: terraform state rm '${address}'`
      : 'Write retain: ["prod"] on the Platform for one apply';
    const twice =
      `wrong state: the state has capvs/clusters/prod at ${address}, where it left the code, and another Platform declares it: ` +
      `an apply will fail. ${remedy} [DECLARED_ELSEWHERE]`;
    const all: PlatformProps[] = [{ deletionProtection: false }, {}, { allowDeletion: ["prod"] }];
    for (const props of all) expect(found(moved(props), had(inLab()), live)).toEqual([twice]);
    // The deletion guard does not look for it.
    const isMissing = found(moved({}), had(guardOf("capvs/clusters/prod")), serviceOf([], ["vsphere"]));
    expect(isMissing.filter((message) => message.includes("DECLARED_ELSEWHERE"))).toEqual(byProvider ? [] : [twice]);
    const isRefused = (declare: (stack: TerraformStack) => void, service: LiveService) => {
      const stack = readStack(workspace.synth(declare).stackFolder);
      const services = new Map(
        connectionsOf(stack).map((literals) => [JSON.stringify(literals), { ...service, url: literals.url ?? URL }]),
      );
      const messages = [...comparison(stack, had(inLab()), services, {})].map(({ message }) => message);
      return messages.some((message) => message.includes("DECLARED_ELSEWHERE"));
    };
    expect(isRefused(moved({ retain: ["prod"] }), live)).toBe(false);
    expect(isRefused(moved({}, URL), live)).toBe(true);
    expect(isRefused(moved({ url: URL }, "https://other.example.com"), live)).toBe(false);
  });

  test("an object does not move to an address that the state has already", () => {
    const { type, name, ...rest } = stored("cluster", "prod");
    const inTheWay = { ...rest, ...(byProvider && { type }), name: `lab_${name}`, tainted: true };
    const address = (id: string) =>
      byProvider ? `clusterplatform_capvs_cluster.${id}prod` : `terraform_data.${id}capvs_clusters["prod"]`;
    const [from, to] = [address(""), address("lab_")];
    const moving = (props: PlatformProps) => (stack: TerraformStack) => {
      const main = new Platform(stack, "platform", { engine, ...props });
      const lab = new Platform(stack, "lab", { engine, name: "lab" });
      cluster(stack, "prod", provider(stack, "vsphere", { platform: main }), { platform: lab });
      stack.addOverride("moved", [{ from, to }]);
    };
    // Terraform destroys nothing in a move. So only a guard of hooks refuses one without retain.
    const good = expect.stringMatching(/^good/) as string;
    expect(found(moving({}), had(), live)).toEqual([good]);
    const isMoving =
      "wrong state: the Platform had capvs/clusters/prod in the last apply, and another Platform declares it: an apply will fail. " +
      'Write retain: ["prod"] on the Platform for one apply [DECLARED_ELSEWHERE]';
    expect(found(moving({}), had(guardOf("capvs/clusters/prod")), live)).toEqual([byProvider ? good : isMoving]);
    const said = found(moving({ retain: ["prod"] }), had(inTheWay), live);
    const isInTheWay =
      `wrong name: the state has capvs/clusters/prod at ${from}, and the code declares it on the Platform lab: an apply will fail. ${to} is in the way: terraform state rm '${to}'. ` +
      "Write a moved block from the one address to the other, and list it in the retain of the Platform for that apply [DECLARED_ELSEWHERE]";
    // A plan of the provider replaces the one at the new address.
    expect(said).toEqual([byProvider ? expect.stringMatching(/prod is tainted and is protected: .*\[PROTECTED\]$/) : isInTheWay]);
  });

  test("an object that moves is looked for on the Platform that declares it", () => {
    const { type, name, ...rest } = stored("cluster", "prod");
    const inLab = { ...rest, ...(byProvider && { type }), name: `lab_${name}` };
    const [from, to] = ["lab_", ""].map((prefix) =>
      byProvider ? `clusterplatform_capvs_cluster.${prefix}prod` : `terraform_data.${prefix}capvs_clusters["prod"]`,
    );
    const moving = (stack: TerraformStack) => {
      const main = new Platform(stack, "platform", { engine });
      new Platform(stack, "lab", { engine, name: "lab" });
      cluster(stack, "prod", provider(stack, "vsphere", { platform: main }), { platform: main });
      stack.addOverride("moved", [{ from, to }]);
    };
    const state = stateOf(stored("provider", "vsphere"), inLab);
    expect(found(moving, state, serviceOf([], ["vsphere"]))).toEqual([
      expect.stringMatching(/^doubtful state: capvs\/clusters\/prod is in the state but not on the service[:.]/),
    ]);
  });

  test("an object does not move to a Platform on another service", () => {
    const [one, other] = [URL, "https://other.example.com"];
    const moving = (stack: TerraformStack) => {
      const main = new Platform(stack, "platform", { engine, url: one, retain: ["prod"] });
      const lab = new Platform(stack, "lab", { engine, url: other, name: "lab" });
      const prod = cluster(stack, "prod", provider(stack, "vsphere", { platform: main }), { platform: lab });
      if (byProvider) return prod.moveFromId("clusterplatform_capvs_cluster.prod");
      const [from, to] = ["", "lab_"].map((prefix) => `terraform_data.${prefix}capvs_clusters["prod"]`);
      stack.addOverride("moved", [{ from, to }]);
    };
    const stack = readStack(workspace.synth(moving).stackFolder);
    const services = new Map(
      connectionsOf(stack).map((literals) => [
        JSON.stringify(literals),
        literals.url === one ? live : { ...serviceOf([], []), url: other },
      ]),
    );
    const settings = { deletionProtection: [], allowDeletion: [], retain: [], adopt: [], connection: { url: one } };
    const had = stateOf(stored("provider", "vsphere"), stored("cluster", "prod"), {
      name: "cluster_platform_protection",
      index: "",
      values: { input: settings },
    });
    if (byProvider) for (const object of "objects" in had ? had.objects : []) Object.assign(object, { service: one });
    const messages = [...comparison(stack, had, services, {})].map(({ verdict, message }) => `${verdict} ${message}`);
    expect(messages).toContainEqual(
      expect.stringMatching(
        /^wrong .*capvs_cluster.* moves to the Platform lab, which uses https:\/\/other\.example\.com, .* Undo the move/,
      ),
    );
  });

  test("a note of a deletion shows that a missing object is gone", () => {
    const nothing = (stack: TerraformStack) => void new Platform(stack, "platform", { engine, deletionProtection: false });
    const guard = guardOf("capvs/providers/vsphere");
    const state = stateOf(stored("provider", "vsphere"));
    const wrong = [expect.stringMatching(/^wrong state: capvs\/providers\/vsphere, the only object .*\[OBJECT_MISSING\]$/)];
    expect(found(nothing, state, serviceOf([], []))).toEqual(wrong);

    const notes = notesFolder(join(workspace.stackFolder, ".cluster-platform"));
    const place = { notes, url: URL, workspace: "default", run: "1" };
    const note = (uid: string) =>
      new Journal(place, systemClock).writeDeletion({ type: "capvs", kind: "providers", name: "vsphere" }, uid);
    note("id-of-vsphere");
    expect(found(nothing, state, serviceOf([], []))).toEqual([
      "good state: capvs/providers/vsphere left the code, and is not on the service any more",
    ]);
    // The deletion guard of hooks reads no note.
    if (!byProvider) expect(found(nothing, stateOf(stored("provider", "vsphere"), guard), serviceOf([], []))).toEqual(wrong);
    note("id-of-another");
    expect(found(nothing, state, serviceOf([], []))).toEqual(wrong);
    rmSync(join(workspace.stackFolder, ".cluster-platform"), { recursive: true });
  });

  test("a create needs the secrets of its object, and so may a replacement", () => {
    const created = (declare: (stack: TerraformStack) => void, state: State, service = live) => {
      const stack = readStack(workspace.synth(declare).stackFolder);
      const services = new Map(connectionsOf(stack).map((literals) => [JSON.stringify(literals), service]));
      const isCreated = mayBeCreated(stack, state, services);
      return stack.platforms.flatMap(({ declared }) => declared.filter(isCreated).map(({ name }) => name)).sort();
    };
    const token = Token.asNumber("${var.count}");
    const open = { controlPlane: { ...five.controlPlane, count: token } };
    const same = changing(engine, {}, { controlPlane: { ...five.controlPlane, count: 3 } });
    expect(created(same, had())).toEqual([]);
    expect(created(same, { problem: "x" })).toEqual(["prod", "vsphere"]);
    expect(created(same, stateOf(stored("cluster", "prod")))).toEqual(["vsphere"]);
    expect(created(same, stateOf(stored("provider", "vsphere"), stored("cluster", "prod", { tainted: true })))).toEqual(["prod"]);
    expect(created(same, had(), serviceOf([], ["vsphere"]))).toEqual(["prod"]);
    expect(created(changing(engine), had())).toEqual(["prod"]);
    expect(created(changing(engine, {}, open), had())).toEqual([]);
    expect(created(changing(engine, { allowDeletion: ["prod"] }, open), had())).toEqual(["prod"]);
    expect(created(changing(engine, { retain: ["prod"] }, open), had())).toEqual([]);
    // With the provider, the state protects it still.
    expect(created(changing(engine, { deletionProtection: false }, open), had())).toEqual(byProvider ? [] : ["prod"]);
  });
});

test("with the provider, a tainted object is replaced, and so refused if it is protected; ignored fields are not compared", () => {
  const values = { ...argumentsOf.clusterplatform_capvs_cluster!.prod, provider_name: "vsphere", service: URL };
  const prod = { type: "clusterplatform_capvs_cluster", name: "prod", index: "prod", values };
  const on = (props: PlatformProps) => (stack: TerraformStack) => {
    new Platform(stack, "platform", { engine: Engine.PROVIDER, ...props });
    cluster(stack, "prod", CapvsProvider.fromName("vsphere"));
  };
  const service = serviceOf(["prod"], ["vsphere"]);
  const tainted = stateOf({ ...prod, tainted: true });
  expect(found(on({}), tainted, service)).toContainEqual(
    expect.stringMatching(
      /^wrong deletionProtection: capvs\/clusters\/prod is tainted and is protected: .* To keep it, run 'terraform untaint'\. .* write allowDeletion: \["prod"\] on the Platform in the same change \[PROTECTED\]$/,
    ),
  );
  expect(found(on({ allowDeletion: ["prod"] }), tainted, service)).toContainEqual(
    expect.stringMatching(/^doubtful state: .* 'terraform untaint clusterplatform_capvs_cluster\.prod' keeps it$/),
  );
  const ignoring = (prop: string) => (stack: TerraformStack) => {
    new Platform(stack, "platform", { engine: Engine.PROVIDER });
    cluster(stack, "prod", CapvsProvider.fromName("vsphere"), { ...five, lifecycle: { ignoreChanges: [prop] } });
  };
  expect(found(ignoring("control_plane"), stateOf(prod), service)).toEqual([expect.stringMatching(/^good state/)]);
  expect(found(ignoring("workers"), stateOf(prod), service)).toEqual([
    expect.stringMatching(/^wrong deletionProtection: capvs\/clusters\/prod has changed and is protected: .*\[PROTECTED\]$/),
  ]);
});

test("an object whose create did not finish, or that changes, is not moved from hooks to the provider", () => {
  const moving = changing(Engine.PROVIDER, { migrateFrom: Engine.TERRAFORM_DATA });
  const state = (more: Partial<Had> = {}) => stateOf(providerIs("vsphere"), clusterIs("prod", more));
  expect(found(moving, state(), serviceOf(["prod"], ["vsphere"]))).toEqual([
    expect.stringMatching(
      /^wrong engine: capvs\/clusters\/prod has changed, .* a plan will fail\. First apply the change of the engine/,
    ),
  ]);
  const untaint = `terraform untaint 'terraform_data.capvs_clusters["prod"]'`;
  for (const clusters of [["prod"], []]) {
    expect(found(moving, state({ tainted: true }), serviceOf(clusters, ["vsphere"]))).toEqual([expect.stringContaining(untaint)]);
  }
});

describe("an object of the provider that hooks take over", () => {
  const back = (declared: Parameters<typeof withProd>[1] = {}) => withProd({ migrateFrom: Engine.PROVIDER }, declared);
  const of = (type: string, name: string, more: object = {}): Had => ({
    ...{ type, name, index: name },
    values: { ...argumentsOf[type]![name], ...more },
  });
  const inState = (more: object = {}) => of("clusterplatform_capvs_cluster", "prod", { provider_name: "vsphere", ...more });
  const registered = of("clusterplatform_capvs_provider", "vsphere");
  const ready: Had = {
    type: "clusterplatform_ready",
    name: "ready",
    index: undefined,
    values: { objects: { "capvs/clusters/prod": "uid", "capvs/providers/vsphere": "uid" }, wait_for: [] },
  };
  const old = { ...inState({ name: "old" }), name: "old", index: "old" };
  const service = serviceOf(["prod", "old"], ["vsphere"]);
  const cannot = (name: string, why: string) =>
    new RegExp(`^wrong state: ${name} cannot move to an engine with hooks, because ${why}: a plan will fail`);
  const never = cannot("cluster prod", "no apply has succeeded since Terraform has it");

  test("and that an apply which ended early has released, is not adopted", () => {
    const state = stateOf(registered, ready);
    expect(found(back(), state, service)[0]).toBe("good name: capvs/clusters/prod is on the service, and an apply adopts it");
    workspace.synth(back());
    const folder = join(workspace.stackFolder, ".cluster-platform");
    const journal = new Journal({ notes: notesFolder(folder), url: URL, workspace: "default", run: "1" }, systemClock);
    journal.release({ type: "capvs", kind: "clusters", name: "prod" });
    const [taken] = found(back(), state, service);
    rmSync(folder, { recursive: true });
    expect(taken).toMatch(/^wrong name: the name of cluster prod is taken .*\[NAME_TAKEN\]$/);
  });

  cases("and", [
    ["that stays as it is, is good", back(), stateOf(inState(), registered, ready), service, good],
    [
      "whose declaration changes, is refused",
      back({ podSubnet: "10.9.0.0/16" }),
      stateOf(inState(), registered, ready),
      service,
      "wrong state: cluster prod cannot move to an engine with hooks, because its declaration changes, too: podSubnet: a plan will fail. Set engine: Engine.PROVIDER again, with its former migrateFrom if no apply has succeeded since, change the declaration, apply, and change the engine afterwards [ADOPT_MISMATCH]",
    ],
    [
      "that leaves the code, is refused",
      back(),
      stateOf(inState(), registered, old, ready),
      service,
      some(cannot("cluster old", "it leaves the code in the same change")),
    ],
    ["of a state without a complete apply, is refused", back(), stateOf(inState(), registered), service, some(never)],
    [
      "whose move from hooks has not ended, is refused",
      back(),
      stateOf(inState({ service: null }), registered, ready),
      service,
      never,
    ],
    [
      "that is gone, is refused",
      back(),
      stateOf(inState(), registered, ready),
      serviceOf([], ["vsphere"]),
      cannot("cluster prod", "it is not on the service any more"),
    ],
  ]);
});

test("a removed block may forget an object, protected or not", () => {
  const forgetting =
    (engine: Engine, from: string, lifecycle: object, props: PlatformProps = {}) =>
    (stack: TerraformStack) => {
      new Platform(stack, "platform", { engine, name: engine === Engine.PROVIDER ? undefined : "eu", ...props });
      if (engine === Engine.PROVIDER) provider(stack);
      stack.addOverride("removed", [{ from, lifecycle }]);
    };
  const service = serviceOf(["prod"], ["vsphere"]);
  const values = { ...argumentsOf.clusterplatform_capvs_cluster!.prod, provider_name: "vsphere", deletion_protection: true };
  const vsphere = argumentsOf.clusterplatform_capvs_provider!.vsphere!;
  const state = stateOf(
    { type: "clusterplatform_capvs_provider", name: "vsphere", index: "vsphere", values: vsphere },
    { type: "clusterplatform_capvs_cluster", name: "prod", index: "prod", values },
  );
  const [address, block] = ["clusterplatform_capvs_cluster.prod", "terraform_data.capvs_clusters"];
  for (const props of [{}, { allowDeletion: ["prod"] }]) {
    expect(found(forgetting(Engine.PROVIDER, address, { destroy: false }, props), state, service)).toEqual([
      expect.stringMatching(/^good state/),
    ]);
  }
  expect(found(forgetting(Engine.PROVIDER, address, { destroy: true }), state, service)).toEqual([
    expect.stringMatching(/^wrong deletionProtection: .*\[PROTECTED\]$/),
  ]);
  expect(found(forgetting(Engine.TERRAFORM_DATA, block, { destroy: false }), stateOf(clusterIs("prod")), service)).toEqual([
    "doubtful state: a removed block forgets capvs/clusters/prod: an apply leaves it on the service",
  ]);
});

describe("an object of the same id on another service", () => {
  const other = "https://other.example.com";
  const on = (stack: TerraformStack, name: string, url: string, adopt?: boolean) => {
    const scope = new Construct(stack, name);
    const platform = new Platform(scope, "platform", { ...TERRAFORM_DATA, name, url });
    cluster(scope, "prod", provider(scope, "vsphere", { platform, adopt }), { platform, adopt });
  };
  const said = (declare: Program, state: State) => {
    const stack = readStack(workspace.synth(declare).stackFolder);
    const service = serviceOf(["prod"], ["vsphere"]);
    const services = new Map(
      connectionsOf(stack).map((literals) => [JSON.stringify(literals), { ...service, url: literals.url! }]),
    );
    return [...comparison(stack, state, services, {})].map(
      ({ verdict, subject, message }) => `${verdict} ${subject}: ${message}`,
    );
  };
  const settingsOf = (platform: string, url: string): Had => ({
    name: `cluster_platform_${platform}_protection`,
    index: "",
    values: { input: { deletionProtection: [], allowDeletion: [], retain: [], adopt: [], connection: { url } } },
  });
  const inState = (platform: string) => clusterIs("prod", { name: `${platform}_capvs_clusters` });

  test("is not adopted because the one here is", () => {
    const messages = said((stack) => {
      on(stack, "here", URL, true);
      on(stack, "there", other);
    }, stateOf());
    const clusters = messages.filter((message) => message.includes("cluster prod") || message.includes("capvs/clusters/prod"));
    expect(clusters).toEqual([
      "good name: capvs/clusters/prod is on the service, and an apply adopts it",
      expect.stringMatching(/^wrong name: .*\[NAME_TAKEN\]$/),
    ]);
  });

  test("does not take over what a Platform that left the code had here", () => {
    const leaves = (url: string) => said((stack) => on(stack, "new", url, true), stateOf(inState("old"), settingsOf("old", URL)));
    const isForgotten = expect.stringMatching(/^wrong Platform: .* would forget these objects/) as string;
    expect(leaves(other)).toContainEqual(isForgotten);
    expect(leaves(URL)).not.toContainEqual(isForgotten);
  });

  test("is not a second entry of one that moves here", () => {
    const messages = said(
      (stack) => {
        new Platform(stack, "from", { ...TERRAFORM_DATA, name: "from", url: URL });
        on(stack, "to", URL);
        on(stack, "there", other);
      },
      stateOf(inState("from"), inState("there"), settingsOf("from", URL), settingsOf("there", other)),
    );
    expect(messages.filter((message) => message.includes("DECLARED_ELSEWHERE"))).toEqual([
      expect.stringMatching(/^wrong name: .* Write a moved block/),
    ]);
  });
});

const left = [providerIs("vsphere"), providerIs("spare"), clusterIs("old")];
const withGuard = stateOf(...left, guardOf("capvs/providers/vsphere", "capvs/providers/spare", "capvs/clusters/old"));
const elsewhere = serviceOf(["old"], ["vsphere", "spare"], "elsewhere");

cases("a removal", [
  ["of what retain keeps is no problem", withVsphere({ retain: ["old"] }), withGuard, elsewhere, none(/^wrong/)],
  [
    "may be refused by a hook after a failed run, because there is no deletion guard",
    withVsphere({ retain: ["old"] }),
    stateOf(...left),
    elsewhere,
    some(/^doubtful retain: the Platform names old, .* guard, .* is gone: .* refuses to delete capvs\/providers\/spare/),
  ],
  [
    "of a protected object that is gone is refused by the deletion guard",
    withVsphere(),
    withGuard,
    serviceOf([], ["vsphere", "spare"]),
    some(/^wrong deletionProtection/),
  ],
  [
    "of a protected object that is gone is no problem without the deletion guard",
    withVsphere(),
    stateOf(...left),
    serviceOf([], ["vsphere", "spare"]),
    none(/^wrong/),
  ],
]);

const odl: PlatformProps = { deletionProtection: false, retain: ["odl"] };
const guarded = stateOf(providerIs("vsphere"), clusterIs("prod"), guardOf("capvs/providers/vsphere", "capvs/clusters/prod"));
const refusesTo = (what: string) =>
  some(
    new RegExp(
      `^wrong retain: the Platform names odl, which neither .* refuses to ${what} capvs/clusters/prod,.*\\[INVALID_SETTING\\]$`,
    ),
  );

cases("a name in retain that matches nothing refuses", [
  ["a replacement", withProd(odl, { podSubnet: "10.9.0.0/16" }), guarded, live, refusesTo("replace")],
  ["the removal of what a deletion guard knows", withVsphere(odl), guarded, serviceOf([], ["vsphere"]), refusesTo("delete")],
  ["not the removal of what a hook does not find", withVsphere(odl), applied, serviceOf([], ["vsphere"]), none(/^wrong/)],
]);

test("a cluster of another type proves neither the service nor that an unfinished create has left anything", () => {
  const others: LiveService = {
    ...serviceOf([], []),
    clusters: new ClusterList("/", { items: [{ clusterName: "prod", providerType: "capov", providerConfigID: "ov" }], count: 1 }),
  };
  expect(found(declaring, stateOf(providerIs("vsphere"), clusterIs("prod")), others)).toEqual([
    expect.stringMatching(/^doubtful state: none of the 2 objects .*\[OBJECT_MISSING\]/),
  ]);
  const state = stateOf(providerIs("vsphere"), clusterIs("prod", { tainted: true }), checkOf("capvs/clusters/prod"));
  const left = (stack: TerraformStack) => {
    new Platform(stack, "platform", TERRAFORM_DATA);
    provider(stack);
  };
  const [registered, service] = [
    serviceOf(["prod"], ["vsphere"]),
    { ...others, providers: serviceOf([], ["vsphere"]).providers },
  ];
  expect(found(left, state, registered)).toContainEqual(expect.stringContaining("[STILL_LIVE]"));
  expect(found(left, state, service)).not.toContainEqual(expect.stringMatching(/^wrong/));
});

const importing: Program = (stack) => {
  new Platform(stack, "platform", { engine: Engine.PROVIDER });
  const on = provider(stack);
  for (const object of [on, cluster(stack, "prod", on)]) object.importFrom();
};

cases("a live object with other values", [
  [
    "than in the state is reported",
    declaring,
    applied,
    serviceOf(["prod"], ["vsphere"], "other"),
    /^doubtful state: capvs\/clusters\/prod on the service differs .*provider is other, declared is vsphere/,
  ],
  [
    "is not imported, nor is one that does not live",
    importing,
    stateOf(),
    serviceOf(["prod"], [], "other"),
    [
      /^wrong name: cluster prod cannot be imported, .*provider is other.* \[ADOPT_MISMATCH\]$/,
      /^wrong name: capvs provider vsphere cannot be imported: it is not on the service at .* \[OBJECT_MISSING\]$/,
    ],
  ],
  [
    "is none if an import block takes it over",
    importing,
    stateOf(),
    live,
    [
      "good name: capvs/clusters/prod is on the service, and an apply imports it",
      "good name: capvs/providers/vsphere is on the service, and an apply imports it",
      "good state: no objects to compare with the service",
    ],
  ],
]);

test("a cluster may take the name of a removed one of another type in one apply with hooks, and in two with the provider", () => {
  const swapped = (props: PlatformProps) => (stack: TerraformStack) => {
    new Platform(stack, "platform", { allowDeletion: ["capvs/clusters/prod"], ...props });
    provider(stack);
    declare(stack, "capov", "provider", capov.provider.minimal.declaration);
    declare(stack, "capov", "cluster", { ...capov.cluster.minimal.declaration, name: "prod" });
  };
  const registered = [providerIs("vsphere"), { name: "capov_providers", index: "ov-main" }];
  const live = serviceOf(["prod"], ["vsphere"]);
  const providers = new ProviderList("/", [
    { providerType: "capvs", configs: [{ name: "vsphere" }] },
    { providerType: "capov", configs: [{ name: "ov-main" }] },
  ]);
  const service = { ...live, providers };
  expect(found(swapped(TERRAFORM_DATA), stateOf(...registered, clusterIs("prod")), service)).toEqual([
    expect.stringMatching(/^good state/),
  ]);
  const taken = [expect.stringMatching(/^wrong name: the name of cluster prod is taken by a capvs cluster .*\[NAME_TAKEN\]$/)];
  expect(found(swapped(TERRAFORM_DATA), stateOf(...registered), service).slice(-1)).toEqual(taken);
  const retaining = { ...TERRAFORM_DATA, allowDeletion: [], retain: ["capvs/clusters/prod"] };
  expect(found(swapped(retaining), stateOf(...registered, clusterIs("prod")), service).slice(-1)).toEqual(taken);

  const byProvider = stateOf({ type: "clusterplatform_capvs_cluster", name: "prod", index: "prod", values: { name: "prod" } });
  expect(found(swapped({ engine: Engine.PROVIDER }), byProvider, service)).toContainEqual(
    expect.stringMatching(
      /^wrong name: the name of cluster prod is taken: the state has a capvs cluster .* Remove the capvs cluster in one apply, and declare the capov cluster in the next one \[NAME_TAKEN\]$/,
    ),
  );
});
