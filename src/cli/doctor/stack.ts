import type { ConnectionLiterals } from "../../api/connection";
import { fromEnv, fromFile } from "../../host/secret-source";
import { locate } from "../../util/regular-file";
import { readSynthesized } from "../../synthesized/folder";
import { settingsText, synthesizedConnections, synthesizedHooks } from "../../synthesized/platforms";
import { requiredSecrets } from "../../synthesized/required-secrets";

export interface Stack {
  readonly folder: string;
  readonly synthesized: unknown;
  readonly programs: readonly { readonly path: string; readonly interpreter: readonly string[]; readonly settings: string }[];
  /** Of its Platforms, each once. */
  readonly connections: readonly ConnectionLiterals[];
  readonly secrets: readonly {
    /** The construct and the field that need it. */
    readonly where: string;
    readonly place: string;
    problem(env: NodeJS.ProcessEnv): string | undefined;
  }[];
}

/** @throws INVALID_SETTING if the folder holds no synthesized stack */
export function readStack(folder: string): Stack {
  const synthesized = readSynthesized(folder);
  const programs = synthesizedHooks(synthesized).map((hook) => {
    const path = hook.interpreter.at(-1)!;
    return [path, { path, interpreter: hook.interpreter, settings: settingsText(hook) }] as const;
  });
  return {
    folder,
    synthesized,
    programs: [...new Map(programs).values()],
    connections: synthesizedConnections(synthesized, folder),
    secrets: requiredSecrets(synthesized).map(({ path, prop, kind, name }) => ({
      where: `${path} (${prop})`,
      place: kind === "env" ? `environment variable ${name}` : `file ${locate(name, folder)}`,
      problem: (env) => {
        const found = kind === "env" ? fromEnv(name, env) : fromFile(name, folder);
        return "problem" in found ? found.problem : undefined;
      },
    })),
  };
}
