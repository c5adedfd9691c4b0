import { groupedBy } from "../../report/grouped-by";
import { hasReason, isCreated, type ObjectFinding } from "./finding";
import type { NoteOfStack } from "./note";

interface Ordered {
  readonly findings: readonly ObjectFinding[];
  /** Platforms that gain or lose objects. Such a Platform creates nothing before all its deletions are done. */
  readonly resized: ReadonlySet<string>;
  /** Providers, as `type/kind/name`, on which clusters of other stacks stay. */
  readonly usedElsewhere: ReadonlySet<string>;
}

/**
 * With hooks, Terraform works block by block: it deletes every cluster of a type before it registers any provider of that type.
 * The package's own provider has one block for each object, so only the clusters on the registered provider are affected. If the
 * registration fails, the clusters that were to be replaced stay deleted.
 */
export function registrationsFirst({ findings }: Ordered): NoteOfStack[] {
  const risky = findings.filter((finding) => isRegistered(finding) || (finding.kind === "cluster" && isReplaced(finding)));
  const ofProvider = ({ kind, provider, name }: ObjectFinding) => (kind === "cluster" ? (provider ?? "") : name);
  const blocks = groupedBy(risky, (each) => `${blockOf(each)} ${each.engine === "provider" ? ofProvider(each) : ""}`);
  return [...blocks.values()].flatMap((block): NoteOfStack[] => {
    const named = (of: ObjectFinding["kind"]) => block.filter(({ kind }) => kind === of).map(({ name }) => name);
    const [{ type }, providers, clusters] = [block[0]!, named("provider"), named("cluster")];
    if (providers.length === 0 || clusters.length === 0) return [];
    return [{ because: "registration in between", risk: "high", type, providers, clusters }];
  });
}

/** Objects that the apply deletes to replace them, and does not create again because a refusal stops the apply. */
export function staysDeleted({ findings, resized, usedElsewhere }: Ordered): NoteOfStack[] {
  const refusalOf = (finding: ObjectFinding) => (usedElsewhere.has(finding.object) ? "deletion" : ownRefusal(finding));
  const refused = findings.filter((finding) => refusalOf(finding) !== undefined);
  const replaced = findings.filter(
    (finding) => isReplaced(finding) && !usedElsewhere.has(finding.object) && !hasReason(finding, "declared at"),
  );
  const registering = new Set(findings.filter(isRegistered).map(blockOf));
  const stops = (one: ObjectFinding, other: ObjectFinding): boolean => {
    if (one.platform !== other.platform || one.engine !== other.engine) return false;
    if (one.engine === "provider") return isOn(other, one);
    if (refusalOf(one) === "deletion" && resized.has(one.platform)) return true;
    if (one.type !== other.type || other.kind !== "cluster") return false;
    return one.kind === "provider" || (refusalOf(one) === "deletion" && registering.has(blockOf(one)));
  };
  return [...new Set(refused.map(({ platform }) => platform))].flatMap((platform): NoteOfStack[] => {
    const objects = replaced.filter((other) => other.platform === platform && refused.some((one) => stops(one, other)));
    const stopping = refused.filter((one) => objects.some((other) => stops(one, other)));
    if (objects.length === 0) return [];
    const ids = (all: readonly ObjectFinding[]) => all.map(({ object }) => object);
    return [{ because: "refused in between", risk: "critical", objects: ids(objects), refused: ids(stopping) }];
  });
}

function ownRefusal(finding: ObjectFinding): "deletion" | "creation" | undefined {
  if (!finding.refused) return undefined;
  const { verdict } = finding;
  const isCreation = verdict === "CREATE" || verdict === "ADOPT" || hasReason(finding, "taken", "NO_HOOK");
  return isCreation ? "creation" : "deletion";
}

const isRegistered = (finding: ObjectFinding) => finding.kind === "provider" && isCreated(finding);
const isOn = (cluster: ObjectFinding, { kind, type, name }: ObjectFinding) =>
  kind === "provider" && cluster.kind === "cluster" && cluster.type === type && cluster.provider === name;
const isReplaced = ({ verdict, refused }: ObjectFinding) => verdict === "REPLACE" && !refused;
const blockOf = ({ engine, platform, type }: ObjectFinding) => `${engine} ${platform} ${type}`;
