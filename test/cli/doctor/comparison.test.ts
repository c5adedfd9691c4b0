import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TerraformStack } from "cdktf";
import { ClusterList, ProviderList } from "../../../src/api/lists";
import { comparison } from "../../../src/cli/doctor/compare/comparison";
import type { LiveService } from "../../../src/cli/doctor/service";
import { connectionsOf, readStack } from "../../../src/cli/doctor/stack";
import type { State } from "../../../src/cli/doctor/state";
import { stateObjects } from "../../../src/cli/drift/state-objects";
import { CapvsProvider } from "../../../src/constructs/capvs";
import { Platform } from "../../../src/constructs/platform";
import { Engine } from "../../../src/constructs/engine";
import type { PlatformProps } from "../../../src/constructs/platform-props";
import { RetiredPlatform } from "../../../src/constructs/retired-platform";
import { cluster, provider } from "../../support/capvs";
import { Workspace } from "../../terraform/workspace";

const workspace = new Workspace();
afterAll(() => workspace.remove());

const URL = "https://platform.example.com";
const TERRAFORM_DATA = { engine: Engine.TERRAFORM_DATA };

interface Had {
  readonly type?: string;
  readonly name: string;
  readonly index: string;
  readonly tainted?: boolean;
  readonly module?: string;
  readonly values?: object;
}

function stateOf(...had: Had[]): State {
  const resources = had.map(({ type = "terraform_data", name, index, tainted, values }) => ({
    address: `${type}.${name}["${index}"]`,
    mode: "managed",
    type,
    name,
    index,
    tainted,
    values: { triggers_replace: { name: index, ...values }, triggers: { name: index, ...values } },
  }));
  const root_module = { resources };
  return { objects: stateObjects({ format_version: "1.0", values: { root_module } }, "state", "state") };
}

const providerIs = (name: string): Had => ({ name: "capvs_providers", index: name });
const clusterIs = (name: string, more: Partial<Had> = {}): Had => ({ name: "capvs_clusters", index: name, ...more });

