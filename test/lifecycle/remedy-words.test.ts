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
    "On another machine, if the name is taken: apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod",
  ],
  [{ code: "CORRECT_URL" }, "Wrong URL: correct it"],
  [{ code: "ACCEPT_GONE", objects: one }, "Really gone: run once with CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/prod"],
  [
    { code: "ACCEPT_GONE", objects: two, orNeverCreated: true },
    "Really gone, or never created: run once with CLUSTER_PLATFORM_ACCEPT_GONE=capvs/providers/vsphere,capvs/clusters/prod",
  ],
  [
    { code: "RECREATE_MISSING", objects: one, all: false },
    `Create it again: CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/prod terraform apply -replace='${inHooks}'`,
    "Create it again: terraform apply",
  ],
  [
    { code: "RECREATE_MISSING", objects: two, all: true },
    `Really gone: create them again with CLUSTER_PLATFORM_ACCEPT_GONE=capvs/providers/vsphere,capvs/clusters/prod terraform apply -replace='null_resource.eu_capvs_providers["vsphere"]' -replace='${inHooks}'`,
    "Really gone: create them again with CLUSTER_PLATFORM_ACCEPT_GONE=capvs/providers/vsphere,capvs/clusters/prod terraform apply",
  ],
  [
    { code: "REPLACE", objects: one },
    `Replace it, with everything on it: write allowDeletion: ["capvs/clusters/prod"] on the Platform eu, then terraform apply -replace='${inHooks}'`,
    `Replace it, with everything on it: write allowDeletion: ["capvs/clusters/prod"] on the Platform eu, then terraform apply -replace='${inPlugin}'`,
  ],
  [
    { code: "REPLACE", objects: [vsphere] },
    `Replace it, with everything on it: terraform apply -replace='null_resource.eu_capvs_providers["vsphere"]'`,
    "Replace it, with everything on it: terraform apply -replace='clusterplatform_capvs_provider.eu_vsphere'",
  ],
  [
    { code: "ADOPT", objects: one, isRenamed: true },
    "Yours: declare its live values, the name prod included, and apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod",
  ],
  [
    { code: "ADOPT_AND_REMOVE", objects: two },
    'Yours: declare them if the code does not, apply once with CLUSTER_PLATFORM_ADOPT=capvs/providers/vsphere,capvs/clusters/prod, then remove them with allowDeletion: ["capvs/clusters/prod"] on the Platform eu',
  ],
  [{ code: "DECLARE_LIVE", objects: one }, "Keep it: declare the live values"],
  [
    { code: "RENAME", objects: one },
    'Not yours: choose another name, and write retain: ["kept", "capvs/clusters/prod"] on the Platform eu for that apply',
    "Not yours: choose another name",
  ],
  [
    { code: "LET_GO", objects: one },
    'Not yours, or to keep: write retain: ["kept", "capvs/clusters/prod"] on the Platform eu for one apply, in which Terraform forgets it',
  ],
  [
    { code: "RETAIN", objects: two },
    'Keep them on the service: write retain: ["kept", "capvs/providers/vsphere", "capvs/clusters/prod"] on the Platform eu',
  ],
  [{ code: "ALLOW_DELETION", objects: one }, 'Delete it: write allowDeletion: ["capvs/clusters/prod"] on the Platform eu'],
  [
    { code: "REMOVE_USERS", objects: [vsphere] },
    "Change it: register the new one under another name. Remove it: remove its clusters first",
    "Change it: register the new one under another name. Remove it: remove its clusters first. Destroying: first undo the change of capvs provider vsphere in the code",
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
  expect(inWords(remedies, () => hooks)).toBe("Wrong URL: correct it. Is it? It is");
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
