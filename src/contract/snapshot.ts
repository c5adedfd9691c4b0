import { createHash } from "node:crypto";

/**
 * What a Platform declares. `deletion_guard` and `orphan_check` keep the snapshot of the last apply in their triggers, and
 * their destroy hooks hold it against that of the code.
 */
export interface Snapshot {
  /** URL of the service, where the code says it. */
  readonly url?: string;
  /** By `type/kind/name`: a {@link digestOf} the declaration; empty where only the objects themselves count. */
  readonly objects: Readonly<Record<string, string>>;
}

/** Thousands of digests have to fit into the environment of a hook: 36 bits of the one, 18 of the other. */
const DIGEST_CHARACTERS = 6;
const TOKENS_CHARACTERS = 3;

/**
 * Tells declarations apart by the triggers that are literals. What only Terraform knows is left out; which triggers these
 * are is a second part, since digests over different triggers say nothing about each other.
 */
export function digestOf(triggers: Readonly<Record<string, unknown>>, isToken: (value: unknown) => boolean): string {
  const literal: string[] = [];
  const tokens: string[] = [];
  // As Terraform keeps them: text, in Unicode's normal form C.
  for (const [key, value] of Object.entries(triggers)) {
    if (isToken(value)) tokens.push(key.normalize());
    else literal.push(JSON.stringify([key, String(value)]).normalize());
  }
  const part = (texts: string[], length: number) =>
    createHash("sha256").update(texts.sort().join("\n")).digest("base64url").slice(0, length);
  return part(literal, DIGEST_CHARACTERS) + (tokens.length > 0 ? `.${part(tokens, TOKENS_CHARACTERS)}` : "");
}

/** What becomes of the objects of a Platform where one snapshot takes the place of another; ids as `type/kind/name`. */
export interface SnapshotChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Objects in both that are declared otherwise, so that Terraform deletes them and creates them anew. */
  readonly replaced: readonly string[];
}

export function changeBetween(before: Snapshot, after: Snapshot): SnapshotChange {
  const isReplaced = (id: string) => areOtherwise(before.objects[id]!, after.objects[id] ?? before.objects[id]!);
  const ids = Object.keys(before.objects);
  return { before: ids, after: Object.keys(after.objects), replaced: ids.filter(isReplaced) };
}

function areOtherwise(one: string, other: string): boolean {
  const [[literal, tokens], [otherLiteral, otherTokens]] = [one.split("."), other.split(".")];
  return tokens === otherTokens && literal !== "" && otherLiteral !== "" && literal !== otherLiteral;
}

/** A value of a plan or of a hook's environment as a snapshot; undefined where it is none. */
export function asSnapshot(value: unknown): Snapshot | undefined {
  const { url, objects } = (value ?? {}) as Partial<Snapshot>;
  if (typeof objects !== "object" || objects === null || !Object.values(objects).every(isText)) return undefined;
  return url === undefined || isText(url) ? (value as Snapshot) : undefined;
}

const isText = (value: unknown) => typeof value === "string";
