import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { PlatformSettings } from "../../contract/platform-settings";
import { requiredSecrets } from "../../synthesized/required-secrets";
import { fromEnv, fromFile } from "../../host/secret-source";
import { locate } from "../../model/regular-file";
import { readSynthesized, STACK_FILE } from "../../synthesized/folder";
import { synthesizedObjects, type SynthesizedObject } from "../../synthesized/objects";
import { settingsText, synthesizedHooks, synthesizedPlatforms, type SynthesizedPlatform } from "../../synthesized/platforms";
import type { ConnectionLiterals } from "../../api/connection";
import type { JsonObject } from "../../model/provider-type";
import { type Blocks, blocksIn } from "../../terraform/blocks";
import { type RequiredVariable, requiredVariables } from "./variables";

export interface Stack {
  readonly folder: string;
  readonly synthesized: unknown;
  readonly programs: readonly { readonly path: string; readonly interpreter: readonly string[]; readonly settings: string }[];
  readonly platforms: readonly StackPlatform[];
  readonly secrets: readonly {
    /** The construct and the field that need it. */
    readonly where: string;
    readonly place: string;
    readonly of: SynthesizedObject;
    problem(env: NodeJS.ProcessEnv): string | undefined;
  }[];
  readonly variables: readonly RequiredVariable[];
  /** Addresses of resources that `import` blocks import. */
  readonly imported: ReadonlySet<string>;
  /** `moved` blocks: the later address by the earlier one. */
  readonly moved: ReadonlyMap<string, string>;
  /** Addresses in `removed` blocks with `destroy = false`. */
  readonly forgotten: ReadonlySet<string>;
  /** The attributes in `ignore_changes` by the address of the resource. An attribute of which a part is ignored counts. */
  readonly ignoring: ReadonlyMap<string, ReadonlySet<string>>;
  /** `delete`, or `refuse` if the engine was changed. Undefined for a block without a destroy hook or outside of the code. */
  destroyHook(block: string): string | undefined;
  /** The other stacks of the same program. */
  beside(): readonly StackBeside[];
}

export interface StackBeside {
  readonly name: string;
  readonly declared: readonly SynthesizedObject[];
}

export interface StackPlatform extends SynthesizedPlatform {
  readonly declared: readonly SynthesizedObject[];
}

/** @throws INVALID_SETTING if the folder holds no synthesized stack */
export function readStack(folder: string): Stack {
  return stackOf(folder, readSynthesized(folder));
}

/** @param synthesized the JSON of the stack in the folder */
export function stackOf(folder: string, synthesized: unknown): Stack {
  const programs = new Map(
    synthesizedHooks(synthesized).map((hook) => {
      const path = hook.interpreter.at(-1)!;
      return [path, { path, interpreter: hook.interpreter, settings: settingsText(hook) }];
    }),
  );
  const objects = synthesizedObjects(synthesized);
  const blocks = (synthesized ?? {}) as Synthesized;
  const destroyHooks = destroyHooksOf(synthesized);
  return {
    folder,
    synthesized,
    programs: [...programs.values()],
    platforms: synthesizedPlatforms(synthesized).map(({ prefix, settings }) => ({
      prefix,
      settings: located(folder, settings),
      declared: objects.filter((object) => object.prefix === prefix),
    })),
    secrets: requiredSecrets(synthesized).map(({ path, prop, kind, name, of }) => ({
      of,
      where: `${path} (${prop})`,
      place: kind === "env" ? `environment variable ${name}` : `file ${locate(name, folder)}`,
      problem: (env) => {
        const found = kind === "env" ? fromEnv(name, env) : fromFile(name, folder);
        return "problem" in found ? found.problem : undefined;
      },
    })),
    variables: requiredVariables(synthesized, folder),
    imported: new Set(blocksIn(blocks.import).map(({ to }) => to)),
    moved: new Map(blocksIn(blocks.moved).map(({ from, to }) => [from, to])),
    forgotten: new Set(
      blocksIn(blocks.removed).flatMap(({ from, lifecycle }) =>
        blocksIn(lifecycle).some(({ destroy }) => destroy === false) ? [from] : [],
      ),
    ),
    ignoring: new Map(
      Object.entries(blocks.resource ?? {}).flatMap(([type, all]) =>
        Object.entries(all).map(([id, block]) => [`${type}.${id}`, ignoredIn(block)] as const),
      ),
    ),
    destroyHook: (block) => destroyHooks.get(block),
    beside: () => stacksBeside(folder),
  };
}

export function connectionsOf({ platforms }: Stack): ConnectionLiterals[] {
  const all = platforms.map(({ settings }) => settings.connection);
  return [...new Map(all.map((literals) => [JSON.stringify(literals), literals])).values()];
}

function stacksBeside(folder: string): StackBeside[] {
  const parent = dirname(resolve(folder));
  return readdirSync(parent)
    .filter((name) => join(parent, name) !== resolve(folder) && existsSync(join(parent, name, STACK_FILE)))
    .flatMap((name) => {
      try {
        return [{ name, declared: synthesizedObjects(readSynthesized(join(parent, name))) }];
      } catch {
        // A broken stack beside the examined one does not matter.
        return [];
      }
    });
}

/** A relative path of a file becomes the path from this process. */
function located(folder: string, { connection, ...rest }: PlatformSettings): PlatformSettings {
  const { caFile } = connection;
  return { ...rest, connection: { ...connection, ...(caFile !== undefined && { caFile: locate(caFile, folder) }) } };
}

/** Includes `removed` blocks. */
function destroyHooksOf(synthesized: unknown): ReadonlyMap<string, string> {
  const { resource, removed } = (synthesized ?? {}) as Synthesized;
  const blocks = [
    ...Object.entries(resource ?? {}).flatMap(([engine, all]) =>
      Object.entries(all).map(([id, block]) => [`${engine}.${id}`, block] as const),
    ),
    ...blocksIn(removed).map((block) => [block.from, block] as const),
  ];
  return new Map(
    blocks.flatMap(([address, block]) => {
      const command = synthesizedHooks(block).find(({ when }) => when === "destroy")?.command;
      return command === undefined ? [] : [[address, command] as const];
    }),
  );
}

function ignoredIn(block: unknown): ReadonlySet<string> {
  const { lifecycle } = (block ?? {}) as { readonly lifecycle?: Blocks<JsonObject> };
  const paths = blocksIn(lifecycle).flatMap(({ ignore_changes: ignored }) => [ignored ?? []].flat().map(String));
  return new Set(paths.map((path) => path.split(/[.[]/)[0]!));
}

interface Synthesized {
  readonly import?: Blocks<{ readonly to: string }>;
  readonly resource?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly removed?: Blocks<{ readonly from: string; readonly lifecycle?: Blocks<JsonObject> }>;
  readonly moved?: Blocks<{ readonly from: string; readonly to: string }>;
}
