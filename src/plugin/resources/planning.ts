import { unchecked } from "../../lifecycle/wording";
import type { Diagnostic } from "../../terraform/diagnostic";
import type { ObjectValue } from "../../terraform/value";
import type { PlanResult } from "../server/provider";
import { fieldName } from "./comparison";
import type { Effect, Ledger } from "./ledger";
import type { ObjectKind } from "./object-kind";
import type { Session } from "./session";

/** What each part of the plan of an object needs. */
export interface Planning {
  readonly kind: ObjectKind;
  readonly ledger: Ledger;
  readonly session: Session;
  report(diagnostic: Diagnostic): void;
}

/** The plan of an object, and what it does with the object of the state, or with the one that it creates. */
export interface ObjectPlan extends PlanResult {
  /** Undefined for an object that is gone, and if the name is unknown. */
  readonly effect?: Effect;
}

/** The planned value of an object that stays. */
export function keptValue(session: Session, prior: ObjectValue, proposed: ObjectValue): ObjectValue {
  // Moving a construct in the tree must plan no change.
  const havePaths = (prior.declared_at ?? null) !== null && (proposed.declared_at ?? null) !== null;
  return { ...proposed, ...(havePaths && { declared_at: prior.declared_at! }), service: session.url };
}

/** @param what happens to the object, as a clause */
export function warnOfUnconfirmed(
  { kind, report }: Pick<Planning, "kind" | "report">,
  fields: readonly string[],
  proposed: ObjectValue,
  what: string,
): void {
  if (fields.length === 0) return;
  const [summary, ...detail] = unchecked(fields.map((field) => fieldName(kind, field, proposed))).split(". ");
  report({ severity: "warning", summary: `${what}; ${summary}`, detail: `${detail.join(". ")}.` });
}
