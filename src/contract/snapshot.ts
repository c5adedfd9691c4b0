/**
 * The objects that a Platform declares. `deletion_guard` and `orphan_check` keep the snapshot of the last apply in their
 * triggers, and their destroy hooks hold it against that of the code.
 */
export interface Snapshot {
  /** By `type/kind/name`. */
  readonly objects: Readonly<Record<string, "">>;
}

export function snapshotOf(ids: readonly string[]): Snapshot {
  return { objects: Object.fromEntries([...ids].sort().map((id) => [id, ""])) };
}

/** The ids of its objects; none where `value` is no snapshot. */
export function idsIn(value: unknown): string[] {
  const objects = (value as Snapshot | undefined | null)?.objects;
  return typeof objects === "object" && objects !== null ? Object.keys(objects) : [];
}
