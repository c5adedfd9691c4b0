import { gzipSync } from "node:zlib";
import { Lazy } from "cdktf";
import { triggersAttribute } from "../../contract/addresses";
import { CHUNK_CHARACTERS, HOOK_ENV, type HookBlock, type HookDeclared, NO_TRIGGER } from "../../contract/hook-protocol";
import type { PlatformSettings } from "../../contract/platform-settings";
import { digestOf, type Snapshot } from "../../contract/snapshot";
import { idOf, type ObjectRef } from "../../model/object-ref";
import { oncePerObject } from "../../util/once-per";
import { matchingNone } from "../../model/protection";
import type { Kind } from "../../model/provider-type";
import type { DeclaredObject } from "../synth/declared-object";
import type { PlatformResourcesProps } from "../synth/platform-resources";
import type { HookProvisioner, HookProgram } from "./hook-program";
import { needsOf } from "./needs";
import { literalPieces, piecesOf } from "./pieces";
import { holdsToken } from "../synth/tokens";

/** What a Platform declares, and what it reads from its stack. Its functions are called at synth. */
type Declarations = Pick<PlatformResourcesProps, "settings" | "objects">;

export function deletionHook(
  program: HookProgram,
  engine: string,
  block: HookBlock,
  declarations: Declarations,
): HookProvisioner {
  // Without `try`, Terraform would refuse an imported instance, which has no triggers, before it starts the hook.
  const trigger = (key: string) => `\${try(self.${triggersAttribute(engine)}.${key}, "${NO_TRIGGER}")}`;
  const identity = {
    [HOOK_ENV.block]: JSON.stringify(block),
    [HOOK_ENV.name]: trigger("name"),
    [HOOK_ENV.key]: '${try(each.key, "")}',
    [HOOK_ENV.uid]: "${self.id}",
    // A part of larger triggers is of no use, but one variable holds it.
    [`${HOOK_ENV.triggers}_0`]: `\${substr(${encoded(shown(`self.${triggersAttribute(engine)}`))}, 0, ${CHUNK_CHARACTERS})}`,
    ...(block.kind === "clusters" && { [HOOK_ENV.provider]: trigger("provider") }),
  };
  const environment = () => ({ ...identity, ...literalPieces(HOOK_ENV.declared, compressed(declaredFor(block, declarations))) });
  return program.hook("delete", Lazy.anyValue({ produce: environment }), "destroy");
}

/** How many declared objects a destroy hook gets. If one of them lives, the service is the right one. */
const WITNESSES = 50;

/** Providers come first, because they are deleted last. */
function declaredFor(block: HookBlock, { settings, objects }: Declarations): HookDeclared {
  const all = objects();
  const idsOf = (kind: Kind) =>
    all
      .filter((object) => object.kind === kind)
      .map(idOf)
      .sort();
  const isOfBlock = ({ type, kind }: ObjectRef) => type === block.type && kind === block.kind;
  return {
    objects: [...idsOf("providers"), ...idsOf("clusters")].slice(0, WITNESSES),
    digests: digestsOf(all.filter(isOfBlock)),
    retained: matchingNone(settings.retain, all.map(idOf)),
    needs: needsOf(all.filter(isOfBlock)),
  };
}

/** A hook compares them with a declaration that it has sent. Synth does not know the values of tokens. */
function digestsOf(objects: readonly DeclaredObject[]): Record<string, string> {
  const entries = objects.map((object) => [object.name, object.hasTokens ? "" : digestOfObject(object)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

export const digestOfObject = oncePerObject(({ triggers }: DeclaredObject) => digestOf(triggers, holdsToken));

export function snapshotOf<T extends ObjectRef>(
  objects: readonly T[],
  { connection: { url } }: PlatformSettings,
  digest: (object: T) => string,
): Snapshot {
  const entries = objects.map((object) => [idOf(object), digest(object)] as const);
  const sorted = entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...(url !== undefined && { url }), objects: Object.fromEntries(sorted) };
}

/** Compares the objects of the state with those of the code. */
export function snapshotHook(
  program: HookProgram,
  command: keyof typeof SNAPSHOT_OF_STATE,
  ofCode: () => Snapshot,
): HookProvisioner {
  const ofState = piecesOf(HOOK_ENV.before, SNAPSHOT_OF_STATE[command], PIECES_OF_STATE);
  const environment = () => ({ ...ofState, ...literalPieces(HOOK_ENV.after, compressed(ofCode())) });
  return program.hook(command, Lazy.anyValue({ produce: environment }), "destroy");
}

/** They are sensitive to keep plans short. With a sensitive variable, Terraform would suppress the output of the hook. */
const SNAPSHOT_OF_STATE = {
  "orphan-check": encoded(shown("self.triggers_replace")),
  "deletion-guard": encoded(shown("self.triggers_replace")),
  // It is one line in a plan, because the plan shows the output of the resource, too.
  "destroy-guard": `try(nonsensitive(self.input.objects), self.input.objects, ${encoded("null")})`,
} as const;
/** Enough for ten thousand objects. The size of the snapshot in the state is not known at synth. */
const PIECES_OF_STATE = 8;
/** Terraform's gzip makes the text a little longer or shorter than Node's. */
const COMPRESSED_CHARACTERS = 0.95 * PIECES_OF_STATE * CHUNK_CHARACTERS;

/** Whether a later apply can read the snapshot from its state. */
export function fitsIntoHook(snapshot: Snapshot): boolean {
  return JSON.stringify(snapshot).length < COMPRESSED_CHARACTERS / 2 || compressed(snapshot).length < COMPRESSED_CHARACTERS;
}

/** For the resource without a snapshot. */
export function codeHook(program: HookProgram, ofCode: () => Snapshot): HookProvisioner {
  const environment = () => literalPieces(HOOK_ENV.before, compressed(ofCode()));
  return program.hook("orphan-check", Lazy.anyValue({ produce: environment }), "destroy");
}

export function encoded(expression: string): string {
  return `base64gzip(jsonencode(${expression}))`;
}

function shown(expression: string): string {
  return `try(nonsensitive(${expression}), ${expression})`;
}

/** Terraform's base64gzip(jsonencode(…)), for a value that is known at synth. */
export function compressed(value: unknown): string {
  return gzipSync(JSON.stringify(value)).toString("base64");
}
