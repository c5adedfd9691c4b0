import {
  App,
  DefaultTokenResolver,
  StringConcat,
  TerraformElement,
  TerraformProvider,
  TerraformResource,
  TerraformStack,
  Tokenization,
} from "cdktf";
import { isOffered } from "../../declarations/offered-versions";
import { blockLifecycleProblems } from "./block-lifecycle";
import type { JsonObject } from "../../model/provider-type";
import { addressesIn, templatesIn } from "../../terraform/template-text";
import { CONSTRUCT_FOR_EACH, type DeclaredObject, problemOf } from "./declared-object";
import { dependencyCycleProblems } from "./dependency-cycles";
import { sharedEndpointProblems } from "./shared-addresses";
import { renderValue } from "../../declarations/rules";
import { isPlainObject } from "../../util/prop-path";
import { fixedArgumentsOf } from "./fixed-arguments";
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
    .filter(({ body }) => body === undefined)
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
  return new Set([...elements].map(address).filter((owned) => owned !== undefined));
}

/** cdktf merges two elements with the same id without a warning. */
function foreignUsesOfOurIds({ stack, elements: own, platformPath }: Declarations): string[] {
  const addresses = new Map([...own].map((element) => [address(element), element]));
  return (
    stack.node
      .findAll()
      .filter((node): node is TerraformElement => TerraformElement.isTerraformElement(node) && !own.has(node))
      // The tree has the elements of nested stacks, too.
      .filter(
        (element) => TerraformStack.of(element) === stack && addresses.has(address(element)) && address(element) !== undefined,
      )
      .map(
        (element) =>
          `${element.node.path}: '${address(element)}' is an id of the Platform ${platformPath}; give the element another id, or the Platform a 'name'`,
      )
  );
}

/** Overrides of the stack, which pass by the elements. */
function overridesOfOurs({ stack, elements, platformPath }: Declarations): string[] {
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
  const [type = "", id = ""] = address(element)?.split(".") ?? [];
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
function malformedOverrides(stack: TerraformStack): string[] {
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

function overridesIn(stack: TerraformStack): Readonly<Record<string, unknown>> {
  return (stack as unknown as { readonly rawOverrides: Record<string, unknown> }).rawOverrides;
}

function isOverridden(overrides: object, [key = "", ...rest]: readonly string[]): boolean {
  if (!Object.hasOwn(overrides, key)) return false;
  const override = (overrides as Record<string, unknown>)[key];
  return rest.length === 0 || typeof override !== "object" || override === null || isOverridden(override, rest);
}

function address(element: TerraformElement): string | undefined {
  if (TerraformResource.isTerraformResource(element)) return `${element.terraformResourceType}.${element.friendlyUniqueId}`;
  // `instanceof` is false for a local from another copy of cdktf.
  return "asAnyMap" in element ? `local.${element.friendlyUniqueId}` : undefined;
}
