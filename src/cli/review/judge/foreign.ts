import { isDeepStrictEqual } from "node:util";
import { isPluginResourceType, PLUGIN_READY_TYPE, PLUGIN_SOURCE } from "../../../contract/addresses";
import { foreign as foreignPart, type ForeignPart } from "../../../recognition/foreign-part";
import { groupedBy } from "../../report/grouped-by";
import { blockOf, isSupportResource, type NamedResource, supportInstance } from "../../report/instance";
import { plannedProvisioners } from "../plan/configuration";
import { blockAddressOf, type PlannedStack, type ResourceChange } from "../plan/plan";
import { providerBlocks } from "../plan/provider-blocks";
import type { NoteOfStack } from "./note";

/** What an apply may run that is not from this package. */

/**
 * The problem of the hooks in a Platform's block, as the end of a sentence about the block. It is unknown for a block whose
 * configuration is not there.
 * @param block in the root module, as in `null_resource.capvs_clusters`
 */
export function hookProblem(stack: PlannedStack, block: string): string | undefined {
  return foreignProblem(stack, block) ?? (hasOtherHooks(stack, block) ? OTHER_HOOKS : undefined);
}

const OTHER_HOOKS = "has different hooks in the plan and in the synthesized stack";

function foreignProblem({ foreign = [], allowedForeign }: PlannedStack, block: string): string | undefined {
  const isOfBlock = ({ address }: ForeignPart) => address === block || address === `removed ${block}`;
  return foreign.find((part) => isOfBlock(part) && !allowedForeign?.has(part.digest))?.problem;
}

/** Whether the plan is of another configuration. */
function hasOtherHooks({ plan, synthesized, foreign }: PlannedStack, block: string): boolean {
  const planned = plan.configuration.find("", block)?.provisioners;
  if (!planned || !synthesized || !foreign) return false;
  return !isDeepStrictEqual(planned, plannedProvisioners(synthesized.provisionersOf(block) ?? []));
}

/** Terraform runs provisioners at no other time. */
export function runsProvisioners({ mode, change }: ResourceChange): boolean {
  return mode !== "data" && change.actions.some((action) => action === "create" || action === "delete");
}

/**
 * Whether a resource may have hooks of a Platform.
 * @param platforms the keys of all Platforms that the plan shows, without the keys of modules
 */
function mayHaveHooks(resource: NamedResource, platforms: ReadonlySet<string>): boolean {
  if (resource.type === PLUGIN_READY_TYPE) return false;
  return blockOf(resource) !== undefined || isSupportResource(resource, platforms);
}

/** Parts of the configuration that are not from this package, and other resources whose provisioners the apply runs. */
export function foreignParts(stack: PlannedStack, platforms: ReadonlySet<string>): ForeignPart[] {
  const { plan, synthesized, foreign = [] } = stack;
  const known = new Set(foreign.map(({ address }) => address));
  const running = plan.changes.filter((change) => runsProvisioners(change) && !mayHaveHooks(change, platforms));
  const blocks = new Map(running.map((change) => [blockAddressOf(change), change]));
  const provisioned = [...blocks].flatMap(([address, { type, name, module_address: module = "" }]) => {
    const written = module === "" ? synthesized?.provisionersOf(address) : undefined;
    const provisioners = written ?? plan.configuration.find(module, `${type}.${name}`)?.provisioners ?? [];
    if (known.has(address) || provisioners.length === 0) return [];
    const types = [...new Set(provisioners.map((each) => each.type))].join(" and ");
    return [foreignPart(address, `changes, and runs its provisioners (${types})`, provisioners)];
  });
  return [...foreign, ...provisioned];
}

/** @param others the resources of others */
export function foreignNotes(
  stack: PlannedStack,
  platforms: ReadonlySet<string>,
  others: readonly ResourceChange[],
  parts: readonly ForeignPart[],
): NoteOfStack[] {
  const { plan, allowedForeign, recognized } = stack;
  const unknown = others
    .filter((change) => change.mode !== "data" && isPluginResourceType(change.type) && supportInstance(change) === undefined)
    .filter(({ type, change }) => type !== PLUGIN_READY_TYPE && change.actions.join() !== "no-op");
  const otherHooks = [...plan.configuration.blocks].flatMap(({ module, type, name }): NoteOfStack[] => {
    const address = `${type}.${name}`;
    const isOfPlatform = module === "" && mayHaveHooks({ address, type, name }, platforms);
    const isOther = isOfPlatform && hookProblem(stack, address) === OTHER_HOOKS;
    return isOther ? [{ code: "OTHER_HOOKS", risk: "critical", address, problem: OTHER_HOOKS }] : [];
  });
  return [
    ...parts.map((part): NoteOfStack => {
      const allowance = allowedForeign?.get(part.digest);
      // What a foreign part does is unknown, so the worst is assumed.
      if (!allowance) return { code: "FOREIGN", risk: "critical", ...part };
      return { code: "FOREIGN_ALLOWED", risk: "none", ...part, ...(allowance.why && { why: allowance.why }) };
    }),
    ...otherHooks,
    ...unverifiedHooks(stack, platforms),
    ...(recognized
      ? [{ code: "RECOGNIZED" as const, risk: "none" as const, blocks: recognized.own, program: recognized.ownProgram }]
      : []),
    ...foreignProviders(stack),
    ...(unknown.length > 0
      ? [{ code: "UNKNOWN_RESOURCES" as const, risk: "high" as const, addresses: unknown.map(({ address }) => address) }]
      : []),
  ];
}

/** The package synthesizes root modules only, so the hooks of modules are unknown. */
function unverifiedHooks({ plan, foreign }: PlannedStack, platforms: ReadonlySet<string>): NoteOfStack[] {
  const isKnown = foreign !== undefined && plan.configuration.present;
  const isInModule = ({ module_address: module = "" }: ResourceChange) => module !== "";
  const unverified = plan.changes.filter((each) => mayHaveHooks(each, platforms) && (!isKnown || isInModule(each)));
  if (unverified.length === 0) return [];
  const [run, inModules] = [unverified.some(runsProvisioners), unverified.every(isInModule)];
  return [{ code: "HOOKS_NOT_VERIFIED", risk: run ? "critical" : "none", run, inModules }];
}

function foreignProviders({ plan }: PlannedStack): NoteOfStack[] {
  const used = [
    ...providerBlocks(plan).map(({ key, source }) => ({ source, address: `provider ${key}` })),
    ...plan.changes
      .filter(({ type }) => isPluginResourceType(type))
      .map(({ address, provider_name: source = PLUGIN_SOURCE }) => ({ source, address })),
  ];
  const foreign = groupedBy(
    used.filter(({ source }) => source !== PLUGIN_SOURCE),
    ({ source }) => source,
  );
  return [...foreign].map(([source, all]) => {
    return { code: "FOREIGN_PROVIDER", risk: "high", source, addresses: [...new Set(all.map(({ address }) => address))] };
  });
}
