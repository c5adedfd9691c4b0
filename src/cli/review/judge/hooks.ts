import { isDeepStrictEqual } from "node:util";
import { PLUGIN_READY_TYPE } from "../../../contract/addresses";
import type { HookCommand } from "../../../contract/hook-protocol";
import { blockOf, isSupportResource, supportInstance, type PlatformId, type SupportInstance } from "../../report/instance";
import { withoutKeys } from "../plan/configuration";
import type { Plan, PlannedStack } from "../plan/plan";
import { configuredSettings, type PlatformSettings } from "../plan/platform-settings";
import { commandOf, foreignPart, hookSettingsOf, misplacedPart, type Provisioner } from "../plan/provisioner";

/**
 * The problem of the hooks in a Platform's block, as the end of a sentence about the block. Only the synthesized stack shows when
 * Terraform runs the hooks, and whether their failure stops the apply.
 * @param address as in `null_resource.capvs_clusters`
 * @param settings of the Platform in the plan; the hooks must obey the same settings
 */
export function hookProblem(
  stack: PlannedStack,
  module: string,
  address: string,
  settings: PlatformSettings | undefined,
): string | undefined {
  const { plan, synthesized } = stack;
  const planned = plan.configuration.find(module, address)?.provisioners;
  const written = module === "" ? synthesized?.provisionersOf(address) : undefined;
  if (stack.foreign !== undefined && module === "") {
    const isPlanned =
      !planned ||
      isDeepStrictEqual(
        planned,
        (written ?? []).map(({ type, settings }) => ({ type, settings })),
      );
    return foreignProblem(stack, address) ?? (isPlanned ? undefined : OTHER_HOOKS);
  }
  return (
    first(planned ?? [], (hook) => problemOf(hook, settings)) ??
    (planned && missingHook(plan, module, address, planned)) ??
    first(written ?? [], (hook) => problemOf(hook, planned && settings) ?? prefixed(misplacedPart(hook))) ??
    (planned && synthesized && module === "" && !isSame(planned, written ?? []) ? OTHER_HOOKS : undefined)
  );
}

const OTHER_HOOKS = "has different hooks in the plan and in the synthesized stack";

/** Of a block in the root module. */
export function foreignProblem({ foreign = [], allowedForeign }: PlannedStack, block: string): string | undefined {
  return foreign.find(({ address, digest }) => ADDRESSES(block).includes(address) && !allowedForeign?.has(digest))?.problem;
}

const ADDRESSES = (block: string) => [block, `removed ${block}`];

function problemOf(hook: Provisioner, settings: PlatformSettings | undefined): string | undefined {
  const foreign = prefixed(foreignPart(hook));
  if (foreign !== undefined || settings === undefined) return foreign;
  const obeyed = hookSettingsOf(hook);
  const differs = obeyed && SETTINGS.find((key) => text(obeyed[key]) !== text(settings[key]));
  return differs && `has a hook with a different ${differs} than the plan shows`;
}

function missingHook(plan: Plan, module: string, address: string, hooks: readonly Provisioner[]): string | undefined {
  const commands = new Set<string | undefined>(hooks.map(({ settings }) => commandOf(settings)));
  const missing = requiredCommands(plan, module, address).find((command) => !commands.has(command));
  return missing === undefined || commands.has("refuse") ? undefined : `lacks the hook that runs ${missing}`;
}

/** A Platform that moves to the Terraform provider keeps blocks that create nothing. */
function requiredCommands(plan: Plan, module: string, address: string): readonly HookCommand[] {
  const [type = "", name = ""] = address.split(".");
  const resource = { address, ...(module && { module_address: module }), type, name };
  const [block, support] = [blockOf(resource), supportInstance(resource)];
  const platform = block?.platform ?? support?.platform;
  const hasHooks = platform !== undefined && configuredSettings(plan, platform) !== undefined;
  if (block) return hasHooks ? ["delete", "create"] : ["delete"];
  return support && hasHooks && type !== PLUGIN_READY_TYPE ? [COMMANDS[support.resource]] : [];
}

const COMMANDS: Readonly<Record<SupportInstance["resource"], HookCommand>> = {
  deletion_guard: "deletion-guard",
  protection: "deletion-guard",
  orphan_check: "orphan-check",
  orphan_check_on_destroy: "orphan-check",
  readiness: "wait",
  ready: "wait",
};

const prefixed = (part: string | undefined) => part && `has a provisioner that ${part}`;
const SETTINGS = ["deletionProtection", "allowDeletion", "retain", "connection"] as const;

/** Where the plan has `*`, the setting of a hook is `true`. */
function text(setting: unknown): string {
  if (typeof setting === "object" && setting !== null && !Array.isArray(setting)) {
    return JSON.stringify(Object.entries(setting).sort());
  }
  const list: unknown[] = setting === true ? ["*"] : Array.isArray(setting) ? [...(setting as unknown[])] : [];
  return JSON.stringify(list.map(String).sort());
}

function isSame(planned: readonly Provisioner[], written: readonly Provisioner[]): boolean {
  const commands = (hooks: readonly Provisioner[]) => hooks.map(({ settings }) => String(settings.command)).join();
  return commands(planned) === commands(written);
}

function first(hooks: readonly Provisioner[], problem: (hook: Provisioner) => string | undefined): string | undefined {
  for (const hook of hooks) {
    const found = problem(hook);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface PlatformBlock {
  /** Without instance keys. */
  readonly module: string;
  /** As in `null_resource.capvs_clusters`. */
  readonly block: string;
  /** Undefined for the blocks of support resources. */
  readonly platform: PlatformId | undefined;
}

/** @param platforms the keys of all Platforms that the plan shows */
export function platformBlocks({ plan }: PlannedStack, platforms: ReadonlySet<string>): PlatformBlock[] {
  const keyless = new Set([...platforms].map(withoutKeys));
  return [...plan.configuration.blocks].flatMap(({ module, type, name }) => {
    const resource = { address: "", ...(module && { module_address: module }), type, name };
    const platform = blockOf(resource)?.platform;
    return platform || isSupportResource(resource, keyless) ? [{ module, block: `${type}.${name}`, platform }] : [];
  });
}
