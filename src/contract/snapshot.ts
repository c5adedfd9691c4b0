import { createHash } from "node:crypto";
import type { HookNeeds } from "./hook-protocol";

/**
 * The objects that a Platform declares. `orphan_check` and `ready` keep the snapshot of the last apply in their triggers, and
 * `protection` in its input. Their destroy hooks compare it with the code's snapshot.
 */
export interface Snapshot {
  /** The service's URL, if the code has it. */
  readonly url?: string;
  /** {@link digestOf} each declaration by `type/kind/name`. Empty digests if only the ids matter. */
  readonly objects: Readonly<Record<string, string>>;
  /** Of the code, for the deletion guard. */
  readonly needs?: HookNeeds;
  /** Of the code: the Terraform resource type of the objects' blocks. */
  readonly engine?: string;
}

/** Thousands of digests must fit into a hook's environment: 36 bits for the values, 18 bits for the names of tokens. */
const DIGEST_CHARACTERS = 6;
const TOKENS_CHARACTERS = 3;

/**
 * Covers the triggers that are literals, because synth does not know the values of tokens. The names of the token triggers are
 * its second part: two digests are comparable only if these are equal.
 */
export function digestOf(triggers: Readonly<Record<string, unknown>>, isToken: (value: unknown) => boolean): string {
  const literal: string[] = [];
  const tokens: string[] = [];
  // In the form that Terraform keeps: text in Unicode's normal form C.
  for (const [key, value] of Object.entries(triggers)) {
    if (isToken(value)) tokens.push(key.normalize());
    else literal.push(JSON.stringify([key, String(value)]).normalize());
  }
  const part = (texts: string[], length: number) =>
    createHash("sha256").update(texts.sort().join("\n")).digest("base64url").slice(0, length);
  return part(literal, DIGEST_CHARACTERS) + (tokens.length > 0 ? `.${part(tokens, TOKENS_CHARACTERS)}` : "");
}

/** Ids are `type/kind/name`. */
export interface SnapshotChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Terraform deletes and recreates these objects. */
  readonly replaced: readonly string[];
}

export function changeBetween(before: Snapshot, after: Snapshot): SnapshotChange {
  const isReplaced = (id: string) => differ(before.objects[id]!, after.objects[id] ?? before.objects[id]!);
  const ids = Object.keys(before.objects);
  return { before: ids, after: Object.keys(after.objects), replaced: ids.filter(isReplaced) };
}

function differ(one: string, other: string): boolean {
  const [[literal, tokens], [otherLiteral, otherTokens]] = [one.split("."), other.split(".")];
  return tokens === otherTokens && literal !== "" && otherLiteral !== "" && literal !== otherLiteral;
}

/** Undefined if the value, from a plan or a hook's environment, is not a snapshot. */
export function asSnapshot(value: unknown): Snapshot | undefined {
  const { url, objects } = (value ?? {}) as Partial<Snapshot>;
  if (typeof objects !== "object" || objects === null || !Object.values(objects).every(isText)) return undefined;
  return url === undefined || isText(url) ? (value as Snapshot) : undefined;
}

const isText = (value: unknown) => typeof value === "string";
