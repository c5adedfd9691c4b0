import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isPluginResourceType, PLUGIN_READY_TYPE, PLUGIN_SOURCE } from "../../../contract/addresses";
import { oncePerObject } from "../../../util/once-per";
import type { ForeignPlace } from "../../../recognition/recognize";
import { groupedBy } from "../../report/grouped-by";
import { blockOf, type NamedResource, supportInstance } from "../../report/instance";
import { plannedProvisioners } from "../plan/configuration";
import { blockAddressOf, type PlannedStack, type ResourceChange } from "../plan/plan";
import { providerBlocks } from "../plan/provider-blocks";
import type { NoteOfStack } from "./note";

/** What an apply may run that is not from this package. */

/** The places with one problem. */
export interface ForeignPart {
  /** Addresses of blocks, or names of files. */
  readonly addresses: readonly string[];
  /** The end of a sentence about each of them. */
  readonly problem: string;
  /** SHA-256 of the addresses and of what is foreign there, in hexadecimal. It allows the part in a policy. */
  readonly digest: string;
}

function partsOf(places: readonly ForeignPlace[]): ForeignPart[] {
  return [...groupedBy(places, ({ problem }) => problem)].map(([problem, group]) => {
    const texts = group.map(({ address, content }) => JSON.stringify([address, content])).sort();
    const digest = createHash("sha256").update(texts.join("\n")).digest("hex");
    return { addresses: [...new Set(group.map(({ address }) => address))], problem, digest };
  });
}

/** In the configuration, whatever the plan changes. */
const partsOfConfiguration = oncePerObject((stack: PlannedStack) => partsOf([...(stack.foreign ?? []), ...otherHooks(stack)]));

/** The plan may be of another configuration. */
function otherHooks({ plan, synthesized, foreign }: PlannedStack): ForeignPlace[] {
  if (!synthesized || !foreign) return [];
  return [...plan.configuration.blocks].flatMap(({ module, type, name, provisioners: content }): ForeignPlace[] => {
    const address = `${type}.${name}`;
    if (module !== "" || !mayHaveHooks({ address, type, name })) return [];
    const isSame = isDeepStrictEqual(content, plannedProvisioners(synthesized.provisionersOf(address) ?? []));
    return isSame ? [] : [{ address, problem: "has different hooks in the plan and in the synthesized stack", content }];
  });
}

/**
 * The problem of the hooks in a Platform's block, as the end of a sentence about the block. It is unknown for a block whose
 * configuration is not there.
 * @param block in the root module, as in `null_resource.capvs_clusters`
 */
export function hookProblem(stack: PlannedStack, block: string): string | undefined {
  const denied = partsOfConfiguration(stack).filter(({ digest }) => !stack.allowedForeign?.has(digest));
  return denied.find(({ addresses }) => addresses.includes(block) || addresses.includes(`removed ${block}`))?.problem;
}

/** Terraform runs provisioners at no other time. */
export function runsProvisioners({ mode, change }: ResourceChange): boolean {
  return mode !== "data" && change.actions.some((action) => action === "create" || action === "delete");
}

/** Whether a resource may have hooks of a Platform. */
function mayHaveHooks(resource: NamedResource): boolean {
  return resource.type !== PLUGIN_READY_TYPE && (blockOf(resource) ?? supportInstance(resource)) !== undefined;
}

function isOfPlatform({ type, name }: Pick<ResourceChange, "type" | "name">): boolean {
  return isPluginResourceType(type) || mayHaveHooks({ address: `${type}.${name}`, type, name });
}

/**
 * Parts of the configuration that are not from this package, and what else the apply runs with the environment of the hooks. A stack
 * without a Platform has none.
 */
export function foreignParts(stack: PlannedStack): ForeignPart[] {
  const { plan, synthesized } = stack;
  if (![...plan.changes, ...plan.configuration.blocks].some(isOfPlatform)) return [];
  const parts = partsOfConfiguration(stack);
  const known = new Set(parts.flatMap(({ addresses }) => addresses));
  const running = plan.changes.filter((change) => runsProvisioners(change) && !mayHaveHooks(change));
  const blocks = new Map(running.map((change) => [blockAddressOf(change), change]));
  const provisioned = [...blocks].flatMap(([address, { type, name, module_address: module = "" }]): ForeignPlace[] => {
    const written = module === "" ? synthesized?.provisionersOf(address) : undefined;
    const content = written ?? plan.configuration.find(module, `${type}.${name}`)?.provisioners ?? [];
    if (known.has(address) || content.length === 0) return [];
    const types = [...new Set(content.map((each) => each.type))].join(" and ");
    return [{ address, problem: `changes, and runs its provisioners (${types})`, content }];
  });
  const programs = plan.changes
    .filter(({ mode, type, change }) => mode === "data" && type === "external" && change.actions.includes("read"))
    .map(({ address, change }) => ({ address, problem: "runs a program when the apply reads it", content: change.after }));
  const actions = plan.actions.map((action) => ({ ...action, problem: "is an action that the apply invokes" }));
  return [...parts, ...partsOf([...provisioned, ...programs, ...actions])];
}

/** @param others the resources of others */
export function foreignNotes(
  stack: PlannedStack,
  others: readonly ResourceChange[],
  parts: readonly ForeignPart[],
): NoteOfStack[] {
  const unknown = others
    .filter((change) => change.mode !== "data" && isPluginResourceType(change.type) && supportInstance(change) === undefined)
    .filter(({ type, change }) => type !== PLUGIN_READY_TYPE && change.actions.join() !== "no-op");
  return [
    ...parts.map((part): NoteOfStack => {
      const allowance = stack.allowedForeign?.get(part.digest);
      // What a foreign part does is unknown, so the worst is assumed.
      if (!allowance) return { because: "not from this package", risk: "critical", ...part };
      return { because: "allowed", risk: "none", ...part, ...(allowance.why && { why: allowance.why }) };
    }),
    ...unverifiedHooks(stack),
    ...foreignProviders(stack),
    ...(unknown.length > 0
      ? [{ because: "unknown resources" as const, risk: "high" as const, addresses: unknown.map(({ address }) => address) }]
      : []),
  ];
}

/** The package synthesizes root modules only, so the hooks of modules are unknown. */
function unverifiedHooks({ plan, foreign }: PlannedStack): NoteOfStack[] {
  const isKnown = foreign !== undefined && plan.configuration.present;
  const isInModule = ({ module_address: module = "" }: ResourceChange) => module !== "";
  const unverified = plan.changes.filter((each) => mayHaveHooks(each) && (!isKnown || isInModule(each)));
  if (unverified.length === 0) return [];
  const [run, inModules] = [unverified.some(runsProvisioners), unverified.every(isInModule)];
  return [{ because: "hooks not verified", risk: run ? "critical" : "none", run, inModules }];
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
    return { because: "another provider", risk: "high", source, addresses: [...new Set(all.map(({ address }) => address))] };
  });
}
