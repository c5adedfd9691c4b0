import {
  dependable,
  type ITerraformDependable,
  TerraformDataSource,
  TerraformElement,
  TerraformModule,
  TerraformResource,
  TerraformStack,
} from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { renderValue } from "../declarations/rules";

/** What a construct of this package can wait for: a resource, data source, module, provider, cluster or Platform, or a construct with such in it. */
export type Dependency = ITerraformDependable | IConstruct;

/**
 * What is wrong with the prop `dependsOn`.
 *
 * @param own constructs that cannot be waited for, because they are there only with the one that waits
 */
export function dependsOnProblems(dependsOn: unknown, own: readonly IConstruct[]): string[] {
  if (dependsOn === undefined) return [];
  if (!Array.isArray(dependsOn)) return [`'dependsOn' must be a list of constructs, got ${renderValue(dependsOn)}`];
  return dependsOn.flatMap((item: unknown, index) => {
    const prop = `'dependsOn[${index}]'`;
    if (!Construct.isConstruct(item)) {
      return `${prop} must be a construct, such as a resource, a data source, a module or a cluster, got ${renderValue(item)}`;
    }
    return own.includes(item) ? `${prop} must not be a construct that this one belongs to, got ${item.node.path}` : [];
  });
}

/** Keeps the prop `dependsOn` where `node.addDependency` keeps dependencies as well. */
export function dependOn(construct: IConstruct, dependsOn: readonly Dependency[] = []): void {
  for (const dependency of dependsOn as readonly IConstruct[]) {
    construct.node.addDependency(dependency);
    // Asked for its address, a cluster or a Platform makes the resource that waits for it. During a synth that is late.
    if (isOurs(dependency) && TerraformStack.of(dependency) === TerraformStack.of(construct)) void dependency.fqn;
  }
}

/** What a construct and the scopes that it is in depend on. */
export function dependenciesOf(construct: IConstruct): IConstruct[] {
  const { scopes } = construct.node;
  return scopes.slice(scopes.indexOf(TerraformStack.of(construct)) + 1).flatMap(({ node }) => node.dependencies);
}

/**
 * Makes a resource wait for what constructs of the same stack, and the scopes that they are in, depend on. cdktf ignores
 * `node.addDependency`. The dependencies are looked up at synth, so that later ones count. Aspects may still set `dependsOn`.
 */
export function waitForDependencies(resource: { dependsOn?: string[] }, constructs: () => readonly IConstruct[]): void {
  let own = resource.dependsOn ?? [];
  Object.defineProperty(resource, "dependsOn", {
    enumerable: true,
    get: () => {
      const all = new Set([...own, ...constructs().flatMap(addressesFor)]);
      return all.size > 0 ? [...all] : undefined;
    },
    set: (addresses: string[] | undefined) => (own = addresses ?? []),
  });
}

/** What is in another stack is waited for by the whole stack. */
function addressesFor(construct: IConstruct): string[] {
  const stack = TerraformStack.of(construct);
  return dependenciesOf(construct).flatMap((dependency) => {
    const other = TerraformStack.of(dependency);
    if (other === stack) return addressesIn(dependency, construct);
    stack.addDependency(other);
    return [];
  });
}

/** Addresses of the outermost things in a construct that Terraform can wait for. */
function addressesIn(construct: IConstruct, except: IConstruct): string[] {
  if (construct === except) return [];
  if (isOurs(construct) || isElement(construct)) return [addressOf(construct)];
  return construct.node.children.flatMap((child) => addressesIn(child, except));
}

const addresses = new WeakMap<object, string>();

/** The same text for the same construct. cdktf fills it in at synth, so that a logical id may still be overridden. */
function addressOf(construct: ITerraformDependable): string {
  const address = addresses.get(construct) ?? dependable(construct);
  addresses.set(construct, address);
  return address;
}

/** Providers, clusters and Platforms have an address without being elements of cdktf. */
function isOurs(construct: unknown): construct is ITerraformDependable & IConstruct {
  return (
    typeof construct === "object" && construct !== null && "fqn" in construct && !TerraformElement.isTerraformElement(construct)
  );
}

function isElement(construct: unknown): construct is TerraformResource | TerraformDataSource | TerraformModule {
  return (
    TerraformResource.isTerraformResource(construct) ||
    TerraformDataSource.isTerraformDataSource(construct) ||
    construct instanceof TerraformModule
  );
}
