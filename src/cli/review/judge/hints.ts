import type { ObjectFinding } from "./finding";
import type { NoteOfStack } from "./note";

/** Facts that a reviewer would have to look up. They have no risk of their own. */

export function renames(findings: readonly ObjectFinding[]): NoteOfStack[] {
  const leaving = findings.filter(({ verdict, declared }) => !declared && verdict === "DESTROY");
  const coming = leaving.length === 0 ? [] : findings.filter(({ verdict }) => verdict === "CREATE");
  const placeOf = ({ type, kind, endpoint }: ObjectFinding) => JSON.stringify([type, kind, endpoint()]);
  const byEndpoint = new Map(coming.map((finding) => [placeOf(finding), finding]));
  return leaving.flatMap((finding): NoteOfStack[] => {
    const [object, endpoint] = [finding.object, finding.endpoint()];
    const successor = endpoint && byEndpoint.get(placeOf(finding));
    return successor && successor.object !== object
      ? [{ because: "looks renamed", risk: "none", object, successor: successor.object, field: endpoint[0] }]
      : [];
  });
}

export function newVersions(findings: readonly ObjectFinding[]): NoteOfStack[] {
  const replaced = findings.filter(({ kind, verdict }) => kind === "cluster" && verdict === "REPLACE");
  const objects = replaced
    .filter((finding) => finding.changes().some(({ field, before }) => VERSIONS.has(field) && before !== null))
    .map(({ object }) => object);
  return objects.length > 0 ? [{ because: "new version", risk: "none", objects }] : [];
}

const VERSIONS: ReadonlySet<string> = new Set(["kubernetesVersion", "productVersion"]);
