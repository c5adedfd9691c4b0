import { foreign, type ForeignPart } from "../../../recognition/foreign-part";
import { withoutKeys } from "../plan/configuration";
import { blockAddressOf, type PlannedStack, type ResourceChange } from "../plan/plan";

/** Terraform runs provisioners at no other time. */
export function runsProvisioners({ mode, change }: ResourceChange): boolean {
  return mode !== "data" && change.actions.some((action) => action === "create" || action === "delete");
}

/**
 * The blocks with provisioners whose instances the plan creates or deletes.
 * @param isOfPlatform whether these may be the hooks of a Platform
 */
export function provisionedResources(
  { plan, synthesized }: PlannedStack,
  isOfPlatform: (change: ResourceChange) => boolean,
): ForeignPart[] {
  const found = new Map<string, ForeignPart>();
  for (const resource of plan.changes) {
    const { type, name, module_address: inModule = "" } = resource;
    if (!runsProvisioners(resource)) continue;
    const [module, block] = [withoutKeys(inModule), `${type}.${name}`];
    const address = blockAddressOf(resource);
    if (found.has(address) || isOfPlatform(resource)) continue;
    const written = module === "" ? synthesized?.provisionersOf(block) : undefined;
    const provisioners = written ?? plan.configuration.find(module, block)?.provisioners ?? [];
    if (provisioners.length === 0) continue;
    const types = [...new Set(provisioners.map((each) => each.type))].join(" and ");
    found.set(address, foreign(address, `changes, and runs its provisioners (${types})`, provisioners));
  }
  return [...found.values()];
}
