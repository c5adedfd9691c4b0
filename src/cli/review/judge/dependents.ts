import { instanceAddress } from "../../../contract/addresses";
import { once } from "../../../util/once-per";
import { groupedBy } from "../../report/grouped-by";
import {
  blockOf,
  type InstanceId,
  type NamedResource,
  objectByProvider,
  parseAddress,
  supportInstance,
} from "../../report/instance";
import { type Edge, withoutKeys } from "../plan/configuration";
import { blockAddressOf, type PlannedStack, type ResourceChange } from "../plan/plan";
import type { Dependent } from "./finding";

/**
 * Which resources of others go together with an object, because they depend on it, and the same plan deletes or replaces them.
 * A plan has no locals, so without the synthesized stack a dependency through a local is not seen.
 * @param others changes of resources that belong to no Platform
 */
export function dependentsIn(
  stack: Pick<PlannedStack, "plan" | "synthesized">,
  others: readonly ResourceChange[],
): (id: Pick<InstanceId, "platform" | "block" | "name">) => readonly Dependent[] {
  const going = others.filter(({ mode, change }) => mode !== "data" && change.actions.includes("delete"));
  const dependentsOf = once(() => groupedBy(edgesIn(stack), ({ on }) => on));
  return ({ platform: { module }, block, name }) => {
    if (going.length === 0) return [];
    const prefix = module === "" ? "" : `${withoutKeys(module)}.`;
    const reached = new Set<string>();
    const open = [prefix + block, `${prefix}${instanceAddress(block, name)}`];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      const dependents = (dependentsOf().get(node) ?? []).map(({ dependent }) => dependent);
      const next = dependents.filter((each) => !reached.has(each) && !isOfObjects(each));
      next.forEach((each) => reached.add(each));
      open.push(...next);
    }
    return going
      .filter((change) => reached.has(blockAddressOf(change)))
      .map(({ address, change }) => ({ address, replaced: change.actions.length > 1 }));
  };
}

/** The configuration names instances, and the state has what left the code. */
function edgesIn({ plan, synthesized }: Pick<PlannedStack, "plan" | "synthesized">): Edge[] {
  const ofCode = [...plan.configuration.dependencies(), ...(synthesized?.dependenciesOfLocals() ?? [])];
  const isLeft = ({ module_address: module = "", type, name }: NamedResource) =>
    plan.configuration.find(module, `${type}.${name}`) === undefined;
  return [
    ...ofCode.flatMap(({ dependent, on }) => edges(dependent, [on.startsWith("local.") ? withoutKeys(on) : on])),
    ...plan.state.filter(isLeft).flatMap((resource) => edges(blockAddressOf(resource), resource.dependsOn)),
  ];
}

/** What waits for one cluster also names the block of all clusters, and depends on the instance of that one only. */
function edges(dependent: string, on: readonly string[]): Edge[] {
  const clusters = [dependent, ...on].flatMap((address) => {
    const resource = parseAddress(address);
    const cluster = resource && supportInstance(resource)?.cluster;
    return cluster ? [cluster] : [];
  });
  return on.flatMap((address) => {
    const resource = parseAddress(address);
    const block = resource?.index === undefined ? resource && blockOf(resource) : undefined;
    const own = clusters.filter(({ type }) => block?.kind === "clusters" && block.type === type);
    const precisely = own.length > 0 ? own.map(({ name }) => instanceAddress(address, name)) : [address];
    return precisely.map((each) => ({ dependent, on: each }));
  });
}

/** The objects of Platforms have rows of their own. */
function isOfObjects(address: string): boolean {
  const resource = parseAddress(address);
  return resource !== undefined && (blockOf(resource) !== undefined || objectByProvider(resource, resource.name) !== undefined);
}
