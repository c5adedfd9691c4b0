import { platformOfPrefix } from "../../../contract/addresses";
import { commonWords } from "../../../lifecycle/remedy-words";
import { idOf } from "../../../model/object-ref";
import { allowDeletionLine, isProtected, retainLine } from "../../../model/protection";
import type { StackPlatform } from "../stack";

export function theirVerb(items: readonly unknown[], verb: "is" | "lives" | "has"): string {
  const plural = { is: "are", lives: "live", has: "have" };
  return items.length === 1 ? verb : plural[verb];
}

export function describePlatform(prefix: string): string {
  return prefix === "" ? "the Platform" : `the Platform ${platformOfPrefix(prefix)}`;
}

/** The words of remedies that the engines share. */
export function wordsOf({ prefix, settings }: Pick<StackPlatform, "prefix" | "settings">) {
  return commonWords({
    retaining: (objects) => `${retainLine(settings, objects.map(idOf))} on ${describePlatform(prefix)}`,
    allowanceFor: (objects) => `${allowDeletionLine(settings, objects.map(idOf))} on ${describePlatform(prefix)}`,
    isProtected: (object) => isProtected(settings, idOf(object)),
    replacing: () => "terraform apply",
  });
}
