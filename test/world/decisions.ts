import type { Remedy } from "../../src/lifecycle/remedy";

const DECISIONS: ReadonlySet<Remedy["code"]> = new Set<Remedy["code"]>([
  "ADOPT",
  "ADOPT_AND_REMOVE",
  "DECLARE_LIVE",
  "RENAME",
  "LET_GO",
  "RETAIN",
  "ALLOW_DELETION",
  "UNPROTECT_FIRST",
  "KEEP",
  "CORRECT_RETAIN",
  "UNRETAIN",
  "REMOVE_USERS",
  "DECIDE",
]);

/** Whether only a person can tell that the remedy is right: whose an object is, or what the code should declare. */
export function isDecision({ code }: Remedy): boolean {
  return DECISIONS.has(code);
}
