import { gzipSync } from "node:zlib";
import { Lazy } from "cdktf";
import { triggersAttribute } from "../contract/addresses";
import { HOOK_ENV, type HookBlock, type HookDeclared, type HookSettings } from "../contract/hook-protocol";
import type { Snapshot } from "../contract/snapshot";
import { idOf, objectOf, type ObjectRef } from "../model/object-ref";
import { matchingNone } from "../model/protection";
import type { Kind } from "../model/provider-type";
import type { Hook, HookProgram } from "./hook-program";
import { literalPieces, piecesOf } from "./pieces";

/** The destroy hooks of a Platform, which a RetiredPlatform has as well. */

export type SnapshotCommand = "deletion-guard" | "orphan-check";

/** Of the instances that carry objects. */
export function deleteHook(program: HookProgram, engine: string, block: HookBlock, declared: () => HookDeclared): Hook {
  const triggers = `self.${triggersAttribute(engine)}`;
  return program.hook(
    "delete",
    {
      [HOOK_ENV.block]: JSON.stringify(block),
      [HOOK_ENV.name]: `\${${triggers}.name}`,
      ...(block.kind === "clusters" && { [HOOK_ENV.provider]: `\${${triggers}.provider}` }),
      [HOOK_ENV.declared]: Lazy.stringValue({ produce: () => compressed(declared()) }),
    },
    "destroy",
  );
}

/** How many objects a destroy hook is told of: one that lives is enough. */
const WITNESSES = 50;

/** What a destroy hook is told of the code, registrations first: they are the last to go. */
export function declaredFor(objects: readonly ObjectRef[], { retain }: HookSettings): HookDeclared {
  const ids = objects.map(idOf).sort();
  const ofKind = (kind: Kind) => ids.filter((id) => objectOf(id).kind === kind);
  return { objects: [...ofKind("providers"), ...ofKind("clusters")].slice(0, WITNESSES), retained: matchingNone(retain, ids) };
}

/** Of the blocks of the engine that the code does not choose; `block` is the one that it chooses. */
export function refuseHook(program: HookProgram, block: HookBlock): Hook {
  return program.hook("refuse", { [HOOK_ENV.block]: JSON.stringify(block) }, "destroy");
}

/** What a Platform declares, for the resources that keep it in their triggers. */
export function snapshotOf<T extends ObjectRef>(
  objects: readonly T[],
  { connection: { url } }: HookSettings,
  digest: (object: T) => string,
): Snapshot {
  const entries = objects.map((object) => [idOf(object), digest(object)] as const);
  const sorted = entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...(url !== undefined && { url }), objects: Object.fromEntries(sorted) };
}

/** Of the resources that keep a snapshot in their triggers: holds what the state declares against what the code does. */
export function snapshotHook(program: HookProgram, command: SnapshotCommand, ofCode: () => Snapshot): Hook {
  const ofState = piecesOf(HOOK_ENV.before, SNAPSHOT_OF_STATE, PIECES_OF_STATE);
  const environment = () => ({ ...ofState, ...literalPieces(HOOK_ENV.after, compressed(ofCode())) });
  return program.hook(command, Lazy.anyValue({ produce: environment }), "destroy");
}

/** The triggers are sensitive only to keep them out of plans. A hook with sensitive variables could print nothing. */
const SNAPSHOT_OF_STATE = "base64gzip(jsonencode(try(nonsensitive(self.triggers_replace), self.triggers_replace)))";
/** What the state declares is not known at synth: room for ten thousand objects. */
export const PIECES_OF_STATE = 8;

/** Of the resources that are destroyed only when everything is. */
export function destroyAllHook(program: HookProgram, command: SnapshotCommand, ofCode: () => Snapshot): Hook {
  const environment = () => literalPieces(HOOK_ENV.before, compressed(ofCode()));
  return program.hook(command, Lazy.anyValue({ produce: environment }), "destroy");
}

/** What Terraform's base64gzip(jsonencode(…)) makes, for values that are known at synth. */
export function compressed(value: unknown): string {
  return gzipSync(JSON.stringify(value)).toString("base64");
}

/** A `removed` block for a resource that Terraform destroys, with its destroy hook. */
export function removedWithHook(from: string, { type, ...hook }: Hook) {
  return { from, lifecycle: [{ destroy: true }], provisioner: [{ [type]: hook }] };
}
