import type { JsonObject, Kind } from "../model/provider-type";
import { singular } from "../model/provider-type";
import { ClusterPlatformError } from "../model/errors";
import { declared, lookUp, type Declared, type DeclaredStack } from "./declared";
import { differences } from "./differences";
import { replacedObjects } from "./replaced-objects";
import type { SynthesizedInput } from "./synthesized-input";

/** What a matcher answers to jest or Vitest. */
export interface MatcherResult {
  readonly pass: boolean;
  /** The text of the failure. */
  readonly message: () => string;
}

/** The matchers as methods of `expect(…)`, to declare their types in a project. docs/testing.md has the lines. */
export interface StackMatchers<R = unknown> {
  /**
   * The stack declares a cluster with these props and perhaps others. Props are written as in the code. A prop of which the code
   * says nothing has its default. Lists must be complete.
   * @param name the name, or `type/clusters/name`
   * @param props also the fields of {@link Declared}, such as `type`
   */
  toDeclareCluster(name: string, props?: Readonly<Record<string, unknown>>): R;
  /** Like {@link toDeclareCluster}, for a provider. */
  toDeclareProvider(name: string, props?: Readonly<Record<string, unknown>>): R;
  /**
   * An apply of the stack refuses to delete or replace the cluster or provider.
   * @param name the name, or `type/kind/name`
   * @throws NOT_FOUND for a name that the stack does not declare, also after `not`
   */
  toProtect(name: string): R;
  /**
   * A change of the program from `base` to this stack replaces these objects and no others. It counts an object whose replacement
   * is refused, and one that may be replaced because an expression in its declaration changes. `base` and the stack are what {@link declared} takes, but not its
   * result.
   * @param base the stack before the change
   * @param names the name of each object, or `type/kind/name`
   */
  toReplace(base: SynthesizedInput, names: readonly string[]): R;
}

/** Matchers for `expect.extend`. They take what {@link declared} takes, and its result. */
export const matchers: {
  readonly [Name in keyof StackMatchers]: (
    stack: SynthesizedInput,
    ...expected: Parameters<StackMatchers[Name]>
  ) => MatcherResult;
} = {
  toDeclareCluster: (stack, name, props = {}) => declares(declared(stack), "clusters", name, props),

  toDeclareProvider: (stack, name, props = {}) => declares(declared(stack), "providers", name, props),

  toReplace: (stack, base, names) => {
    const replaced = replacedObjects(base, stack);
    const isNamed = ({ object, name }: { object: string; name: string }) => names.includes(object) || names.includes(name);
    const missing = names.filter((each) => !replaced.some(({ object, name }) => each === object || each === name));
    const lines = [
      ...replaced.filter((each) => !isNamed(each)).map(({ object, happens }) => `${object} ${happens}`),
      ...missing.map((each) => `${each} is not replaced`),
    ];
    if (lines.length === 0)
      return { pass: true, message: () => "the change replaces these objects and no others, but it should not" };
    return { pass: false, message: () => ["the change replaces other objects:", ...lines.map((line) => `  ${line}`)].join("\n") };
  },

  toProtect: (stack, name) => {
    const { kind, object } = findAny(declared(stack), name);
    const what = `the ${singular(kind)} '${name}'`;
    return {
      pass: object.protected,
      message: () =>
        object.protected
          ? `${what} is protected, but it should not be`
          : `${what} is not protected: see deletionProtection and allowDeletion of its Platform`,
    };
  },
};

function declares({ providers, clusters }: DeclaredStack, kind: Kind, name: string, props: JsonObject): MatcherResult {
  const found = lookUp<Declared>(kind === "clusters" ? clusters : providers, kind, name);
  if (typeof found === "string") return { pass: false, message: () => found };
  const lines = differences(kind, found, props);
  const what = `the ${singular(kind)} '${name}'`;
  if (lines.length === 0) {
    const extent = Object.keys(props).length === 0 ? "" : " with these props";
    return { pass: true, message: () => `the stack declares ${what}${extent}, but it should not` };
  }
  return { pass: false, message: () => [`${what} differs:`, ...lines.map((line) => `  ${line}`)].join("\n") };
}

function findAny({ providers, clusters }: DeclaredStack, name: string): { readonly kind: Kind; readonly object: Declared } {
  const cluster = lookUp<Declared>(clusters, "clusters", name);
  const provider = lookUp<Declared>(providers, "providers", name);
  if (typeof cluster !== "string" && typeof provider !== "string") {
    const ids = [`${cluster.type}/clusters/${name}`, `${provider.type}/providers/${name}`];
    throw new ClusterPlatformError("NOT_FOUND", `'${name}' is a cluster and a provider: write ${ids.join(" or ")}`);
  }
  if (typeof cluster !== "string") return { kind: "clusters", object: cluster };
  if (typeof provider !== "string") return { kind: "providers", object: provider };
  throw new ClusterPlatformError(
    "NOT_FOUND",
    cluster.includes("did you mean") || !provider.includes("did you mean") ? cluster : provider,
  );
}
