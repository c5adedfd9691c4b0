import { decideDeletion, LIVES } from "../../decision/deletion";
import type { StateObject } from "./state-objects";
import type { DriftedObject, DriftFinding, Repair } from "./finding";

/** Fields that identify an object. If one differs, another object has the name, and the destroy hook sends no request. */
const IDENTITY = new Set(["type", "provider"]);

/** Says for one run that objects are gone. The run then deletes none of them, and needs no proof that the service is the right one. */
const acceptingGone = (ids: readonly string[]) => `CLUSTER_PLATFORM_ACCEPT_GONE=${ids.map(quoted).join(",")} `;

/** A live object that no state declares, of a known type. */
interface Adoptable {
  /** Undefined if no given state has the package's own Terraform provider. */
  readonly importAs: string | undefined;
}

interface LiveFacts extends Pick<DriftedObject, "isProven"> {
  /** Whether the object is a provider that live clusters use. Such a provider cannot be replaced. */
  readonly isUsed: boolean;
}

/** The repairs of a finding. The usual repair is the first. */
export function repairsOf(
  { drift, object, differences }: Pick<DriftFinding, "drift" | "object" | "differences">,
  from: StateObject | Adoptable | "unknown type",
  { isUsed, isProven }: LiveFacts = { isUsed: false, isProven: true },
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
  const isAsked = !isProven || (from.engine !== "provider" && from.protected);
  const removing = repair("REMOVE_DECLARATION", `${isAsked ? acceptingGone([object]) : ""}terraform apply`);
  const recreation = [repair("RECREATE_MISSING", recreating([{ object: from, isProven }])), removing];
  if (from.engine === "provider") {
    switch (drift) {
      case "MISSING":
        return recreation;
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
    case "MISSING":
      return from.tainted ? [repair("FINISH", "terraform apply")] : recreation;
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

/** The command that creates missing objects of one state again. */
export function recreating(missing: readonly Pick<DriftedObject, "object" | "isProven">[]): string {
  const objects = missing.map(({ object }) => object);
  // A plan of the Terraform provider detects missing objects by itself and creates them.
  const byHooks = objects.filter(({ engine }) => engine !== "provider");
  const isAsked = byHooks.length > 0 || missing.some(({ isProven }) => !isProven);
  const replacing = byHooks.map(({ address }) => ` -replace=${quoted(address)}`);
  return `${isAsked ? acceptingGone(objects.map(({ id }) => id.id)) : ""}terraform apply${replacing.join("")}`;
}

/** The missing objects that {@link recreating} creates again. */
export function recreatable<Drifted extends Pick<DriftedObject, "finding">>(drifted: readonly Drifted[]): Drifted[] {
  return drifted.filter(({ finding }) => finding.repairs[0]?.code === "RECREATE_MISSING");
}

function repair(code: Repair["code"], ...commands: readonly string[]): Repair {
  return { code, commands };
}

/** One word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
