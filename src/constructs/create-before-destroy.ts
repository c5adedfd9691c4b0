import { TerraformElement, TerraformResource, type TerraformStack } from "cdktf";

/**
 * Terraform gives create_before_destroy to all that a resource with it depends on, and then skips destroy hooks: a
 * replaced cluster would be created while the old one lives, and the old one be forgotten. So nothing that depends on
 * an object of ours may have it, however far away.
 *
 * @returns a problem per resource that has it and leads to one of `ours`, given by their Terraform addresses
 */
export function createBeforeDestroyProblems(stack: TerraformStack, ours: ReadonlySet<string>): string[] {
  const resources = stack.node.findAll().filter((node): node is TerraformResource => TerraformResource.isTerraformResource(node));
  if (!mayHaveIt(stack, resources)) return [];
  const synthesized = stack.toTerraform() as Synthesized;
  const paths = new Map(resources.map((resource) => [addressOf(resource), resource.node.path]));
  const references = referencesOf(synthesized);
  return culpritsOf(synthesized).flatMap((culprit) => {
    const way = wayTo(ours, culprit, references);
    if (!way) return [];
    const via = way.length > 2 ? ` (by way of ${way.slice(1, -1).join(", ")})` : "";
    return [
      `${paths.get(culprit) ?? culprit}: create_before_destroy must not be set on what depends on a provider or cluster, but ${way[0]} leads to ${way.at(-1)}${via}: ` +
        "Terraform would hand it on to them, and make the new object before the old one is deleted. Remove it here, or the dependency",
    ];
  });
}

/** Spares a large stack, as most are, a second synth of everything. */
function mayHaveIt(stack: TerraformStack, resources: readonly TerraformResource[]): boolean {
  const overridesOf = (element: object) =>
    (element as { rawOverrides: { lifecycle?: unknown; resource?: unknown } }).rawOverrides;
  return (
    overridesOf(stack).resource !== undefined ||
    resources.some((resource) => resource.lifecycle?.createBeforeDestroy || overridesOf(resource).lifecycle !== undefined)
  );
}

type Synthesized = Partial<Record<"resource" | "data" | "locals" | "module", Record<string, unknown>>>;

/** Addresses of the resources that have it when all is said, by props, overrides of theirs or of the stack's, or Aspects. */
function culpritsOf({ resource = {} }: Synthesized): string[] {
  return Object.entries(resource).flatMap(([type, group]) =>
    Object.entries(group as Record<string, { lifecycle?: unknown }>)
      .filter(([, { lifecycle }]) => [lifecycle].flat().some(setsIt))
      .map(([id]) => `${type}.${id}`),
  );
}

function setsIt(lifecycle: unknown): boolean {
  const value = (lifecycle as { create_before_destroy?: unknown } | undefined)?.create_before_destroy;
  return value !== undefined && value !== false && value !== "false";
}

type References = ReadonlyMap<string, ReadonlySet<string>>;

/** The shortest chain of addresses from a resource to one of `ours`; undefined where there is none. */
function wayTo(ours: ReadonlySet<string>, start: string, references: References): string[] | undefined {
  const seen = new Set([start]);
  const ways = [[start]];
  for (const way of ways) {
    const last = way.at(-1)!;
    if (ours.has(last)) return way;
    for (const next of references.get(last) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}

/** What each element of the synthesized stack refers to, by address, overrides and Aspects included. */
function referencesOf({ resource = {}, data = {}, locals = {}, module = {} }: Synthesized): References {
  const elements = new Map<string, unknown>();
  const addAll = (prefix: string, group: Record<string, unknown>) =>
    Object.entries(group).forEach(([id, body]) => elements.set(`${prefix}.${id}`, body));
  Object.entries(resource).forEach(([type, group]) => addAll(type, group as Record<string, unknown>));
  Object.entries(data).forEach(([type, group]) => addAll(`data.${type}`, group as Record<string, unknown>));
  addAll("local", locals);
  addAll("module", module);
  return new Map(
    [...elements].map(([address, body]) => [
      address,
      new Set(
        expressionsIn(body)
          .flatMap(addressesIn)
          .filter((found) => elements.has(found)),
      ),
    ]),
  );
}

/** Texts of an element in which Terraform looks for references. */
function expressionsIn(body: unknown, key = ""): string[] {
  if (typeof body === "string") return key === "depends_on" || body.includes("${") ? [body] : [];
  if (Array.isArray(body)) return body.flatMap((item) => expressionsIn(item, key));
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, item]) =>
    name === "//" ? [] : [...expressionsIn(name), ...expressionsIn(item, name)],
  );
}

function addressesIn(expression: string): string[] {
  return (expression.match(/[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+/g) ?? []).map((path) => {
    const parts = path.split(".");
    return parts.slice(0, parts[0] === "data" ? 3 : 2).join(".");
  });
}

function addressOf(element: TerraformElement & { terraformResourceType: string }): string {
  return `${element.terraformResourceType}.${element.friendlyUniqueId}`;
}
