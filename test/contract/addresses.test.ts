import fc from "fast-check";
import {
  blockId,
  blockOfDeclarationsLocal,
  blockOfKind,
  brokenPlatformNameRule,
  clusterReadyId,
  declarationsLocalId,
  parseBlockId,
  parsePluginResourceType,
  parseSupportId,
  platformOfPrefix,
  platformPrefix,
  PLUGIN_READY_TYPE,
  pluginReadyId,
  pluginResourceId,
  pluginResourceType,
  prefixOfPluginId,
  SUPPORT_RESOURCES,
  supportId,
} from "../../src/contract/addresses";
import { objectId, parseObjectId } from "../../src/model/object-ref";
import { isName } from "../../src/model/object-name";
import { KINDS, TYPE_CODES } from "../../src/model/provider-type";

const types = fc.constantFrom(...TYPE_CODES);
const kinds = fc.constantFrom(...KINDS);
const words = [...SUPPORT_RESOURCES, ...SUPPORT_RESOURCES.flatMap((id) => id.split("_")), "cluster", "clusters", "providers"];

/** Names made of the words that ids consist of, and some others. */
const platformNames = fc
  .array(fc.constantFrom(...words, ...TYPE_CODES, "", "eu", "a1", "2e", "5f"), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join("_"))
  .filter((name) => brokenPlatformNameRule(name) === undefined);
const objectNames = fc
  .array(fc.constantFrom(...words, ...TYPE_CODES, "prod", "2e", "5f", "-", ".", "_", "A"), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""))
  .filter(isName);
const prefixes = fc.option(platformNames, { nil: undefined }).map(platformPrefix);

const inId = (kind: string, prefix: string, ...parts: string[]) => ({ kind, prefix, parts });

const ids = fc.oneof(
  fc.record({ prefix: prefixes, type: types, kind: kinds }).map(({ prefix, type, kind }) => ({
    id: blockId(prefix, type, kind),
    says: inId("block", prefix, type, kind),
  })),
  fc.record({ prefix: prefixes, resource: fc.constantFrom(...SUPPORT_RESOURCES) }).map(({ prefix, resource }) => ({
    id: supportId(prefix, resource),
    says: inId("support", prefix, resource),
  })),
  fc.record({ prefix: prefixes, type: types, name: objectNames }).map(({ prefix, type, name }) => ({
    id: clusterReadyId(prefix, { type, name }),
    says: inId("of a cluster", prefix, "ready", type, name),
  })),
);

function parsed(id: string) {
  const block = parseBlockId(id);
  const support = parseSupportId("terraform_data", id);
  return [
    ...(block ? [inId("block", block.prefix, block.type, block.kind)] : []),
    ...(support && !support.cluster ? [inId("support", support.prefix, support.resource)] : []),
    ...(support?.cluster
      ? [inId("of a cluster", support.prefix, support.resource, support.cluster.type, support.cluster.name)]
      : []),
  ];
}

test("every id of every valid Platform has one meaning, which is the one it was made from", () => {
  fc.assert(
    fc.property(ids, ({ id, says }) => {
      expect(parsed(id)).toEqual([says]);
    }),
    { numRuns: 5_000 },
  );
});

test.each(["destroy", "ready", "guard", "orphan", "orphan_check", "deletion", "capvs", "capvs_cluster"])(
  "a Platform named %s is not mistaken for another one",
  (name) => {
    expect(brokenPlatformNameRule(name)).toBeUndefined();
    for (const resource of SUPPORT_RESOURCES) {
      expect(parsed(supportId(platformPrefix(name), resource))).toEqual([inId("support", `${name}_`, resource)]);
    }
    expect(platformOfPrefix(platformPrefix(name))).toBe(name);
  },
);

test.each([
  ["EU", "be lower-case letters"],
  ["capvs_cluster_ready", "not contain 'capvs_cluster_ready', which this package's own resources use in their ids"],
  ["eu_capos_cluster_ready_x", "not contain 'capos_cluster_ready'"],
])("a Platform cannot be named %s", (name, rule) => {
  expect(brokenPlatformNameRule(name)).toContain(rule);
});

test("an id of another engine's resource, or of no resource, has no meaning", () => {
  expect(parseSupportId("null_resource", "cluster_platform_ready")).toBeUndefined();
  const others = ["guard", "already", "EU_ready", "capvs_cluster_ready_a_b", "1_ready"];
  for (const id of ["ready", "eu_orphan_check", ...others.map((each) => `cluster_platform_${each}`)]) {
    expect({ id, parsed: parsed(id) }).toEqual({ id, parsed: [] });
  }
});

test("ids of objects, locals and blocks are converted into each other", () => {
  fc.assert(
    fc.property(types, kinds, objectNames, prefixes, (type, kind, name, prefix) => {
      expect(parseObjectId(objectId(type, kind, name))).toEqual({ type, kind, name });
      const block = blockId(prefix, type, kind);
      for (const which of ["literal", "with tokens"] as const) {
        expect(blockOfDeclarationsLocal(declarationsLocalId(block, which))).toBe(block);
      }
      expect(blockOfKind(`null_resource.${block}`, "providers")).toBe(`null_resource.${blockId(prefix, type, "providers")}`);
    }),
  );
  for (const text of ["prod", "capvs/cluster/prod", "capvs/clusters/", "capvs/clusters/a/b", "xyz/clusters/prod"]) {
    expect(parseObjectId(text)).toBeUndefined();
  }
});

test("resources of the Terraform provider say what they carry, and for which Platform", () => {
  fc.assert(
    fc.property(types, kinds, objectNames, prefixes, (type, kind, name, prefix) => {
      expect(parsePluginResourceType(pluginResourceType(type, kind))).toEqual({ type, kind });
      expect(prefixOfPluginId(pluginResourceId(prefix, name), name)).toBe(prefix);
    }),
  );
  for (const other of ["clusterplatform_ready", "clusterplatform_cluster", "clusterplatform_capxy_cluster", "null_resource"]) {
    expect(parsePluginResourceType(other)).toBeUndefined();
  }
  expect(prefixOfPluginId("chosen", "prod")).toBeUndefined();
  expect(prefixOfPluginId("EU_prod", "prod")).toBeUndefined();
  const cluster = { type: "capvs", name: "pr.od" } as const;
  expect(parseSupportId(PLUGIN_READY_TYPE, pluginReadyId("eu_"))).toEqual({ prefix: "eu_", resource: "ready" });
  expect(parseSupportId(PLUGIN_READY_TYPE, pluginReadyId("", cluster))).toEqual({ prefix: "", resource: "ready", cluster });
  expect(parseSupportId(PLUGIN_READY_TYPE, "protection")).toBeUndefined();
});
