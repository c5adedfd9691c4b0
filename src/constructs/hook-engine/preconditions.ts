import { renderPath } from "../../util/prop-path";
import type { JsonObject } from "../../model/provider-type";
import * as rules from "../../declarations/rules";
import { definitionOf, type Schema } from "../../declarations/schema-definition";
import { tokensOf } from "../synth/schema-tokens";

export interface Precondition {
  readonly condition: string;
  readonly errorMessage: string;
}

/**
 * Terraform checks the values of tokens during the plan, if it knows them. A hook checks them only after the old object was
 * deleted. Terraform's language cannot express every rule. No precondition is stricter than the hook.
 * @param declarations expression of the block's declarations with tokens, by name
 */
export function preconditions(schema: Schema, spec: JsonObject, declarations: string): Precondition[] {
  return tokensOf(schema, spec).flatMap(({ path, schema }) => {
    const check = checkOf(schema);
    if (!check) return [];
    const prop = renderPath(path);
    // Another declaration of the block may not have the prop. Null passes; if the prop is required, the hook refuses it.
    const value = `try(${declarations}[each.key].spec.${prop}, null)`;
    return {
      condition: `\${${value} == null ? true : try(${check(value)}, false)}`,
      // Does not show the value: if it is sensitive, Terraform would warn at every plan.
      errorMessage:
        `\${try(${declarations}[each.key].path, each.key)}: '${prop}' must ${ruleOf(schema)}; ` +
        "the token there gives another value: correct its source",
    };
  });
}

/** A rule as an expression. A rule that fails to evaluate is broken. */
type Check = (value: string) => string;

// Terraform's functions refuse an IPv6 address with a zone.
const isAddress: Check = (value) => `can(cidrhost(format("%s/32", ${value}), 0)) || can(regex("%", ${value}))`;
const matches =
  (pattern: RegExp): Check =>
  (value) =>
    `can(regex(${JSON.stringify(pattern.source)}, ${value}))`;

const CHECKS: ReadonlyMap<Schema, Check> = new Map<Schema, Check>([
  [rules.boolean, (value) => `can(tobool(${value}))`],
  [rules.text, (value) => `tostring(${value}) != ""`],
  [rules.ipAddress, isAddress],
  [rules.optionalIpAddress, (value) => `${value} == "" || ${isAddress(value)}`],
  [rules.cidr, (value) => `can(cidrsubnet(${value}, 0, 0))`],
]);

function checkOf(schema: Schema): Check | undefined {
  const { type, checks = [] } = definitionOf(schema);
  const pattern = checks.map(({ _zod }) => _zod.def.pattern).find((each) => each !== undefined);
  if (pattern) return matches(pattern);
  if (type !== "number") return CHECKS.get(schema);
  const minimum = checks.map(({ _zod }) => _zod.def.value).find((each) => each !== undefined);
  return (value) => `floor(tonumber(${value})) == tonumber(${value}) && tonumber(${value}) >= ${minimum}`;
}

function ruleOf(schema: Schema): string {
  const { error } = ["", undefined].map((value) => schema.safeParse(value)).find(({ success }) => !success)!;
  return error!.issues[0]!.message;
}
