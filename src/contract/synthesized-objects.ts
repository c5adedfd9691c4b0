import type { JsonObject } from "../model/provider-type";
import type { ObjectRef } from "../model/object-ref";
import { blockOfDeclarationsLocal, type BlockId, parseBlockId } from "./addresses";
import type { HookEntry } from "./hook-protocol";
import { keptText } from "./kept-text";

export interface SynthesizedObject extends ObjectRef, BlockId {
  /** Id of the block that carries the object. */
  readonly block: string;
  /** The declaration for the create hook. Tokens are Terraform expressions. */
  readonly entry: HookEntry;
}

/** The objects that a parsed `cdk.tf.json` declares. */
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

/** Reads an entry as a hook does. Null for an object with tokens, which another local holds. */
function hookEntry(synthesized: unknown): HookEntry | null {
  return keptText(typeof synthesized === "string" ? JSON.parse(synthesized) : withoutEscapes(synthesized)) as HookEntry | null;
}

/** Terraform's syntax escapes `${` as `$${`, and `%{` as `%%{`. */
export function withoutEscapes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll("$${", "${").replaceAll("%%{", "%{"));
}
