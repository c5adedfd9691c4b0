import {
  dependable,
  type ITerraformDependable,
  TerraformElement,
  type TerraformResource,
  TerraformStack,
  Tokenization,
} from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { renderValue } from "../../declarations/rules";
import { isBrokenToken } from "./tokens";

/** A resource, data source, module, provider, cluster or Platform, a construct that contains these, or a local. */
export type Dependency = ITerraformDependable | IConstruct;

/** @param own the construct that waits, and constructs that it belongs to */
export function dependsOnProblems(dependsOn: unknown, own: readonly IConstruct[]): string[] {
  if (dependsOn === undefined) return [];
  if (!Array.isArray(dependsOn)) return [`'dependsOn' must be a list of constructs, got ${renderValue(dependsOn)}`];
  return dependsOn.flatMap((item: unknown, index) => {
    const prop = `'dependsOn[${index}]'`;
    if (!Construct.isConstruct(item)) {
      return `${prop} must be a construct, such as a resource, a data source, a module or a cluster, got ${renderValue(item)}`;
    }
    if (own.includes(item)) return `${prop} must not be a construct that this one belongs to, got ${item.node.path}`;
    if (!TerraformElement.isTerraformElement(item) || elementTypeOf(item) !== undefined) return [];
    return `${prop} must be a construct that Terraform can wait for, got ${(item as IConstruct).node.path}; list the resources that it refers to`;
  });
}

export function dependOn(construct: IConstruct, dependsOn: readonly Dependency[] = []): void {
  for (const dependency of dependsOn as readonly IConstruct[]) {
    construct.node.addDependency(dependency);
    // The first read of the address of a cluster or Platform creates the resource that waits for it. At synth it is too late.
    if (isOurs(dependency) && TerraformStack.of(dependency) === TerraformStack.of(construct)) void dependency.fqn;
  }
}

export function dependenciesOf(construct: IConstruct): IConstruct[] {
  const { scopes } = construct.node;
  return scopes.slice(scopes.indexOf(TerraformStack.of(construct)) + 1).flatMap(({ node }) => node.dependencies);
}

/**
 * Makes a resource wait for the dependencies of constructs and of their scopes, because cdktf ignores `node.addDependency`. They
 * are read at synth, so later ones count too. What Aspects set as `dependsOn` is added, and takes nothing away.
 */
export function waitForDependencies(resource: { dependsOn?: string[] }, constructs: () => readonly IConstruct[]): void {
  const own = resource.dependsOn ?? [];
  let added: string[] = [];
  Object.defineProperty(resource, "dependsOn", {
    enumerable: true,
    get: () => {
      const all = new Set([...own, ...added, ...constructs().flatMap(addressesFor)]);
      return all.size > 0 ? [...all] : undefined;
    },
    set: (waits: unknown) => (added = [waits].flat().flatMap(addressIn)),
  });
}

/** None for what has no address. */
function addressIn(wait: unknown): string[] {
  if (typeof wait === "string") return wait === "" || isBrokenToken(wait) ? [] : [wait];
  return TerraformElement.isTerraformElement(wait) && elementTypeOf(wait) !== undefined
    ? [addressOf(wait as TerraformResource)]
    : [];
}

/** For a dependency in another stack, the whole stack waits, and there are no addresses. */
function addressesFor(construct: IConstruct): string[] {
  const stack = TerraformStack.of(construct);
  return dependenciesOf(construct).flatMap((dependency) => {
    const other = TerraformStack.of(dependency);
    if (other === stack) return isValue(dependency) ? [addressOf(dependency)] : addressesIn(dependency, construct);
    stack.addDependency(other);
    return [];
  });
}

/**
 * Elements of other stacks that wait for a Platform or one of its objects. Terraform orders the resources of one stack.
 * @param isOf whether a construct is the Platform or one of its objects
 */
export function dependencyProblemsOfOtherStacks(stack: TerraformStack, isOf: (construct: object) => boolean): string[] {
  return stack.node.root.node
    .findAll()
    .filter((node) => TerraformElement.isTerraformElement(node) && TerraformStack.of(node) !== stack)
    .flatMap((element) => {
      const { dependsOn = [], lifecycle } = element as Partial<TerraformResource>;
      const targets = [...dependsOn, ...(lifecycle?.replaceTriggeredBy ?? [])].map(dependedOn).filter(isOf) as IConstruct[];
      return targets.map(
        ({ node }) =>
          `${element.node.path}: must not wait for ${node.path}, which is in another stack, because Terraform orders the resources of one stack; ` +
          "for the order of the stacks, write stack.addDependency(…); for a value that changes with the object, use its uid, as in cluster.uid",
      );
    });
}

/** What cdktf has made a token of. */
function dependedOn(item: unknown): object {
  const [token] = typeof item === "string" ? Tokenization.reverse(item) : [];
  return (token as { readonly dependable?: object } | undefined)?.dependable ?? Object(item);
}

/**
 * Only the outermost resources, data sources, modules and constructs of this package. A value inside another construct does not
 * count, because it may refer to the construct that waits.
 */
function addressesIn(construct: IConstruct, except: IConstruct): string[] {
  if (construct === except) return [];
  if (isOurs(construct) || isElement(construct)) return [addressOf(construct)];
  return construct.node.children.flatMap((child) => addressesIn(child, except));
}

const addresses = new WeakMap<object, string>();

/** Always the same token for a construct. cdktf resolves it at synth, so a logical id may still be overridden. */
function addressOf(construct: ITerraformDependable): string {
  const address = addresses.get(construct) ?? dependable(construct);
  addresses.set(construct, address);
  return address;
}

/** Providers, clusters and Platforms have an address, but are no elements of cdktf. */
function isOurs(construct: unknown): construct is ITerraformDependable & IConstruct {
  return (
    typeof construct === "object" && construct !== null && "fqn" in construct && !TerraformElement.isTerraformElement(construct)
  );
}

/**
 * What the element's address begins with, as in `terraform_data`, `data.aws_ami`, `module` or `local`. Undefined for elements that
 * `depends_on` must not have, such as outputs and provider blocks. cdktf has no public method that also knows the elements of
 * another copy of cdktf.
 */
function elementTypeOf(construct: IConstruct): string | undefined {
  return TerraformElement.isTerraformElement(construct)
    ? (construct as unknown as { readonly _elementType?: string })._elementType
    : undefined;
}

const VALUES: readonly unknown[] = ["local", "var"];

function isElement(construct: IConstruct): construct is TerraformElement {
  const type = elementTypeOf(construct);
  return type !== undefined && !VALUES.includes(type);
}

function isValue(construct: IConstruct): construct is TerraformElement {
  return VALUES.includes(elementTypeOf(construct));
}
