import { ClusterPlatformError } from "../../../model/errors";
import type { JsonObject } from "../../../model/provider-type";
import { type PlannedStack, readPlan } from "../plan/plan";
import { planOfPrograms } from "./plan-document";

type Compared = Pick<PlannedStack, "plan" | "programs">;

/**
 * @param before the parsed `cdk.tf.json` of the first program; undefined if it does not have the stack
 * @param after of the second program
 * @param where the programs come from, for errors
 * @throws INVALID_DOCUMENT
 */
export function comparedStack(
  before: Readonly<JsonObject> | undefined,
  after: Readonly<JsonObject> | undefined,
  where: string,
): Compared {
  const { document, open } = planned(before, after, where);
  const stackIn = before === undefined ? "head" : after === undefined ? "base" : "both";
  return { plan: readPlan(document, where), programs: { stackIn, open } };
}

function planned(before: Readonly<JsonObject> | undefined, after: Readonly<JsonObject> | undefined, where: string) {
  try {
    return planOfPrograms(before, after);
  } catch (error) {
    throw new ClusterPlatformError(
      "INVALID_DOCUMENT",
      `${where} cannot be compared (${(error as Error).message}); synthesize both programs again with the version of cdktf-cluster-platform that reviews`,
      { cause: error },
    );
  }
}
