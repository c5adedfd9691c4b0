import { dependable, type TerraformResourceLifecycle, TerraformStack, Token } from "cdktf";
import { Construct } from "constructs";
import { schemaOf } from "../../declarations/terraform/declaration-schema";
import { snakeCase } from "../../declarations/terraform/forms";
import type { ObjectType } from "../../declarations/object-type";
import { renderValue } from "../../declarations/rules";
import { unsendable } from "./plain-values";
import { isBrokenToken } from "./tokens";
import { nearest } from "../../util/nearest";
import { isPlainObject } from "../../util/prop-path";

const ARGUMENTS = {
  createBeforeDestroy: "",
  ignoreChanges: "",
  postcondition: "",
  precondition: "",
  preventDestroy: "To protect an object from deletion, list it in the Platform's deletionProtection",
  replaceTriggeredBy:
    "To replace a provider together with another resource, use a value of that resource as its credentialsVersion",
} satisfies Record<keyof TerraformResourceLifecycle, string>;

type Argument = keyof typeof ARGUMENTS;

/** Does not report problems that depend on the engine. */
export function lifecycleProblems(lifecycle: unknown, objectType: ObjectType, scope: Construct): string[] {
  if (lifecycle === undefined) return [];
  if (!isPlainObject(lifecycle)) return [`'lifecycle' must be a plain object, got ${renderValue(lifecycle)}`];
  const { replaceTriggeredBy, ...rest } = lifecycle;
  const foreign = unsendable(rest, ["lifecycle"]);
  if (foreign.length > 0) return foreign;
  return [
    ...(["createBeforeDestroy", "preventDestroy"] as const)
      .filter((name) => lifecycle[name] !== undefined && typeof lifecycle[name] !== "boolean")
      .map((name) => `'lifecycle.${name}' must be true or false, got ${renderValue(lifecycle[name])}`),
    ...(["precondition", "postcondition"] as const)
      .filter((name) => lifecycle[name] !== undefined && !isListOfObjects(lifecycle[name]))
      .map((name) => `'lifecycle.${name}' must be a list of objects, got ${renderValue(lifecycle[name])}`),
    ...Object.keys(lifecycle)
      .filter((name) => !Object.hasOwn(ARGUMENTS, name))
      .map((name) => `'lifecycle.${name}' is not an argument of lifecycle. It has ${Object.keys(ARGUMENTS).join(", ")}`),
    ...(lifecycle.createBeforeDestroy === true
      ? [
          "'lifecycle.createBeforeDestroy' must not be true, because names are unique: the old object is deleted before the new one is created. To have both at a time, declare a second object with another name",
        ]
      : []),
    ...ignoredProblems(lifecycle.ignoreChanges, objectType),
    ...triggerProblems(replaceTriggeredBy, TerraformStack.of(scope)),
  ];
}

/** For engines whose objects share one resource. */
export function insteadOfLifecycle(lifecycle: TerraformResourceLifecycle): string[] {
  return (Object.keys(lifecycle) as Argument[]).map((name) => ARGUMENTS[name]).filter((text) => text !== "");
}

/**
 * cdktf 0.21 writes references in `replaceTriggeredBy` in a form that Terraform refuses. With `all`, Terraform would also ignore
 * changes of `deletion_protection`, which must reach the state.
 */
export function rendered(
  lifecycle: TerraformResourceLifecycle,
  objectType: ObjectType,
  idOf: (trigger: unknown) => string | undefined,
): TerraformResourceLifecycle {
  const { ignoreChanges, replaceTriggeredBy } = lifecycle;
  return {
    ...lifecycle,
    ...(ignoreChanges === "all" && { ignoreChanges: Object.keys(schemaOf(objectType).attributes) }),
    ...(Array.isArray(ignoreChanges) && { ignoreChanges: ignoreChanges.map(attributePath) }),
    ...(replaceTriggeredBy && {
      replaceTriggeredBy: replaceTriggeredBy.map((trigger) => {
        const fqn = idOf(trigger) ?? (typeof trigger === "string" ? trigger : trigger.fqn);
        return Token.isUnresolved(fqn) ? dependable({ fqn }) : fqn;
      }),
    }),
  };
}

/** Replaces the name of a prop by the name of its attribute. The rest of the path is already Terraform's. */
function attributePath(path: string): string {
  return path.replace(/^\w+/, snakeCase);
}

function ignoredProblems(ignored: unknown, objectType: ObjectType): string[] {
  if (ignored === undefined || ignored === "all") return [];
  if (!Array.isArray(ignored)) return [`'lifecycle.ignoreChanges' must be "all" or a list of props, got ${renderValue(ignored)}`];
  const known = Object.keys(schemaOf(objectType).attributes);
  return ignored.flatMap((path: unknown, index) => {
    const name = typeof path === "string" ? (/^\w+/.exec(attributePath(path))?.[0] ?? "") : "";
    if (known.includes(name)) return [];
    const meant = nearest(name, known);
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    return [`'lifecycle.ignoreChanges[${index}]' must be a prop, as in "controlPlane", got ${renderValue(path)}${hint}`];
  });
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isPlainObject);
}

function triggerProblems(triggers: unknown, stack: TerraformStack): string[] {
  if (triggers === undefined) return [];
  if (!Array.isArray(triggers)) return [`'lifecycle.replaceTriggeredBy' must be a list, got ${renderValue(triggers)}`];
  return triggers.flatMap((trigger: unknown, index) => {
    const prop = `'lifecycle.replaceTriggeredBy[${index}]'`;
    if (typeof trigger === "string" && trigger !== "" && !isBrokenToken(trigger)) return [];
    if (!Construct.isConstruct(trigger) || !("fqn" in trigger)) {
      return [`${prop} must be a resource or the address of one, got ${renderValue(trigger)}`];
    }
    return TerraformStack.of(trigger) === stack ? [] : [`${prop} must be in the same stack, got ${trigger.node.path}`];
  });
}
