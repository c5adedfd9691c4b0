import { isProtected, isRetained } from "../../api/protection";
import type { InstanceId } from "../report/instance";
import type { Reason, Risk, Verdict } from "./finding";
import type { ResourceChange } from "./plan";
import type { PlatformSettings } from "./platform-settings";

/** A planned change of an instance that carries an object. */
export interface InstanceChange {
  readonly id: InstanceId;
  readonly change: ResourceChange;
}

/** What the rest of the plan says that matters for one instance. */
export interface Circumstances {
  /** Of its Platform; undefined where the plan does not show them. */
  readonly settings: PlatformSettings | undefined;
  /** Whether the instance is tainted in the state. */
  readonly tainted: boolean;
  readonly destroyHook: DestroyHook;
  /** Whether its Platform's census stays, which notices what a skipped hook leaves behind. */
  readonly census: boolean;
  /** Of a provider: the clusters of the state that will still be there when its turn comes. */
  readonly users: readonly string[];
}

/** Whether Terraform will call the destroy hook of an instance, and what the hook does then. */
export type DestroyHook = "runs" | "runs, although its block left" | "refuses" | "block is gone" | "none";

export interface Judgement {
  readonly verdict: Verdict;
  readonly risk: Risk;
  readonly reasons: readonly Reason[];
}

/** What becomes of the object when Terraform makes this one change. */
export function judge({ id, change }: InstanceChange, circumstances: Circumstances): Judgement {
  const { actions } = change.change;
  const adopts = circumstances.settings?.adopt.includes(id.id) ?? false;
  switch (actions.join()) {
    case "no-op":
    case "read":
      return unchanged(change);
    case "create":
      return adopts ? judgement("ADOPT", "medium", "NEW", "ADOPTS") : judgement("CREATE", "low", "NEW");
    case "update":
      return judgement("STATE-ONLY", "medium", "STATE_ONLY");
    case "forget":
      return judgement("RETAIN", isKept(id, circumstances) ? "medium" : "high", "FORGOTTEN");
    case "delete":
      return removal({ id, change }, circumstances);
    case "delete,create":
    case "create,delete":
      return replacement({ id, change }, circumstances, adopts);
    default:
      return { verdict: "UNKNOWN", risk: "high", reasons: [{ code: "ACTIONS", actions }] };
  }
}

function unchanged({ address, previous_address: from, change }: ResourceChange): Judgement {
  const moved = from !== undefined && from !== address;
  if (change.importing !== undefined && change.importing !== null) return judgement("STATE-ONLY", "medium", "IMPORTED");
  if (!moved) return judgement("UNCHANGED", "none");
  return { verdict: "MOVED", risk: "low", reasons: [{ code: "MOVED_FROM", address: from }] };
}

function removal({ id, change }: InstanceChange, circumstances: Circumstances): Judgement {
  const { destroyHook, tainted, census } = circumstances;
  const why = change.action_reason === undefined ? "DESTROY_ALL" : "REMOVED";
  if (change.deposed !== undefined) return judgement("ORPHAN", "critical", "DEPOSED");
  if (destroyHook === "block is gone") return judgement("ORPHAN", "critical", "BLOCK_REMOVED");
  if (destroyHook === "none") return judgement("ORPHAN", "critical", why, "NO_DESTROY_HOOK");
  if (tainted) {
    if (isKept(id, circumstances)) return judgement("RETAIN", "medium", why, "RETAINED");
    return judgement("ORPHAN", census ? "high" : "critical", why, "TAINTED");
  }
  if (destroyHook === "refuses") return judgement("PROTECTED", "high", "CARRIER_SWITCHED");
  const retired = destroyHook === "runs" ? why : "RETIRED";
  return refusal(id, circumstances, retired) ?? judgement("DESTROY", "critical", retired);
}

function replacement({ id, change }: InstanceChange, circumstances: Circumstances, adopts: boolean): Judgement {
  const why = REPLACED[change.action_reason ?? ""] ?? "FIELDS_CHANGED";
  if (change.change.actions[0] === "create") return judgement("DUPLICATE", "critical", why, "CREATE_BEFORE_DESTROY");
  if (circumstances.tainted) {
    return adopts ? judgement("ADOPT", "medium", "TAINTED", "ADOPTS") : judgement("DUPLICATE", "high", "TAINTED");
  }
  if (circumstances.destroyHook === "none") return judgement("DUPLICATE", "critical", why, "NO_DESTROY_HOOK");
  if (isKept(id, circumstances)) {
    return adopts
      ? judgement("ADOPT", "medium", why, "RETAINED", "ADOPTS")
      : judgement("RETAIN", "high", why, "RETAINED", "NAME_TAKEN");
  }
  return refusal(id, circumstances, why) ?? judgement("RE-CREATE", "critical", why);
}

const REPLACED: Readonly<Record<string, SimpleReason>> = {
  replace_by_request: "REPLACE_REQUESTED",
  replace_by_triggers: "REPLACE_TRIGGERED",
  replace_because_tainted: "TAINTED",
};

/** What the destroy hook does instead of deleting, in the order in which it looks. */
function refusal(id: InstanceId, circumstances: Circumstances, why: SimpleReason): Judgement | undefined {
  const { settings, users } = circumstances;
  if (isKept(id, circumstances)) return judgement("RETAIN", "medium", why, "RETAINED");
  if (settings && isProtected(settings, id.id)) return judgement("PROTECTED", "high", why, "PROTECTED");
  if (users.length === 0) return undefined;
  return { verdict: "IN-USE", risk: "high", reasons: [{ code: why }, { code: "IN_USE", clusters: users }] };
}

function isKept({ id }: InstanceId, { settings }: Circumstances): boolean {
  return settings !== undefined && isRetained(settings, id);
}

/** A reason without particulars. */
type SimpleReason = Exclude<
  Reason,
  { address: string } | { clusters: readonly string[] } | { actions: readonly string[] }
>["code"];

function judgement(verdict: Verdict, risk: Risk, ...reasons: readonly SimpleReason[]): Judgement {
  return { verdict, risk, reasons: reasons.map((code) => ({ code })) };
}
