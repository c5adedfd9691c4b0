import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError } from "../../model/errors";
import { HOOK_ENV, type HookSettings } from "../../contract/hook-protocol";
import { requiredSecrets } from "../../contract/required-secrets";
import { fromEnv, fromFile } from "../../contract/secret-source";
import type { ConnectionLiterals } from "../../api/connection";
import { type RequiredVariable, requiredVariables } from "./variables";

/** What a synthesized stack needs of the machine that applies it. */
export interface Stack {
  readonly folder: string;
  /** The files that its hooks run. */
  readonly programs: readonly { readonly path: string; readonly present: boolean }[];
  /** How each of its Platforms reaches the service. */
  readonly connections: readonly ConnectionLiterals[];
  readonly secrets: readonly {
    /** The construct and the field that need it. */
    readonly where: string;
    readonly place: string;
    /** Why it cannot be had; undefined if it can. */
    problem(env: NodeJS.ProcessEnv): string | undefined;
  }[];
  readonly variables: readonly RequiredVariable[];
}

/** @throws INVALID_SETTING where the folder holds no synthesized stack */
export function readStack(folder: string): Stack {
  const json = synthesized(folder);
  const hooks = provisioners(json);
  const paths = new Set(hooks.map(({ interpreter }) => interpreter[1]!));
  const connections = new Map(
    hooks.map(({ environment }) => settingsOf(environment)).map((literals) => [JSON.stringify(literals), literals]),
  );
  return {
    folder,
    programs: [...paths].map((path) => ({ path, present: existsSync(join(folder, path)) })),
    connections: [...connections.values()],
    secrets: requiredSecrets(json).map(({ path, field, kind, name }) => ({
      where: `${path} (${field})`,
      place: kind === "env" ? `environment variable ${name}` : `file ${name}`,
      problem: (env) => {
        const found = kind === "env" ? fromEnv(name, env) : fromFile(name, folder);
        return "problem" in found ? found.problem : undefined;
      },
    })),
    variables: requiredVariables(json, folder),
  };
}

function synthesized(folder: string): unknown {
  const file = join(folder, "cdk.tf.json");
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ConfigurationError(
      "INVALID_SETTING",
      `${file} cannot be read (${(error as Error).message}): synthesize first, and give the folder of one stack, such as cdktf.out/stacks/production`,
    );
  }
}

interface Hook {
  readonly interpreter: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Every hook of the stack, whatever element it stands in. */
function provisioners(value: unknown): Hook[] {
  if (typeof value !== "object" || value === null) return [];
  if ("interpreter" in value && HOOK_ENV.settings in ((value as { environment?: object }).environment ?? {}))
    return [value as Hook];
  return Object.values(value).flatMap(provisioners);
}

function settingsOf(environment: Hook["environment"]): ConnectionLiterals {
  return (JSON.parse(environment[HOOK_ENV.settings]!) as HookSettings).connection;
}
