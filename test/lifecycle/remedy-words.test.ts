import { HOOK_ENV } from "../../src/contract/hook-protocol";
import type { PlatformSettings } from "../../src/contract/platform-settings";
import { readProviderSettings } from "../../src/contract/provider-settings";
import { hookWords } from "../../src/hooks/words";
import type { Remedy } from "../../src/lifecycle/remedy";
import { inWords } from "../../src/lifecycle/remedy-words";
import type { ObjectRef } from "../../src/model/object-ref";
import { pluginWords } from "../../src/plugin/resources/words";

const prod: ObjectRef = { type: "capvs", kind: "clusters", name: "prod" };
const vsphere: ObjectRef = { type: "capvs", kind: "providers", name: "vsphere" };
const one = [prod];
const two = [vsphere, prod];

const settings = { deletionProtection: ["*/clusters/*"], allowDeletion: [], retain: ["kept"], platform: "eu" };
const block = { type: "capvs", kind: "clusters", address: "null_resource.eu_capvs_clusters" };
const env = { [HOOK_ENV.block]: JSON.stringify(block) };
const hooks = hookWords(settings as unknown as PlatformSettings, env);
const plugin = pluginWords(readProviderSettings({ platform: "eu", deletion_protection: ["*/clusters/*"], retain: ["kept"] }));

const [inHooks, inPlugin] = [`null_resource.eu_capvs_clusters["prod"]`, "clusterplatform_capvs_cluster.eu_prod"];

test.each<[Remedy, string, string?]>([
  [{ code: "APPLY", when: "later" }, "Apply again later; the apply continues from here"],
  [{ code: "APPLY_PLAIN" }, "Apply again without this variable and without -replace"],
  [
    { code: "CONTINUE_ELSEWHERE", objects: one },
    "If an apply on another machine says that the name is taken, apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod",
  ],
  [{ code: "CORRECT_URL" }, "If the URL is wrong, correct it"],
  [
    { code: "ACCEPT_GONE", objects: one },
    "If the object is really gone, run once with CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/prod",
  ],
  [
    { code: "ACCEPT_GONE", objects: two, orNeverCreated: true },
    "If they are really gone or were never created, run once with CLUSTER_PLATFORM_ACCEPT_GONE=capvs/providers/vsphere,capvs/clusters/prod",
  ],
  [
    { code: "RECREATE_MISSING", objects: one, all: false },
    `To create it again: CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/prod terraform apply -replace='${inHooks}'`,
    "To create it again: terraform apply",
  ],
  [
    { code: "RECREATE_MISSING", objects: two, all: true },
    `If they are really gone, create them again: CLUSTER_PLATFORM_ACCEPT_GONE=capvs/providers/vsphere,capvs/clusters/prod terraform apply -replace='null_resource.eu_capvs_providers["vsphere"]' -replace='${inHooks}'`,
    "To create them again: CLUSTER_PLATFORM_ACCEPT_GONE=capvs/providers/vsphere,capvs/clusters/prod terraform apply",
  ],
  [
    { code: "REPLACE", objects: one },
    `To delete it with everything on it and create it again: with allowDeletion: ["capvs/clusters/prod"] on the Platform eu, terraform apply -replace='${inHooks}'`,
    `To delete it with everything on it and create it again: with allowDeletion: ["capvs/clusters/prod"] on the Platform eu, terraform apply -replace='${inPlugin}'`,
  ],
  [
    { code: "REPLACE", objects: [vsphere] },
    `To delete it with everything on it and create it again: terraform apply -replace='null_resource.eu_capvs_providers["vsphere"]'`,
    "To delete it with everything on it and create it again: terraform apply -replace='clusterplatform_capvs_provider.eu_vsphere'",
  ],
  [
    { code: "CORRECT_DECLARATION", objects: one },
    'If the service has the declared values already and only the state has others, write retain: ["kept", "capvs/clusters/prod"] on the Platform eu and adopt: true on it for one apply. Nothing is sent then',
  ],
  [
    { code: "ADOPT", objects: one, isRenamed: true },
    "If this stack should manage it, declare its live values, the name prod included, and write adopt: true, or apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod",
    `If this stack should manage it, declare its live values, the name prod included, and write adopt: true, or apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod, or import it with importFrom() on its construct, or without cdktf with this block:\nimport {\n  to = ${inPlugin}\n  id = "capvs/clusters/prod"\n}`,
  ],
  [
    { code: "ADOPT_AND_REMOVE", objects: two },
    'If capvs provider vsphere, cluster prod are this stack\'s: declare them again if the code does not, apply once with CLUSTER_PLATFORM_ADOPT=capvs/providers/vsphere,capvs/clusters/prod, and then remove them with allowDeletion: ["capvs/clusters/prod"] on the Platform eu',
  ],
  [{ code: "DECLARE_LIVE", objects: one }, "Declare the live values and apply again, which keeps the object"],
  [
    { code: "RENAME", objects: one },
    'If it belongs to somebody else, choose another name, and write retain: ["kept", "capvs/clusters/prod"] on the Platform eu for that apply',
    "If it belongs to somebody else, choose another name",
  ],
  [
    { code: "LET_GO", objects: one },
    'If cluster prod is somebody else\'s or must stay, write retain: ["kept", "capvs/clusters/prod"] on the Platform eu for one apply. Nothing is sent then, and Terraform forgets it',
  ],
  [
    { code: "RETAIN", objects: two },
    'To remove them from the code and keep them on the service, write retain: ["kept", "capvs/providers/vsphere", "capvs/clusters/prod"] on the Platform eu',
  ],
  [
    { code: "ALLOW_DELETION", objects: one },
    'To delete it, write allowDeletion: ["capvs/clusters/prod"] on the Platform eu in the same change',
    'To delete it, write allowDeletion: ["capvs/clusters/prod"] on the Platform eu in the same change (allow_deletion in the provider block)',
  ],
  [
    { code: "REMOVE_USERS", objects: [vsphere] },
    "To change it, register the new one under another name, or remove the clusters first",
    "To change it, register the new one under another name, or remove the clusters first. If this is a destroy and the code changes capvs provider vsphere, first undo that change",
  ],
  [{ code: "DECIDE", sentence: "Correct the name" }, "Correct the name"],
])("%j has words on each engine", (remedy, byHooks, byPlugin = byHooks) => {
  expect(inWords([remedy], () => hooks)).toBe(byHooks);
  expect(inWords([remedy], () => plugin)).toBe(byPlugin);
});

test("several remedies are one text, and nothing is said for an error whose summary says it", () => {
  const remedies: Remedy[] = [
    { code: "DECIDE" },
    { code: "CORRECT_URL" },
    { code: "DECIDE", sentence: "Is it?" },
    { code: "DECIDE", sentence: "It is" },
  ];
  expect(inWords(remedies, () => hooks)).toBe("If the URL is wrong, correct it. Is it? It is");
  expect(inWords([{ code: "DECIDE" }], () => hooks)).toBeUndefined();
});

test("a command names all its objects", () => {
  const all = Array.from({ length: 12 }, (_, index): ObjectRef => ({ ...vsphere, name: `vsphere-${index}` }));
  for (const words of [hooks, plugin]) {
    const said = inWords(
      [
        { code: "REPLACE", objects: all },
        { code: "ADOPT_AND_REMOVE", objects: all },
      ],
      () => words,
    )!;
    expect(said.match(/ -replace=/g)).toHaveLength(12);
    expect(/CLUSTER_PLATFORM_ADOPT=(\S+),/.exec(said)![1]!.split(",")).toHaveLength(12);
  }
});
