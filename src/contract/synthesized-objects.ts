import type { JsonObject } from "../model/provider-type";
import type { ObjectRef } from "../model/object-ref";
import { blockOfDeclarationsLocal, type BlockId, parseBlockId } from "./addresses";
import type { HookEntry } from "./hook-protocol";
import { keptText } from "./kept-text";

/** A provider or cluster that a synthesized stack declares. */
export interface SynthesizedObject extends ObjectRef, BlockId {
  /** Id of the block that carries it. */
  readonly block: string;
  /** Its declaration as the create hook reads it, with Terraform's expressions where it has tokens. */
  readonly entry: HookEntry;
}

/** The objects that a synthesized stack declares, from its parsed `cdk.tf.json`. */
export function synthesizedObjects(synthesized: unknown): SynthesizedObject[] {
  const locals = (synthesized as { locals?: JsonObject } | undefined | null)?.locals ?? {};
  return Object.entries(locals).flatMap(([id, objects]) => {
    const block = blockOfDeclarationsLocal(id);
    if (block === undefined) return [];
    const parsed = parseBlockId(block)!;
    return Object.entries(objects ?? {}).flatMap(([name, text]): SynthesizedObject[] => {
      const entry = hookEntry(text);
      return entry ? [{ ...parsed, name, block, entry }] : [];
    });
  });
}

/** An entry as a hook would read it; null where it is an object with tokens, in another local. */
function hookEntry(synthesized: unknown): HookEntry | null {
  return keptText(typeof synthesized === "string" ? JSON.parse(synthesized) : withoutEscapes(synthesized)) as HookEntry | null;
}

/** `$${` and `%%{` are how Terraform's syntax has a `${` and `%{` that are text. */
export function withoutEscapes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll("$${", "${").replaceAll("%%{", "%{"));
}
