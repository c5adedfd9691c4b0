import { decideDeletion, LIVE_AND_UNUSED } from "../../decision/deletion";
import { quoted, removing, type WayHome } from "../report/state-commands";
import type { StateObject } from "./state-objects";
import type { DriftedObject, DriftFinding, DriftOfDeclared, Repair } from "./finding";

/** Fields that identify an object. If one differs, another object has the name, and the destroy hook sends no request. */
const IDENTITY = new Set(["type", "provider"]);

type Missing = Pick<DriftedObject, "object" | "isProven">;

interface LiveFacts extends Pick<DriftedObject, "isProven"> {
  /** Whether the object is a provider that live clusters use. Such a provider cannot be replaced. */
  readonly isUsed: boolean;
  /** If the key of the instance is not the name of the object. */
  readonly wayHome: WayHome | undefined;
}

/**
 * For a live object that no state declares. The usual repair is the first.
 * @param importAs its address. Undefined if no given state has the package's own Terraform provider
 * @param entry the address of an instance for it without a declaration. Hooks refuse it
 */
export function repairsOfUnmanaged(object: string, importAs: string | undefined, entry: string | undefined): Repair[] {
  if (entry !== undefined) return [repair("REPLACE_ENTRY", removing(entry), adopting(object))];
  const importing = importAs === undefined ? [] : [repair("IMPORT", `terraform import ${quoted(importAs)} ${quoted(object)}`)];
  return [repair("ADOPT", adopting(object)), ...importing, repair("IGNORE")];
}

/** For an object of a state. The usual repair is the first. */
export function repairsOf(
  { verdict, object, changes }: Pick<DriftFinding, "object" | "changes"> & { readonly verdict: DriftOfDeclared },
  from: StateObject,
  { isUsed, isProven, wayHome }: LiveFacts,
): Repair[] {
  if (wayHome) return [repair(wayHome.does === "move" ? "MOVE_BACK" : "REMOVE_ENTRY", ...wayHome.commands)];
  const address = quoted(from.address);
  if (verdict === "LEAVING") return [repair("WAIT_UNTIL_GONE")];
  const replacing = `terraform apply -replace=${address}`;
  const replaced = decideDeletion({
    ...LIVE_AND_UNUSED,
    live: changes.some(({ field }) => IDENTITY.has(field)) ? "of another type or provider" : "own",
    isUsed,
    transition: "replace",
    isRetained: false,
    isAdopted: false,
    // The repair says what lifts the protection.
    protection: from.protected ? "lifted" : "none",
  });
  const isAnother = replaced.because === "another object";
  const orReplacing = replaced.because ? [] : [{ ...repair("REPLACE", replacing), ...(from.protected && { allow: object }) }];
  const missing = [{ object: from, isProven }];
  const undeclaring = repair("REMOVE_DECLARATION", `${acceptingGone(missing)}terraform apply`);
  const recreation = [repair("RECREATE_MISSING", recreating(missing)), undeclaring];
  if (from.engine === "provider") {
    switch (verdict) {
      case "MISSING":
        return recreation;
      case "CHANGED":
        if (isAnother) return [repair("LET_GO")];
        return [repair("ACCEPT_LIVE", "terraform apply"), ...orReplacing];
      case "UNFINISHED":
        return [repair("UNTAINT", `terraform untaint ${address}`)];
      case "NOT-READY":
        return [repair("WAIT", "terraform apply")];
    }
  }
  switch (verdict) {
    case "MISSING":
      return from.tainted ? [repair("FINISH", "terraform apply")] : recreation;
    case "CHANGED":
      return isAnother ? [repair("LET_GO")] : [repair("DECLARE_LIVE", "terraform apply"), ...orReplacing];
    case "UNFINISHED":
      return [repair("TAKE_OVER", adopting(object))];
    case "NOT-READY":
      return [
        from.readiness === undefined ? repair("WAIT") : repair("WAIT", `terraform apply -replace=${quoted(from.readiness)}`),
        ...(from.isWaitedFor === undefined && from.id.platform.module === "" ? [repair("PUT_IN_STACK")] : []),
      ];
  }
}

/** The command that creates missing objects of one state again. */
export function recreating(missing: readonly Missing[]): string {
  const replacing = missing.filter(isByHooks).map(({ object }) => ` -replace=${quoted(object.address)}`);
  return `${acceptingGone(missing)}terraform apply${replacing.join("")}`;
}

/**
 * Says for one run that objects are gone. The run then deletes none of them, and needs no proof that the service is the right one.
 * A plan of the Terraform provider detects missing objects by itself. Empty if it has the proof.
 */
function acceptingGone(missing: readonly Missing[]): string {
  if (!missing.some((each) => isByHooks(each) || !each.isProven)) return "";
  return `CLUSTER_PLATFORM_ACCEPT_GONE=${missing.map(({ object }) => quoted(object.id.id)).join(",")} `;
}

const isByHooks = ({ object }: Missing) => object.engine !== "provider";

/** The missing objects that {@link recreating} creates again. */
export function recreatable<Drifted extends Pick<DriftedObject, "finding">>(drifted: readonly Drifted[]): Drifted[] {
  return drifted.filter(({ finding }) => finding.repairs[0]?.code === "RECREATE_MISSING");
}

function adopting(object: string): string {
  return `CLUSTER_PLATFORM_ADOPT=${quoted(object)} terraform apply`;
}

function repair(code: Repair["code"], ...commands: readonly string[]): Repair {
  return { code, commands };
}
