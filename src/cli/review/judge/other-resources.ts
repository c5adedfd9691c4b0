import { groupedBy } from "../../report/grouped-by";
import { blockAddressOf, movedFrom, type ResourceChange } from "../plan/plan";

/**
 * Numbers of resources. A replaced one counts as created and as deleted. `other` are moved, imported and forgotten ones, and those
 * with actions that this version does not know.
 */
export type Counts = Record<"create" | "update" | "delete" | "read" | "other" | "unchanged", number>;

export interface OtherResources extends Readonly<Counts> {
  readonly stack: string;
  /** As in `aws_instance`, or `data.aws_ami` for a data source. */
  readonly type: string;
  /** Deleted and replaced resources. */
  readonly deleted: readonly string[];
  /** Without replaced ones. */
  readonly created: readonly string[];
  /** Those that change and have provisioners, which run with the environment of the hooks. */
  readonly provisioned: readonly string[];
}

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
  const groups = groupedBy(changes, ({ mode, type }) => (mode === "data" ? `data.${type}` : type));
  const all = [...groups].map(([type, group]) => {
    const counts: Counts = { ...NOTHING };
    for (const count of group.flatMap(countedAs)) counts[count]++;
    const does = (action: string) => group.filter(({ change }) => change.actions.includes(action));
    const [deleted, created] = [does("delete"), does("create").filter(({ change }) => !change.actions.includes("delete"))];
    const provisioned = [...deleted, ...created].filter((change) => isProvisioned(blockAddressOf(change)));
    const [ofDeleted, ofCreated, ofProvisioned] = [deleted, created, provisioned].map((some) =>
      some.map(({ address }) => address),
    );
    return { stack, type, ...counts, deleted: ofDeleted!, created: ofCreated!, provisioned: ofProvisioned! };
  });
  return all.sort((one, other) => (one.type < other.type ? -1 : 1));
}

function countedAs(resource: ResourceChange): (keyof Counts)[] {
  const { actions, importing } = resource.change;
  if (actions[0] === "no-op") return movedFrom(resource) !== undefined || importing ? ["other"] : ["unchanged"];
  const known = actions.length > 0 ? actions : [""];
  return known.map((action) => (Object.hasOwn(NOTHING, action) ? (action as keyof Counts) : "other"));
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
