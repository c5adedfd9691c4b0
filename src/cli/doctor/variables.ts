import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface RequiredVariable {
  readonly name: string;
  /** Counts the files that Terraform reads automatically, too. */
  given(env: NodeJS.ProcessEnv): boolean;
}

/** @param synthesized the parsed `cdk.tf.json` */
export function requiredVariables(synthesized: unknown, folder: string): RequiredVariable[] {
  const { variable } = (synthesized ?? {}) as { variable?: Readonly<Record<string, object>> };
  const names = Object.entries(variable ?? {}).flatMap(([name, block]) => (Object.hasOwn(block, "default") ? [] : [name]));
  const inFiles = names.length > 0 ? new Set(filesOf(folder).flatMap(keysOf)) : new Set<string>();
  return names.sort().map((name) => ({ name, given: (env) => env[`TF_VAR_${name}`] !== undefined || inFiles.has(name) }));
}

function filesOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /^terraform\.tfvars(\.json)?$|\.auto\.tfvars(\.json)?$/.test(name))
    .map((name) => join(folder, name));
}

/** In HCL every line that begins like an assignment counts, even one inside a value. */
function keysOf(file: string): string[] {
  try {
    const text = readFileSync(file, "utf8");
    if (file.endsWith(".json")) return Object.keys(JSON.parse(text) as object);
    return [...text.matchAll(/^[ \t]*"?([\p{L}\p{N}_-]+)"?[ \t]*=/gmu)].map(([, key]) => key!);
  } catch {
    // Terraform reports the error.
    return [];
  }
}
