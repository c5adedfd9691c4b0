import { decideDeletion, LIVES } from "../../decision/deletion";
import type { StateObject } from "./state-objects";
import type { DriftFinding, Repair } from "./finding";

/** Fields that identify an object. If one differs, another object has the name, and the destroy hook sends no request. */
const IDENTITY = new Set(["type", "provider"]);

/** Says for one run that objects are gone. The run then deletes none of them, and needs no proof that the service is the right one. */
const ACCEPTING_GONE = "CLUSTER_PLATFORM_ACCEPT_GONE=";
const acceptingGone = (...ids: readonly string[]) => `${ACCEPTING_GONE}${ids.map(quoted).join(",")} `;

/** A live object that no state declares, of a known type. */
interface Adoptable {
  /** Undefined if no given state has the package's own Terraform provider. */
  readonly importAs: string | undefined;
}

export interface LiveFacts {
  /** Whether the object is a provider that live clusters use. Such a provider cannot be replaced. */
  readonly isUsed: boolean;
  /** Whether another live object of the Platform proves that this is the right service. */
  readonly anyLives: boolean;
}

/** The repairs of a finding. The usual repair is the first. */
export function repairsOf(
  { drift, object, differences }: Pick<DriftFinding, "drift" | "object" | "differences">,
  from: StateObject | Adoptable | "unknown type",
  { isUsed, anyLives }: LiveFacts = { isUsed: false, anyLives: true },
): Repair[] {
  const adopting = `CLUSTER_PLATFORM_ADOPT=${quoted(object)} terraform apply`;
  if (from === "unknown type") return [repair("IGNORE")];
  if (!("id" in from)) {
    const importing =
      from.importAs === undefined ? [] : [repair("IMPORT", `terraform import ${quoted(from.importAs)} ${quoted(object)}`)];
    return [repair("ADOPT", adopting), ...importing, repair("IGNORE")];
  }
  const address = quoted(from.address);
  if (from.ownAddress !== undefined) return [repair("MOVE_BACK", `terraform state mv ${address} ${quoted(from.ownAddress)}`)];
  const replacing = `terraform apply -replace=${address}`;
  const replaced = decideDeletion({
    ...LIVES,
    live: differences.some(({ field }) => IDENTITY.has(field)) ? "of another type or provider" : "own",
    isUsed,
    transition: "replace",
    isRetained: false,
    isAdopted: false,
    // The repair says what lifts the protection.
    protection: from.protected ? "lifted" : "none",
  });
  const isAnother = replaced.because === "another object";
  const orReplacing = replaced.because ? [] : [repair(from.protected ? "REPLACE_PROTECTED" : "REPLACE", replacing)];
  // A missing object needs no permission. The guard of the hooks looks whether it is missing only if the run says so.
  const isAsked = !anyLives || (from.engine !== "provider" && from.protected);
  const removing = repair("REMOVE_DECLARATION", `${isAsked ? acceptingGone(object) : ""}terraform apply`);
  if (from.engine === "provider") {
    switch (drift) {
      case "MISSING":
        // A plan detects missing objects by itself and creates them.
        return [repair("RECREATE_MISSING", `${anyLives ? "" : acceptingGone(object)}terraform apply`), removing];
      case "CHANGED":
        if (isAnother) return [repair("FORGET")];
        return [repair("ACCEPT_LIVE", "terraform apply"), ...orReplacing];
      case "UNFINISHED":
        return [repair("UNTAINT", `terraform untaint ${address}`)];
      case "NOT-READY":
        return [repair("WAIT", "terraform apply")];
      case "UNMANAGED":
        return [];
    }
  }
  switch (drift) {
    case "MISSING": {
      if (from.tainted) return [repair("FINISH", "terraform apply")];
      return [repair("RECREATE_MISSING", `${acceptingGone(object)}${replacing}`), removing];
    }
    case "CHANGED":
      return isAnother ? [repair("LET_GO")] : [repair("DECLARE_LIVE", "terraform apply"), ...orReplacing];
    case "UNFINISHED":
      return [repair("TAKE_OVER", adopting)];
    case "NOT-READY":
      return [
        from.readiness === undefined ? repair("WAIT") : repair("WAIT", `terraform apply -replace=${quoted(from.readiness)}`),
        ...(from.isWaitedFor === undefined && from.id.platform.module === "" ? [repair("NAME_STACK")] : []),
      ];
    case "UNMANAGED":
      return [];
  }
}

/** Whether the command that creates the missing object says that it is gone. */
export function needsGoneAccepted({ repairs }: DriftFinding): boolean {
  return repairs[0]?.commands[0]?.startsWith(ACCEPTING_GONE) ?? false;
}

/** One command for all missing objects that can be replaced. */
export function recreatingAll(findings: readonly DriftFinding[], state: string | null): string | undefined {
  const missing = findings.filter((finding) => finding.state === state && finding.repairs[0]?.code === "RECREATE_MISSING");
  if (missing.length < 2) return undefined;
  const accepting = missing.some(needsGoneAccepted) ? acceptingGone(...missing.map(({ object }) => object)) : "";
  const replacing = missing.filter(({ engine }) => engine !== "provider").map(({ address }) => ` -replace=${quoted(address!)}`);
  return `${accepting}terraform apply${replacing.join("")}`;
}

function repair(code: Repair["code"], ...commands: readonly string[]): Repair {
  return { code, commands };
}

/** One word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
