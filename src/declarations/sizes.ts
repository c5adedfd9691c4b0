import { TYPE_CODES, type JsonObject, type TypeCode } from "../model/provider-type";
import { type Problem, problemsOf } from "./rules";
import { providerTypes } from "./types";

const SIZED = ["controlPlane", "workers"] as const;

/**
 * Reports node sizes of another provider type in one message instead of one per field.
 * @param broken all problems of the declaration
 * @param isKnown whether the value that a problem is about is known at synth
 */
export function sizesOfAnotherType(
  type: TypeCode,
  spec: JsonObject,
  broken: readonly Problem[],
  isKnown: (problem: Problem) => boolean,
): string | undefined {
  const wrong = SIZED.filter((prop) => isAt(broken, prop));
  if (wrong.length === 0) return undefined;
  for (const other of TYPE_CODES.filter((code) => code !== type)) {
    const problems = problemsOf(providerTypes[other].cluster.spec, spec).filter(isKnown);
    const fitting = wrong.filter((prop) => !isAt(problems, prop));
    if (fitting.length === 0) continue;
    const props = fitting.map((prop) => `'${prop}'`).join(" and ");
    return `${props} must have the sizes of a ${type} cluster, got those of a ${other} cluster; use the construct of ${other}, or the fields of ${type}`;
  }
  return undefined;
}

function isAt(problems: readonly Problem[], prop: string): boolean {
  return problems.some(({ path }) => path[0] === prop);
}
