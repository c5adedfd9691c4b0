import { App, DefaultTokenResolver, StringConcat, TerraformElement, TerraformStack, Tokenization } from "cdktf";
import { isOffered } from "../../declarations/offered-versions";
import { blockLifecycleProblems } from "./block-lifecycle";
import type { JsonObject } from "../../model/provider-type";
import { addressesIn, templatesIn } from "../../terraform/template-text";
import { CONSTRUCT_FOR_EACH, type DeclaredObject, problemOf } from "./declared-object";
import { dependencyCycleProblems } from "./dependency-cycles";
import { sharedEndpointProblems } from "./shared-addresses";
import { addressOf } from "./element-address";
import { malformedOverrides, overridesOfOurs } from "./overrides";
import { escapeLiterals, isToken } from "./tokens";

export interface Declarations {
  readonly stack: TerraformStack;
  readonly platformPath: string;
  /** The objects of the Platform. */
  readonly own: readonly DeclaredObject[];
  readonly elements: ReadonlySet<TerraformElement>;
  /** Addresses of the Platform's shared blocks whose objects have user-defined dependencies or tokens. */
  readonly waitingBlocks: readonly string[];
}

/** Rules that involve several constructs. All problems are reported at once, each with the path of its construct. */
export function crossConstructProblems(declared: Declarations): string[] {
  const malformed = malformedOverrides(declared.stack);
  if (malformed.length > 0) return malformed;
  const clusters = declared.own.filter(({ kind }) => kind === "clusters");
  return [
    ...outputInHcl(declared),
    ...repeatedNames(declared),
    ...sharedEndpointProblems(clusters),
    ...clusters.flatMap(versionWithoutTemplate),
    ...valuesOfIterators(declared),
    ...foreignUsesOfOurIds(declared),
    ...overridesOfOurs(declared),
    ...blockLifecycleProblems(declared.stack, ownedAddresses(declared)),
    ...dependencyCycleProblems(declared.stack, declared.platformPath, declared.waitingBlocks),
  ];
}

/** cdktf's HCL renderer renders text that looks like JSON as an object. This breaks settings of hooks and values of users. */
function outputInHcl({ stack }: Declarations): string[] {
  if (!App.of(stack).hclOutput) return [];
  return [
    "cdktf must synthesize JSON, not HCL: its HCL output changes text that looks like JSON; drop --hcl (or hclOutput, SYNTH_HCL_OUTPUT)",
  ];
}

function repeatedNames({ own }: Declarations): string[] {
  const first = new Map<string, DeclaredObject>();
  const problems: string[] = [];
  for (const object of own) {
    // Cluster names are unique over all types, provider names only in their type. A service may ignore case, so a create refuses a
    // name that lives in another case.
    const label = object.kind === "clusters" ? "cluster" : `${object.type} provider`;
    const key = `${label} ${object.name.toLowerCase()}`;
    const other = first.get(key);
    if (!other) first.set(key, object);
    else {
      const rule = object.name === other.name ? "be unique" : "differ from other names in more than upper and lower case";
      problems.push(problemOf(object, `'name' must ${rule}, but ${other.path} declares the ${label} ${other.name} already`));
    }
  }
  return problems;
}

function versionWithoutTemplate(cluster: DeclaredObject): string[] {
  const { spec, provider, offeredVersions } = cluster;
  const wanted = spec.kubernetesVersion;
  if (typeof wanted !== "string" || isToken(wanted) || !offeredVersions) return [];
  if (isOffered(wanted, offeredVersions)) return [];
  const offered = offeredVersions.join(", ");
  return [
    problemOf(
      cluster,
      `'kubernetesVersion' must be one that a template of the provider ${provider} offers (${offered}), got ${wanted}`,
    ),
  ];
}

const OF_ITERATORS: ReadonlySet<string> = new Set(["each.key", "each.value", "count.index"]);

/** Terraform knows these values only in a block with a `for_each` or `count` of the user. */
function valuesOfIterators({ stack, own }: Declarations): string[] {
  const resolved = (value: unknown): unknown =>
    Tokenization.resolve(value, { scope: stack, resolver: new DefaultTokenResolver(new StringConcat()), preparing: false });
  return own
    .filter(({ hasTokens }) => hasTokens)
    .flatMap((object) =>
      Object.entries(resolved(escapeLiterals(object.spec)) as JsonObject).flatMap(([prop, value]) => {
        const used = templatesIn(value).flatMap(expressionsIn).flatMap(addressesIn);
        const found = used.find((address) => OF_ITERATORS.has(address));
        if (found === undefined) return [];
        return [
          problemOf(object, `'${prop}' must not use an iterator, because objects have none, got ${found}. ${CONSTRUCT_FOR_EACH}`),
        ];
      }),
    );
}

function expressionsIn(template: string): string[] {
  return template.replaceAll("$${", "").match(/\$\{[^}]*\}/g) ?? [];
}

function ownedAddresses({ elements }: Declarations): Set<string> {
  return new Set([...elements].map(addressOf).filter((owned) => owned !== undefined));
}

/** cdktf merges two elements with the same id without a warning. */
function foreignUsesOfOurIds({ stack, elements: own, platformPath }: Declarations): string[] {
  const addresses = new Map([...own].map((element) => [addressOf(element), element]));
  return (
    stack.node
      .findAll()
      .filter((node): node is TerraformElement => TerraformElement.isTerraformElement(node) && !own.has(node))
      // The tree has the elements of nested stacks, too.
      .filter(
        (element) =>
          TerraformStack.of(element) === stack && addresses.has(addressOf(element)) && addressOf(element) !== undefined,
      )
      .map(
        (element) =>
          `${element.node.path}: '${addressOf(element)}' is an id of the Platform ${platformPath}; give the element another id, or the Platform a 'name'`,
      )
  );
}
