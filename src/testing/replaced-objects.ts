import { hasReason, type ObjectFinding } from "../cli/review/judge/finding";
import { ConfigurationError } from "../model/errors";
import type { JsonObject } from "../model/provider-type";
import { DeclaredStack } from "./declared";
import { synthesizedIn, type SynthesizedInput } from "./synthesized-input";

export interface ReplacedObject {
  /** `type/kind/name`. */
  readonly object: string;
  readonly name: string;
  /** What happens to it, and why, as the end of a sentence. */
  readonly happens: string;
}

/**
 * The objects that an apply of `head` replaces, or may replace, or refuses to replace, if `base` is applied.
 * @throws INVALID_SETTING if an input is no stack
 */
export function replacedObjects(base: SynthesizedInput, head: SynthesizedInput): ReplacedObject[] {
  const [before, after] = [base, head].map(programIn);
  const { reviewPlans, comparedStack } = review();
  const { findings } = reviewPlans([{ name: "stack", ...comparedStack(before, after, "the stack") }]);
  return findings
    .filter(isReplaced)
    .map((finding) => ({ object: finding.object, name: finding.name, happens: happensTo(finding) }));
}

function programIn(input: SynthesizedInput): JsonObject {
  if (input instanceof DeclaredStack) {
    throw new ConfigurationError(
      "INVALID_SETTING",
      "toReplace compares stacks: pass the stack itself instead of declared(stack)",
    );
  }
  return synthesizedIn(input) as JsonObject;
}

function isReplaced({ verdict, reasons }: ObjectFinding): boolean {
  // Only Terraform knows whether such an unknown change is a replacement.
  return verdict === "REPLACE" || (verdict === "UNKNOWN" && hasReason({ reasons }, "CHANGED", "expressions"));
}

function happensTo(finding: ObjectFinding): string {
  const open = finding.reasons.flatMap((reason) => (reason.code === "UNKNOWN" && "fields" in reason ? reason.fields : []));
  if (open.length > 0) return `may be replaced: an expression in ${open.join(", ")} changes`;
  const fields = finding.changes().map(({ field, before, after }) => `${field} ${before ?? NONE} → ${after ?? NONE}`);
  return `is replaced: ${fields.join(", ") || "its address changes"}`;
}

/** For a value that is not declared, hidden, or known to Terraform only. */
const NONE = "…";

/** Loaded on demand, because other matchers do not need it. */
function review() {
  /* eslint-disable @typescript-eslint/no-require-imports */
  const { reviewPlans } = require("../cli/review/judge/review") as typeof import("../cli/review/judge/review");
  const { comparedStack } = require("../cli/review/synth/comparison") as typeof import("../cli/review/synth/comparison");
  /* eslint-enable @typescript-eslint/no-require-imports */
  return { reviewPlans, comparedStack };
}
