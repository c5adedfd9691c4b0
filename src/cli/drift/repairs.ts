import type { StateObject } from "./state-objects";
import type { DriftFinding, Repair } from "./finding";

/** Differences by which another object lives under the name; its destroy hook sends nothing then. */
const IDENTITY = new Set(["type", "provider"]);

/**
 * What makes declared and live agree, the usual way first.
 *
 * @param isUsed whether it is a provider that live clusters use, which nothing can replace
 */
export function repairsOf(
  { drift, object, differences }: Pick<DriftFinding, "drift" | "object" | "differences">,
  from: StateObject | "adoptable" | "unknown type",
  isUsed = false,
): Repair[] {
  const adopting = `CLUSTER_PLATFORM_ADOPT=${quoted(object)} terraform apply`;
  if (typeof from === "string") {
    return from === "adoptable" ? [repair("ADOPT", adopting), repair("IGNORE")] : [repair("IGNORE")];
  }
  const address = quoted(from.address);
  if (from.ownAddress !== undefined) return [repair("MOVE_BACK", `terraform state mv ${address} ${quoted(from.ownAddress)}`)];
  const replacing = `terraform apply -replace=${address}`;
  switch (drift) {
    case "MISSING": {
      if (from.tainted) return [repair("FINISH", "terraform apply")];
      return from.protected
        ? [
            repair("RECREATE_MISSING_PROTECTED", `terraform state rm ${address}`, "terraform apply"),
            repair("REMOVE_DECLARATION_PROTECTED"),
          ]
        : [repair("RECREATE_MISSING", replacing), repair("REMOVE_DECLARATION")];
    }
    case "CHANGED": {
      const isAnother = differences.some(({ field }) => IDENTITY.has(field));
      if (isAnother) return [repair("LET_GO")];
      const declaring = repair("DECLARE_LIVE", "terraform apply");
      return isUsed ? [declaring] : [declaring, repair(from.protected ? "REPLACE_PROTECTED" : "REPLACE", replacing)];
    }
    case "UNFINISHED":
      return [repair("TAKE_OVER", adopting)];
    case "NOT-READY":
      return [
        from.readiness === undefined ? repair("WAIT") : repair("WAIT", `terraform apply -replace=${quoted(from.readiness)}`),
      ];
    case "UNMANAGED":
      return [];
  }
}

/** One command for all that is missing from a state and can be replaced. */
export function recreatingAll(findings: readonly DriftFinding[], state: string): string | undefined {
  const addresses = findings
    .filter((finding) => finding.state === state && finding.repairs[0]?.code === "RECREATE_MISSING")
    .map(({ address }) => address!);
  return addresses.length > 1
    ? `terraform apply ${addresses.map((address) => `-replace=${quoted(address)}`).join(" ")}`
    : undefined;
}

function repair(code: Repair["code"], ...commands: readonly string[]): Repair {
  return { code, commands };
}

/** As one word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
