import type { TerraformResource } from "cdktf";

const ARGUMENTS = ["count", "forEach", "provider", "lifecycle", "provisioners", "connection"] as const;
export type FixedArgument = (typeof ARGUMENTS)[number];

const fixed = new WeakMap<object, readonly string[]>();

/** The names in Terraform of the arguments that {@link fixArguments} keeps. Undefined if it keeps the whole element. */
export function fixedArgumentsOf(element: object): readonly string[] | undefined {
  return fixed.get(element);
}

/**
 * Keeps arguments of a resource as they are, although Aspects visit it and its overrides change it. `waitForDependencies` keeps
 * `dependsOn`.
 * @param onChange called instead of a change, with the name of the argument
 * @param names without them, all arguments and overrides are kept
 * @param lifecycle gives the lifecycle at synth
 */
export function fixArguments(
  resource: TerraformResource,
  onChange: (argument: string) => void,
  { names, lifecycle }: { readonly names?: readonly FixedArgument[]; readonly lifecycle?: () => unknown } = {},
): void {
  for (const name of names ?? ARGUMENTS) {
    const value = resource[name];
    Object.defineProperty(resource, name, {
      enumerable: true,
      get: () => (name === "lifecycle" && lifecycle ? lifecycle() : value),
      set: (other: unknown) => (other === value ? undefined : onChange(name)),
    });
  }
  const override = resource.addOverride.bind(resource);
  const kept: readonly string[] | undefined = names?.map((name) => (name === "forEach" ? "for_each" : name));
  if (kept) fixed.set(resource, kept);
  resource.addOverride = (path: string, value: unknown) => {
    const [argument = ""] = path.split(".");
    if (kept && !kept.includes(argument)) override(path, value);
    else onChange(argument);
  };
}
