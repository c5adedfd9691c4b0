import type { z } from "zod";
import { renderPath } from "../model/prop-path";
import type { JsonObject } from "../model/provider-type";
import * as rules from "../declarations/rules";
import { definitionOf } from "../declarations/schema-definition";
import { tokensOf } from "./schema-tokens";

/** A `precondition` of Terraform's, of an instance of a block. */
export interface Precondition {
  readonly condition: string;
  readonly errorMessage: string;
}

/**
 * Rules that Terraform holds the values of tokens against when it plans, where it knows them by then: a hook can do so
 * only after what it replaces was deleted. Not every rule can be said in its language, and none is said more strictly
 * than the hook says it.
 *
 * @param declarations Expression of the declarations of the block by their names, those without tokens left out
 */
export function preconditions(schema: z.ZodType, spec: JsonObject, declarations: string): Precondition[] {
  return tokensOf(schema, spec).flatMap(({ path, schema }) => {
    const check = checkOf(schema);
    if (!check) return [];
    const prop = renderPath(path);
    // Other declarations of the block may not have the prop; null says nothing, and where something must be said the hook insists.
    const value = `try(${declarations}[each.key].spec.${prop}, null)`;
    return {
      condition: `\${${value} == null ? true : try(${check(value)}, false)}`,
      // Without the value, which Terraform would warn of at every plan if it is sensitive. It evaluates this for all instances.
      errorMessage:
        `\${try(${declarations}[each.key].path, each.key)}: '${prop}' must ${ruleOf(schema)}; ` +
        "the token there gives another value: correct its source",
    };
  });
}

/** A rule as an expression over the value's; what fails to be evaluated is not met. */
type Check = (value: string) => string;

// With a zone, Terraform takes no address of IPv6.
const isAddress: Check = (value) => `can(cidrhost(format("%s/32", ${value}), 0)) || can(regex("%", ${value}))`;
const matches =
  (pattern: RegExp): Check =>
  (value) =>
    `can(regex(${JSON.stringify(pattern.source)}, ${value}))`;

const CHECKS: ReadonlyMap<z.ZodType, Check> = new Map<z.ZodType, Check>([
  [rules.boolean, (value) => `can(tobool(${value}))`],
  [rules.text, (value) => `tostring(${value}) != ""`],
  [rules.ipAddress, isAddress],
  [rules.optionalIpAddress, (value) => `${value} == "" || ${isAddress(value)}`],
  [rules.cidr, (value) => `can(cidrsubnet(${value}, 0, 0))`],
]);

function checkOf(schema: z.ZodType): Check | undefined {
  const { type, checks = [] } = definitionOf(schema);
  const pattern = checks.map(({ _zod }) => _zod.def.pattern).find((each) => each !== undefined);
  if (pattern) return matches(pattern);
  if (type !== "number") return CHECKS.get(schema);
  const { minValue } = schema as z.ZodNumber;
  return (value) => `floor(tonumber(${value})) == tonumber(${value}) && tonumber(${value}) >= ${minValue}`;
}

/** What the rule says of a value that breaks it. */
function ruleOf(schema: z.ZodType): string {
  const { error } = ["", undefined].map((value) => schema.safeParse(value)).find(({ success }) => !success)!;
  return error!.issues[0]!.message;
}