function serviceOf(clusters: readonly string[], providers: readonly string[], on = "vsphere"): LiveService {
  const items = clusters.map((clusterName) => ({ clusterName, providerType: "capvs", providerConfigID: on }));
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

const declaring = (stack: TerraformStack) => {
  new Platform(stack, "platform", TERRAFORM_DATA);
  cluster(stack, "prod", provider(stack));
};

test("a matching stack, state and service give no problem", () => {
  const state = stateOf(providerIs("vsphere"), clusterIs("prod"));
  expect(found(declaring, state, serviceOf(["prod", "of-others"], ["vsphere", "of-others"]))).toEqual([
    "good state: 2 objects, and the service has all of them unchanged",
  ]);
});

test("a live object under a declared name is reported, unless the apply adopts it or its create was noted", () => {
  const service = serviceOf(["prod"], ["vsphere"]);
  const taken = (state: State, env?: NodeJS.ProcessEnv) => found(declaring, state, service, env);
  expect(taken(stateOf(providerIs("vsphere")))).toEqual([
    expect.stringMatching(
      /^wrong name: capvs\/clusters\/prod is on .* CLUSTER_PLATFORM_ADOPT=capvs\/clusters\/prod\. .*\[NAME_TAKEN\]$/,
    ),
  ]);
  expect(taken(stateOf(providerIs("vsphere"), clusterIs("prod", { tainted: true })))).toEqual([
    expect.stringContaining("[NAME_TAKEN]"),
  ]);
  expect(taken(stateOf(providerIs("vsphere")), { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" })).toEqual([
    expect.stringMatching(/^good name: .*prod is on the service, and an apply adopts it/),
    expect.stringMatching(/^good state/),
  ]);
  expect(
    found(declaring, stateOf(), serviceOf(["prod"], ["vsphere"], "other"), { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" }),
  ).toEqual([
    expect.stringMatching(/^wrong name: .* \(provider is other, declared is vsphere\).*\[ADOPT_MISMATCH\]$/),
    expect.stringMatching(/^wrong name: capvs\/providers\/vsphere is on .*\[NAME_TAKEN\]$/),
  ]);
  const notes = join(workspace.stackFolder, ".cluster-platform/intents");
  mkdirSync(notes, { recursive: true });
  writeFileSync(join(notes, "1.json"), JSON.stringify({ id: "capvs/clusters/prod", url: URL }));
  writeFileSync(join(notes, "2.json"), '{ "id": "capvs/clu');
  expect(taken(stateOf(providerIs("vsphere")))).toEqual([
    expect.stringMatching(/^doubtful name: .*an interrupted apply was creating it/),
  ]);
});

test("an unregistered provider is reported, with the most similar name", () => {
  const misspelled = (stack: TerraformStack) => {
    new Platform(stack, "platform", TERRAFORM_DATA);
    cluster(stack, "prod", CapvsProvider.fromName("vpshere-eu"));
  };
  const wrong =
    /^wrong provider: capvs\/providers\/vpshere-eu, on which capvs\/clusters\/prod is declared, .* Is vsphere-eu meant\?/;
  expect(found(misspelled, stateOf(), serviceOf([], ["gcp", "vsphere-eu", "vsphere-us-east"]))).toEqual([
    expect.stringMatching(wrong),
  ]);
  expect(found(misspelled, stateOf(), serviceOf([], ["gcp"]))).toEqual([expect.stringMatching(/^wrong provider: (?!.*Is gcp)/)]);
  expect(found(misspelled, { problem: "x" }, serviceOf([], []))).toEqual([
    expect.stringMatching(/^wrong provider/),
    expect.stringMatching(/^doubtful state: unknown, because x\. /),
  ]);
  const beside = join(workspace.stackFolder, "../network");
  mkdirSync(beside, { recursive: true });
  writeFileSync(
    join(beside, "cdk.tf.json"),
    JSON.stringify({ locals: { capvs_providers: { "vpshere-eu": '{"path":"p","triggers":{}}' } } }),
  );
  expect(found(misspelled, stateOf(), serviceOf([], []))).toEqual([
    expect.stringMatching(/^doubtful provider: .* is not registered yet: first apply the stack network/),
  ]);
});

test("entries of the Platform's lists that match nothing are reported, and entries that cause a refusal", () => {
  const lists = (retain: string[]) => (stack: TerraformStack) => {
    const deletionProtection = ["prd-*", "prod", "old", "*/clusters/*"];
    new Platform(stack, "platform", { ...TERRAFORM_DATA, deletionProtection, allowDeletion: ["older"], retain });
    cluster(stack, "prod", provider(stack));
  };
  const had = [providerIs("vsphere"), clusterIs("prod")];
  const service = serviceOf(["prod", "old"], ["vsphere"]);
  expect(found(lists(["gone"]), stateOf(...had), service)).toEqual([
    expect.stringMatching(/^doubtful deletionProtection: the Platform names prd-\*, old, which neither .* misspelled/),
    expect.stringMatching(/^doubtful allowDeletion: the Platform names older,/),
    expect.stringMatching(/^doubtful retain: the Platform names gone,/),
  ]);
  expect(found(lists(["odl"]), stateOf(...had, clusterIs("old")), service)).toEqual([
    expect.stringMatching(/^wrong deletionProtection: capvs\/clusters\/old left the code and is protected: .*\[PROTECTED\]$/),
    expect.stringMatching(/^doubtful deletionProtection: .* prd-\*, which/),
    expect.stringMatching(/^doubtful allowDeletion/),
    expect.stringMatching(/^wrong retain: the Platform names odl, .* refuses to delete capvs\/clusters\/old/),
  ]);
});

test("objects that an apply would forget are reported: of a removed Platform, of another engine, of an unfinished create", () => {
  const service = serviceOf(["prod", "half"], ["vsphere"]);
  const had = [providerIs("vsphere"), clusterIs("prod")];
  const other = (stack: TerraformStack) => void new Platform(stack, "platform", { ...TERRAFORM_DATA, name: "eu" });
  const gone =
    /^wrong Platform: the state has capvs\/providers\/vsphere, capvs\/clusters\/prod of the Platform, which was removed/;
  expect(found(other, stateOf(...had), service)).toEqual([expect.stringMatching(gone)]);
  const retired = (props: PlatformProps) => (stack: TerraformStack) =>
    void new RetiredPlatform(stack, "platform", { ...TERRAFORM_DATA, ...props });
  expect(found(retired({}), stateOf(...had), service)).toEqual([
    expect.stringMatching(
      /^wrong deletionProtection: .* To delete it, write allowDeletion: \["prod"\] on the Platform \[PROTECTED\]$/,
    ),
  ]);
  expect(found(retired({ allowDeletion: ["prod"] }), stateOf(...had), service)).toEqual([
    expect.stringMatching(/^good state: 2 objects/),
  ]);
  const older = had.map((each) => ({ ...each, type: "null_resource" }));
  expect(found(declaring, stateOf(...older), service)).toEqual([expect.stringMatching(gone)]);
  const moving = (stack: TerraformStack) => {
    new Platform(stack, "platform", { ...TERRAFORM_DATA, migrateFrom: Engine.NULL_RESOURCE });
    cluster(stack, "prod", provider(stack));
  };
  expect(found(moving, stateOf(...older), service)).toEqual([expect.stringMatching(/^good state/)]);
  const back = (stack: TerraformStack) => {
    new Platform(stack, "platform");
    cluster(stack, "prod", provider(stack));
  };
  expect(found(back, stateOf(...had), service)[0]).toMatch(
    /^wrong engine: .* in terraform_data\.capvs_\w+, .*\[CARRIER_SWITCHED\]$/,
  );
  expect(found(declaring, stateOf(...had, clusterIs("half", { tainted: true })), service)).toEqual([
    expect.stringMatching(/^wrong deletionProtection: capvs\/clusters\/half left the code .*\[PROTECTED\]$/),
    expect.stringMatching(
      /^wrong state: capvs\/clusters\/half left the code before .* and then remove it with allowDeletion: \["capvs\/clusters\/half"\] on the Platform; .*\[STILL_LIVE\]$/,
    ),
  ]);
});

test("objects of the state that the service lacks or has with other values are reported", () => {
  const state = stateOf(providerIs("vsphere"), clusterIs("prod", { values: { "controlPlane.count": "3" } }));
  expect(found(declaring, state, serviceOf([], ["vsphere"]))).toEqual([
    expect.stringMatching(
      /^wrong state: capvs\/clusters\/prod is in the state but not on .*terraform apply -replace='terraform_data\.capvs_clusters\["prod"\]' \[OBJECT_MISSING\]$/,
    ),
  ]);
  expect(found(declaring, state, serviceOf(["of-others"], []))).toEqual([
    expect.stringMatching(
      /^wrong state: none of the 2 objects .* is on the service at https:\/\/platform\.example\.com: is it the right one\?/,
    ),
  ]);
  const moved = stateOf(providerIs("vsphere"), clusterIs("prod", { values: { provider: "vsphere" } }));
  expect(found(declaring, moved, serviceOf(["prod"], ["vsphere"], "other"))).toEqual([
    expect.stringMatching(
      /^doubtful state: capvs\/clusters\/prod on the service differs .*provider is other, declared is vsphere/,
    ),
  ]);
});
