import { isDeepStrictEqual } from "node:util";
import { PLUGIN_READY_TYPE } from "../../../contract/addresses";
import { blockOf, isSupportResource, type NamedResource } from "../../report/instance";
import { plannedProvisioners } from "../plan/configuration";
import type { PlannedStack } from "../plan/plan";

/**
 * The problem of the hooks in a Platform's block, as the end of a sentence about the block. It is unknown for a block whose
 * configuration is not there, see {@link isVerified}.
 * @param block in the root module, as in `null_resource.capvs_clusters`
 */
export function hookProblem(stack: PlannedStack, block: string): string | undefined {
  return foreignProblem(stack, block) ?? (hasOtherHooks(stack, block) ? OTHER_HOOKS : undefined);
}

export function foreignProblem({ foreign = [], allowedForeign }: PlannedStack, block: string): string | undefined {
  return foreign.find(({ address, digest }) => ADDRESSES(block).includes(address) && !allowedForeign?.has(digest))?.problem;
}

const ADDRESSES = (block: string) => [block, `removed ${block}`];

/** Whether the plan is of another configuration. */
function hasOtherHooks({ plan, synthesized, foreign }: PlannedStack, block: string): boolean {
  const planned = plan.configuration.find("", block)?.provisioners;
  if (!planned || !synthesized || !foreign) return false;
  return !isDeepStrictEqual(planned, plannedProvisioners(synthesized.provisionersOf(block) ?? []));
}

const OTHER_HOOKS = "has different hooks in the plan and in the synthesized stack";

/** Whether the configuration shows what the hooks of a module's blocks are. The package synthesizes root modules only. */
export function isVerified({ plan, foreign }: PlannedStack, module: string): boolean {
  return foreign !== undefined && plan.configuration.present && module === "";
}

/**
 * Whether a resource may have hooks of a Platform.
 * @param platforms the keys of all Platforms that the plan shows, without the keys of modules
 */
export function mayHaveHooks(resource: NamedResource, platforms: ReadonlySet<string>): boolean {
  if (resource.type === PLUGIN_READY_TYPE) return false;
  return blockOf(resource) !== undefined || isSupportResource(resource, platforms);
}
