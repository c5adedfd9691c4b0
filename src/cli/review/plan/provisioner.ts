import { programOf } from "../../../contract/hook-interpreter";
import { HOOK_ENV, type HookCommand } from "../../../contract/hook-protocol";
import type { JsonObject } from "../../../model/provider-type";

/** The literal parts of a provisioner in a plan's configuration or in a synthesized stack. */
export interface Provisioner {
  readonly type: string;
  /** Arguments by name, without `when` and `on_failure`, which a plan does not show. */
  readonly settings: Readonly<JsonObject>;
  readonly when?: unknown;
  readonly onFailure?: unknown;
}

/** When Terraform must run each hook of this package. No provisioner runs the self-test. */
const RUNS: Readonly<Record<Exclude<HookCommand, "self-test">, "create" | "destroy">> = {
  create: "create",
  wait: "create",
  delete: "destroy",
  refuse: "destroy",
  "deletion-guard": "destroy",
  "orphan-check": "destroy",
};

/** How a provisioner differs from a hook of this package, as the end of a sentence. */
export function foreignPart({ type, settings }: Provisioner): string | undefined {
  if (type !== "local-exec") return `is of the type ${type}`;
  if (commandOf(settings) === undefined) return "runs another command";
  if (!isOwnProgram(settings.interpreter)) return "has another interpreter";
  const environment = (settings.environment ?? {}) as JsonObject;
  const key = Object.keys(environment).find((name) => !ENVIRONMENT.test(name));
  if (key !== undefined) return `sets the environment variable ${key}`;
  const other = Object.keys(settings).find((name) => !ARGUMENTS.has(name));
  return other === undefined ? undefined : `has the argument ${other}`;
}

/** Why Terraform runs a hook at the wrong time, or ignores its failure, as the end of a sentence. */
export function misplacedPart({ settings, when, onFailure }: Provisioner): string | undefined {
  const command = commandOf(settings)!;
  if ((when ?? "create") !== RUNS[command]) return `runs ${command} on ${String(when ?? "create")}`;
  return (onFailure ?? "fail") === "fail" ? undefined : `continues when ${command} fails`;
}

export function commandOf({ command }: Readonly<JsonObject>): keyof typeof RUNS | undefined {
  return typeof command === "string" && Object.hasOwn(RUNS, command) ? (command as keyof typeof RUNS) : undefined;
}

export function hookSettingsOf({ settings }: Provisioner): JsonObject | undefined {
  const text = (settings.environment as JsonObject | undefined)?.[HOOK_ENV.settings];
  try {
    return typeof text === "string" ? (JSON.parse(text) as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

const ARGUMENTS: ReadonlySet<string> = new Set(["command", "interpreter", "environment", "quiet"]);
const ENVIRONMENT = new RegExp(`^(?:${Object.values(HOOK_ENV).join("|")})(?:_\\d+)?$`);

function isOwnProgram(interpreter: unknown): boolean {
  return /^assets\/(?!\.)[\w-]+\/(?:[\w-]+\/)?main\.js$/.test(programOf(interpreter) ?? "");
}
