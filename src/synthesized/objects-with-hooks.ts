import type { ObjectRef } from "../model/object-ref";
import type { JsonObject } from "../model/provider-type";
import { withoutEscapes } from "../terraform/template-text";
import { blockOfDeclarationsLocal, type BlockId, parseBlockId } from "../contract/addresses";
import type { HookEntry } from "../contract/hook-protocol";
import { keptText, parseKept } from "../contract/kept-text";

export interface ObjectWithHooks extends ObjectRef, BlockId {
  /** Tokens are Terraform expressions. */
  readonly entry: HookEntry;
}

/** @param synthesized the parsed `cdk.tf.json` */
export function objectsWithHooks(synthesized: unknown): ObjectWithHooks[] {
  const locals = (synthesized as { locals?: JsonObject } | undefined | null)?.locals ?? {};
  return Object.entries(locals).flatMap(([id, objects]) => {
    const block = blockOfDeclarationsLocal(id);
    if (block === undefined) return [];
    const parsed = parseBlockId(block)!;
    return Object.entries(objects ?? {}).flatMap(([name, text]): ObjectWithHooks[] => {
      const entry = hookEntry(text);
      return entry ? [{ ...parsed, name, entry }] : [];
    });
  });
}

/** Null for an object with tokens, which another local holds. */
function hookEntry(synthesized: unknown): HookEntry | null {
  return (typeof synthesized === "string" ? parseKept(synthesized) : keptText(withoutEscapes(synthesized))) as HookEntry | null;
}
