import { blockAddressOf, movedFrom, type ResourceChange } from "../plan/plan";

export interface OtherResources {
  readonly stack: string;
  /** As in `aws_instance`, or `data.aws_ami` for a data source. */
  readonly type: string;
  readonly create: number;
  readonly update: number;
  /** A replaced resource counts here and in `create`. */
  readonly delete: number;
  readonly read: number;
  /** Moved, imported, forgotten, or something that this version does not know. */
  readonly other: number;
  readonly unchanged: number;
  /** Deleted and replaced resources. */
  readonly deleted: readonly string[];
  /** Without replaced ones. */
  readonly created: readonly string[];
  /** Those that change and have provisioners, which run with the environment of the hooks. */
  readonly provisioned: readonly string[];
}

export type Counts = { -readonly [Key in "create" | "update" | "delete" | "read" | "other" | "unchanged"]: number };

const NOTHING: Readonly<Counts> = { create: 0, update: 0, delete: 0, read: 0, other: 0, unchanged: 0 };

/**
 * Sorted by type.
 * @param isProvisioned whether a block has provisioners, as in `aws_instance.web`
 */
export function otherResources(
  stack: string,
  changes: readonly ResourceChange[],
  isProvisioned: (block: string) => boolean,
): OtherResources[] {
  const groups = new Map<string, Counts & { deleted: string[]; created: string[]; provisioned: string[] }>();
  for (const change of changes) {
    const type = change.mode === "data" ? `data.${change.type}` : change.type;
    if (!groups.has(type)) groups.set(type, { ...NOTHING, deleted: [], created: [], provisioned: [] });
    const group = groups.get(type)!;
    for (const count of countedAs(change)) group[count]++;
    const { actions } = change.change;
    if (actions.includes("delete")) group.deleted.push(change.address);
    else if (actions.includes("create")) group.created.push(change.address);
    else continue;
    if (isProvisioned(blockAddressOf(change))) group.provisioned.push(change.address);
  }
  return [...groups].map(([type, group]) => ({ stack, type, ...group })).sort((one, other) => (one.type < other.type ? -1 : 1));
}

function countedAs(resource: ResourceChange): (keyof Counts)[] {
  const { change } = resource;
  const [first = "", ...rest] = change.actions;
  if (first === "no-op") return movedFrom(resource) !== undefined || change.importing ? ["other"] : ["unchanged"];
  return [first, ...rest].map((action) => (isCount(action) ? action : "other"));
}

function isCount(action: string): action is "create" | "update" | "delete" | "read" {
  return action === "create" || action === "update" || action === "delete" || action === "read";
}

export function inTotal(groups: readonly OtherResources[]): Counts {
  const total: Counts = { ...NOTHING };
  for (const group of groups) for (const count of Object.keys(total) as (keyof Counts)[]) total[count] += group[count];
  return total;
}

export function changedAndRest(groups: readonly OtherResources[]): { changed: readonly OtherResources[]; unchanged: number } {
  const changed = groups.filter((group) => group.create + group.update + group.delete + group.read + group.other > 0);
  const rest = groups.filter((group) => !changed.includes(group));
  return { changed, unchanged: rest.reduce((sum, group) => sum + group.unchanged, 0) };
}
