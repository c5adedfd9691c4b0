import type { TerraformResource } from "cdktf";
import { isPlainObject } from "../../util/prop-path";

/** The properties of a resource, each with its argument in Terraform. */
const PROPERTIES = {
  count: "count",
  forEach: "for_each",
  provider: "provider",
  lifecycle: "lifecycle",
  provisioners: "provisioner",
  connection: "connection",
} as const;
/** What writes blocks about a resource. */
const METHODS = ["moveTo", "moveToId", "moveFromId", "importFrom"] as const;

const fixed = new WeakMap<object, readonly string[]>();

/** The names that {@link fixArguments} keeps. Undefined if it keeps the whole element. */
export function fixedArgumentsOf(element: object): readonly string[] | undefined {
  return fixed.get(element);
}

/**
 * Keeps arguments of a resource as they are, although Aspects visit it and its overrides change it. `waitForDependencies` keeps
 * `dependsOn`.
 * @param onChange called instead of a change, with the name of the property, argument or method
 * @param names of arguments in Terraform, and of methods. Without them, everything is kept
 * @param lifecycle gives the lifecycle at synth
 */
export function fixArguments(
  resource: TerraformResource,
  onChange: (name: string) => void,
  { names, lifecycle }: { readonly names?: readonly string[]; readonly lifecycle?: () => unknown } = {},
): void {
  const isFixed = (name: string) => names === undefined || names.includes(name);
  if (names) fixed.set(resource, names);
  for (const property of (Object.keys(PROPERTIES) as (keyof typeof PROPERTIES)[]).filter((each) => isFixed(PROPERTIES[each]))) {
    const value = resource[property];
    Object.defineProperty(resource, property, {
      enumerable: true,
      get: () => copied(property === "lifecycle" && lifecycle ? lifecycle() : value),
      set: (other: unknown) => (other === value ? undefined : onChange(property)),
    });
  }
  const override = resource.addOverride.bind(resource);
  resource.addOverride = (path: string, value: unknown) => {
    const [argument = ""] = String(path).split(".");
    if (isFixed(argument)) onChange(argument);
    else override(path, value);
  };
  for (const method of METHODS.filter(isFixed)) Object.assign(resource, { [method]: () => onChange(method) });
}

/** So that a change of a part has no effect. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copied(item)]));
}
