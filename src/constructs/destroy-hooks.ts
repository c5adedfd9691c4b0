import { gzipSync } from "node:zlib";
import { Lazy } from "cdktf";
import { triggersAttribute } from "../contract/addresses";
import { HOOK_ENV, type HookBlock, type HookDeclared, type HookSettings } from "../contract/hook-protocol";
import type { Snapshot } from "../contract/snapshot";
import { idOf, objectOf, type ObjectRef } from "../model/object-ref";
import { matchingNone } from "../model/protection";
import type { Kind } from "../model/provider-type";
import type { PlatformResourcesProps } from "./engine";
import type { Hook, HookProgram } from "./hook-program";
import { literalPieces, piecesOf } from "./pieces";

export type SnapshotCommand = "deletion-guard" | "orphan-check";

/** What a Platform declares, and what it reads from its stack. Its functions are called at synth. */
type Declarations = Pick<PlatformResourcesProps, "settings" | "objects" | "elsewhere">;

export function deleteHook(program: HookProgram, engine: string, block: HookBlock, declarations: Declarations): Hook {
  const triggers = `self.${triggersAttribute(engine)}`;
  const identity = {
    [HOOK_ENV.block]: JSON.stringify(block),
    [HOOK_ENV.name]: `\${${triggers}.name}`,
    [HOOK_ENV.resourceId]: "${self.id}",
    ...(block.kind === "clusters" && { [HOOK_ENV.provider]: `\${${triggers}.provider}` }),
  };
  const environment = () => ({ ...identity, ...literalPieces(HOOK_ENV.declared, compressed(declaredFor(block, declarations))) });
  return program.hook("delete", Lazy.anyValue({ produce: environment }), "destroy");
}

/** How many declared objects a destroy hook gets. If one of them lives, the service is the right one. */
const WITNESSES = 50;

/** Providers come first, because they are deleted last. */
function declaredFor(block: HookBlock, { settings, objects, elsewhere }: Declarations): HookDeclared {
  const ids = objects().map(idOf).sort();
  const ofKind = (kind: Kind) => ids.filter((id) => objectOf(id).kind === kind);
  const ofBlock = elsewhere().filter(({ type, kind }) => type === block.type && kind === block.kind);
  return {
    objects: [...ofKind("providers"), ...ofKind("clusters")].slice(0, WITNESSES),
    retained: matchingNone(settings.retain, ids),
    elsewhere: ofBlock.map(idOf).sort(),
  };
}

/** Destroy hook for the engine that is not selected: always refuses. `block` is the block of the selected engine. */
export function refuseHook(program: HookProgram, block: HookBlock): Hook {
  return program.hook("refuse", { [HOOK_ENV.block]: JSON.stringify(block) }, "destroy");
}

export function snapshotOf<T extends ObjectRef>(
  objects: readonly T[],
  { connection: { url } }: HookSettings,
  digest: (object: T) => string,
): Snapshot {
  const entries = objects.map((object) => [idOf(object), digest(object)] as const);
  const sorted = entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...(url !== undefined && { url }), objects: Object.fromEntries(sorted) };
}

/** For resources with a snapshot in their triggers: compares the objects of the state with those of the code. */
export function snapshotHook(program: HookProgram, command: SnapshotCommand, ofCode: () => Snapshot): Hook {
  const ofState = piecesOf(HOOK_ENV.before, SNAPSHOT_OF_STATE, PIECES_OF_STATE);
  const environment = () => ({ ...ofState, ...literalPieces(HOOK_ENV.after, compressed(ofCode())) });
  return program.hook(command, Lazy.anyValue({ produce: environment }), "destroy");
}

/** The triggers are sensitive to keep plans short. With a sensitive variable, Terraform would suppress the output of the hook. */
const SNAPSHOT_OF_STATE = "base64gzip(jsonencode(try(nonsensitive(self.triggers_replace), self.triggers_replace)))";
/** Enough for ten thousand objects. The size of the snapshot in the state is not known at synth. */
export const PIECES_OF_STATE = 8;

/** Destroy hook for resources that Terraform destroys only when it destroys everything. */
export function destroyAllHook(program: HookProgram, command: SnapshotCommand, ofCode: () => Snapshot): Hook {
  const environment = () => literalPieces(HOOK_ENV.before, compressed(ofCode()));
  return program.hook(command, Lazy.anyValue({ produce: environment }), "destroy");
}

/** Terraform's base64gzip(jsonencode(…)), for a value that is known at synth. */
export function compressed(value: unknown): string {
  return gzipSync(JSON.stringify(value)).toString("base64");
}

export function removedWithHook(from: string, { type, ...hook }: Hook) {
  return { from, lifecycle: [{ destroy: true }], provisioner: [{ [type]: hook }] };
}
