import { ClusterList, ProviderList } from "../../../src/api/lists";
import { findDrift } from "../../../src/cli/drift/find-drift";
import { stateObjects } from "../../../src/cli/drift/state-objects";

/** What `drift` says of instances whose key is not the name of their object, as after `terraform state mv`. */

type Instance = readonly [key: string, name: string, tainted?: "tainted"];

const addressOf = (key: string) => `terraform_data.capvs_clusters["${key}"]`;

function driftOf(instances: readonly Instance[], live: readonly string[]) {
  const resources = instances.map(([key, name, tainted]) => ({
    address: addressOf(key),
    mode: "managed",
    type: "terraform_data",
    name: "capvs_clusters",
    index: key,
    values: { triggers_replace: { name, provider: "vsphere" } },
    ...(tainted && { tainted: true }),
  }));
  const objects = stateObjects({ format_version: "1.0", values: { root_module: { resources } } }, "state", "state");
  const items = live.map((clusterName) => ({
    clusterName,
    providerType: "capvs",
    providerConfigID: "vsphere",
    phase: "Provisioned",
  }));
  const lists = { clusters: new ClusterList("/", { items, count: items.length }), providers: new ProviderList("/", []) };
  return findDrift(objects, lists, []);
}

const mv = (from: string, to: string) => `terraform state mv '${addressOf(from)}' '${addressOf(to)}'`;
const rm = (key: string) => `terraform state rm '${addressOf(key)}'`;

test.each<[string, Instance[], string, string[]]>([
  ["nothing", [["b", "a"]], "MOVE_BACK", [mv("b", "a")]],
  [
    "an instance that a refused create has left",
    [
      ["b", "a"],
      ["a", "a", "tainted"],
    ],
    "MOVE_BACK",
    [rm("a"), mv("b", "a")],
  ],
  [
    "the object, too",
    [
      ["b", "a"],
      ["a", "a"],
    ],
    "REMOVE_ENTRY",
    [rm("b")],
  ],
  [
    "another object",
    [
      ["b", "a"],
      ["a", "b"],
    ],
    "MOVE_BACK",
    [mv("b", "b_aside"), mv("a", "b"), mv("b_aside", "a")],
  ],
  [
    "another object, which has another one in its way",
    [
      ["b", "a"],
      ["a", "c"],
      ["c", "d"],
    ],
    "MOVE_BACK",
    [mv("c", "d"), mv("a", "c"), mv("b", "a")],
  ],
])("the way back if the state has %s at the address of the object", (_, instances, code, commands) => {
  const { findings } = driftOf(instances, []);
  expect(findings.find(({ address }) => address === addressOf("b"))!.repairs).toEqual([{ code, commands }]);
});

test("the commands of one object move those that are in its way, which need none", () => {
  const { findings } = driftOf(
    [
      ["a", "b"],
      ["b", "a"],
    ],
    [],
  );
  expect(findings.map(({ object, repairs }) => [object, repairs[0]!.commands.length])).toEqual([
    ["capvs/clusters/a", 3],
    ["capvs/clusters/b", 0],
  ]);
});

test("an object that a state has twice is reported once, with the command that ends it", () => {
  const twice = driftOf(
    [
      ["b", "a"],
      ["a", "a"],
    ],
    ["a"],
  );
  expect(twice).toMatchObject({
    findings: [],
    notes: [{ because: "stored twice", object: "capvs/clusters/a", stack: "state", command: rm("b") }],
  });
  const failed = driftOf(
    [
      ["b", "a"],
      ["a", "a", "tainted"],
    ],
    ["a"],
  );
  expect(failed).toMatchObject({ findings: [], notes: [], declared: 1 });
});
