import { TerraformProvider, type TerraformElement, type TerraformStack } from "cdktf";
import { renderValue } from "../../declarations/rules";
import { isPlainObject } from "../../util/prop-path";
import { addressOf } from "./element-address";
import { fixedArgumentsOf } from "./fixed-arguments";
import { isToken } from "./tokens";

interface Overridable {
  readonly stack: TerraformStack;
  readonly platformPath: string;
  readonly elements: ReadonlySet<TerraformElement>;
}

/** Overrides of the stack, which pass by the elements. */
export function overridesOfOurs({ stack, elements, platformPath }: Overridable): string[] {
  return [...elements]
    .flatMap(placesOf)
    .filter((path) => isOverridden(overridesIn(stack), path))
    .map(
      (path) =>
        `${stack.node.path}: addOverride must not change ${path.join(".")}, which the Platform ${platformPath} needs as it is; remove the override`,
    );
}

/** Where the stack has what an element needs as it is. */
function placesOf(element: TerraformElement): string[][] {
  if (TerraformProvider.isTerraformProvider(element)) {
    const type = element.terraformResourceType;
    return [
      ["provider", type],
      ["terraform", "required_providers", type],
    ];
  }
  const [type = "", id = ""] = addressOf(element)?.split(".") ?? [];
  if (type === "local") return [["locals", id]];
  const path = ["resource", type, id];
  return fixedArgumentsOf(element)?.map((argument) => [...path, argument]) ?? [path];
}

/** The sections of a stack, with the levels above the blocks. */
const SECTIONS: Readonly<Record<string, number>> = {
  resource: 2,
  data: 2,
  ephemeral: 2,
  module: 1,
  variable: 1,
  locals: 0,
  provider: 0,
  terraform: 0,
};

/** Other checks read these levels as objects, as cdktf writes them. */
export function malformedOverrides(stack: TerraformStack): string[] {
  const malformed = (value: unknown, levels: number, path: string): string[] => {
    if (value === undefined) return [];
    if (!isPlainObject(value) || isToken(value))
      return [`${stack.node.path}: addOverride must give ${path} an object, got ${renderValue(value)}`];
    return levels === 0 ? [] : Object.entries(value).flatMap(([key, item]) => malformed(item, levels - 1, `${path}.${key}`));
  };
  const overrides = overridesIn(stack);
  const { required_providers: providers } = Object(overrides.terraform) as { readonly required_providers?: unknown };
  return [
    ...Object.entries(SECTIONS).flatMap(([section, levels]) => malformed(overrides[section], levels, section)),
    ...malformed(providers, 0, "terraform.required_providers"),
  ];
}

/** What `addOverride` has set, which cdktf keeps to itself. */
export function overridesIn(element: TerraformElement | TerraformStack): Readonly<Record<string, unknown>> {
  return (element as unknown as { readonly rawOverrides: Record<string, unknown> }).rawOverrides;
}

function isOverridden(overrides: object, [key = "", ...rest]: readonly string[]): boolean {
  if (!Object.hasOwn(overrides, key)) return false;
  const override = (overrides as Record<string, unknown>)[key];
  return rest.length === 0 || typeof override !== "object" || override === null || isOverridden(override, rest);
}
