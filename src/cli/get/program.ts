import type { LiveCluster, LiveProvider } from "../../api/client";
import { problemsOf, renderValue } from "../../declarations/rules";
import { definitionOf, type Schema } from "../../declarations/schema-definition";
import { objectTypeOf } from "../../declarations/types";
import { unflatten } from "../../declarations/unflatten";
import { shownFields } from "../../lifecycle/compare";
import { isLeaving } from "../../lifecycle/live";
import { entryPoint, type Cdk } from "../../model/cdk";
import { isName } from "../../model/object-name";
import { visible } from "../../util/printable";
import { isPlainObject } from "../../util/prop-path";
import { isTypeCode, type JsonObject, type TypeCode } from "../../model/provider-type";
import { groupedBy } from "../report/grouped-by";
import { block, call, code, constant, type Fields, list, statementOf, text, todo, type Value } from "./source";

type KnownCluster = LiveCluster & { readonly type: TypeCode };

export interface Estate {
  /** URL of the service. */
  readonly url: string;
  readonly clusters: readonly LiveCluster[];
  /** Providers to write besides those of the clusters. */
  readonly providers: readonly LiveProvider[];
  /** Of all providers on the service. */
  readonly offered: readonly LiveProvider[];
}

export interface ProgramOptions {
  /** Whether Terraform's `import` blocks take over the clusters, which needs the provider engine, or `adopt`. */
  readonly imports: boolean;
  readonly cdk: Cdk;
}

/**
 * A program that takes over live clusters, formatted as Prettier does by default. Clusters refer to their providers by name. A
 * field that the service's lists do not show is a `TODO`, which does not compile.
 */
export function program(estate: Estate, { imports, cdk }: ProgramOptions): string {
  const names = groupedBy(estate.clusters, ({ name }) => name);
  const reasons = estate.clusters.map((each) => {
    const isRepeated = names.get(each.name)!.length > 1;
    return [each, isRepeated ? "the service lists different clusters of this name" : reasonToLeaveOut(each)] as const;
  });
  const skipped = new Map(reasons.filter(([, reason]) => reason !== undefined));
  const known = estate.clusters.filter((each) => !skipped.has(each)) as KnownCluster[];
  const clusters = known.sort((one, other) => compareText(one.type, other.type) || compareText(one.name, other.name));
  const providers = providersOf(estate, clusters);
  const classes = [
    ...providers.map(({ type }) => `${classPrefix(type)}Provider`),
    ...clusters.map(({ type }) => `${classPrefix(type)}Cluster`),
    "Engine",
    "Platform",
    // For the TODO of the prop `services`.
    ...(clusters.length > 0 ? ["Services"] : []),
  ];
  const engine = imports ? "PROVIDER" : "TERRAFORM_DATA";
  const statements = [
    statementOf(call("new Platform", ["this", text(platformId(clusters))], { engine: code(`Engine.${engine}`) })),
    ...(providers.length > 0 ? [providers.map((each) => each.statement).join("\n")] : []),
    ...[...skipped].map(([{ name }, reason]) => `    // Left out: cluster ${visible(JSON.stringify(name))}, because ${reason}.`),
    ...clusters.map((cluster) => declarationOf(cluster, providers, estate.offered, imports)),
  ];
  return `import { App, TerraformStack } from "${cdk}";
${importOf([...new Set(classes)].sort(), entryPoint(cdk))}
import type { Construct } from "constructs";

// ${counted(clusters.length, "cluster")} of ${estate.url}.
// A TODO is a value that the service's lists do not show. Write the live value
// there. If the comment names a default and the cluster has it, you can remove
// the line. A run stops at the first TODO; \`grep -n TODO\` lists all of them.
// The first apply sends no request for a cluster, and it refuses a cluster if a
// shown field differs. Remove ${imports ? "importFrom()" : "adopt"} after it.
class Clusters extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);

${statements.join("\n\n")}
  }
}

const app = new App();
new Clusters(app, "clusters");
app.synth();
`;
}

/** The same order on every machine. */
function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function reasonToLeaveOut({ type, name, ...cluster }: LiveCluster): string | undefined {
  if (!isTypeCode(type)) return `this package does not know the type ${visible(JSON.stringify(type))}`;
  if (!isName(name)) return "no construct takes this name";
  return isLeaving({ type, name, ...cluster }) ? "the service is deleting it" : undefined;
}

interface ProviderReference {
  readonly type: TypeCode;
  readonly name: string;
  readonly identifier: string;
  readonly statement: string;
}

/** Those of the clusters, and those that are asked for. */
function providersOf({ providers }: Estate, clusters: readonly KnownCluster[]): readonly ProviderReference[] {
  const named = [...clusters.map(({ type, provider }) => ({ type, name: provider })), ...providers];
  const keys = named.flatMap(({ type, name }) => (isTypeCode(type) && isName(name) ? [`${type}/${name}`] : []));
  const taken = new Set<string>();
  return [...new Set(keys)].sort().map((key) => {
    const [type, name] = key.split("/") as [TypeCode, string];
    const identifier = unused(identifierOf(name), taken);
    const statement = constant(identifier, call(`${classPrefix(type)}Provider.fromName`, [text(name)]));
    return { type, name, identifier, statement };
  });
}

/** The ending keeps it apart from the language's own words and from the names in the program. */
function identifierOf(name: string): string {
  const words = `${/^\d/.test(name) ? "no-" : ""}${name}`.split(/[^A-Za-z0-9]+/);
  const [first = "", ...rest] = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${first.charAt(0).toLowerCase()}${first.slice(1)}${rest.join("")}Provider`;
}

function unused(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
  taken.add(name);
  return name;
}

/** An id in the tree of constructs that no cluster has. */
function platformId(clusters: readonly LiveCluster[]): string {
  return unused("platform", new Set(clusters.map(({ name }) => name)));
}

function declarationOf(
  cluster: KnownCluster,
  providers: readonly ProviderReference[],
  offered: readonly LiveProvider[],
  imports: boolean,
): string {
  const provider = providers.find(({ type, name }) => type === cluster.type && name === cluster.provider);
  const known = offered.find(({ type, name }) => type === cluster.type && name === cluster.provider);
  const props = propsOf(cluster, known?.kubernetesVersions ?? []);
  const fields: Fields = {
    ...(imports ? {} : { adopt: code("true") }),
    ...props,
    provider: provider ? code(provider.identifier) : todo("the provider, which the service does not show"),
  };
  const created = call(`new ${classPrefix(cluster.type)}Cluster`, ["this", text(cluster.name)], fields);
  return statementOf(created, imports ? ".importFrom()" : "");
}

/** Fields that are no facts about a live cluster. */
const NO_FACTS = new Set(["bodyOverrides"]);

/** Props with fields of their own come last. */
function propsOf(live: KnownCluster, kubernetesVersions: readonly string[]): Fields {
  const objectType = objectTypeOf(live.type, "clusters");
  const shown = unflatten(objectType, shownFields("clusters", live));
  const groups = shown.workers as readonly JsonObject[] | undefined;
  const defaults = objectType.defaults({ controlPlane: {}, workers: groups ?? [] });
  const { controlPlane, workers, ...scalars } = shapeOf(objectType.spec);
  const defaultsOf = (prop: string, index?: number) =>
    (index === undefined ? defaults[prop] : (defaults[prop] as JsonObject[])[index]) as JsonObject;
  const fields = Object.entries(scalars)
    .filter(([prop]) => !NO_FACTS.has(prop))
    .map(([prop, rule]) => {
      const hint =
        prop === "kubernetesVersion" && kubernetesVersions.length > 0
          ? `the provider offers ${kubernetesVersions.join(", ")}`
          : "";
      return [prop, valueOf(rule, shown[prop], defaults[prop], hint)] as const;
    });
  const workerShape = shapeOf(definitionOf(workers!).element);
  return {
    ...Object.fromEntries(fields),
    controlPlane: block(nodesOf(shapeOf(controlPlane!), (shown.controlPlane ?? {}) as JsonObject, defaultsOf("controlPlane"))),
    workers:
      groups === undefined
        ? todo("the groups of worker nodes")
        : list(groups.map((group, index) => nodesOf(workerShape, group, defaultsOf("workers", index)))),
  };
}

function nodesOf(shape: Readonly<Record<string, Schema>>, shown: JsonObject, defaults: JsonObject): Fields {
  return Object.fromEntries(
    Object.entries(shape).map(([prop, rule]) => [prop, valueOf(rule, shown[prop], defaults[prop], "")] as const),
  );
}

function shapeOf(schema: Schema): Readonly<Record<string, Schema>> {
  return definitionOf(schema).shape;
}

/** @param shown the live value. Undefined if the lists do not show it */
function valueOf(rule: Schema, shown: unknown, byDefault: unknown, more: string): Value {
  if (shown !== undefined && isValid(rule, shown)) return typeof shown === "string" ? text(shown) : code(String(shown));
  const isOptional = definitionOf(rule).type === "optional";
  const hints = [
    shown === undefined ? "" : `the service shows ${renderValue(shown)}`,
    ruleOf(isOptional ? definitionOf(rule).innerType : rule),
    more,
    isOptional ? (byDefault === undefined ? "optional" : `default: ${rendered(byDefault)}`) : "",
  ];
  return todo(hints.filter((hint) => hint !== "").join("; "));
}

function isValid(rule: Schema, value: unknown): boolean {
  return problemsOf(rule, value).length === 0;
}

/** The rule in the words of its message, which completes "must be". */
function ruleOf(rule: Schema): string {
  const { error } = rule.safeParse(undefined);
  return error?.issues[0]?.message.replace(/^be /, "") ?? "";
}

function rendered(value: unknown): string {
  if (isPlainObject(value) && "preset" in value) return `Services.${String(value.preset)}()`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${key}: ${rendered(item)}`)
    .join(", ")} }`;
}

function classPrefix(type: TypeCode): string {
  return type.charAt(0).toUpperCase() + type.slice(1);
}

function importOf(names: readonly string[], from: string): string {
  const line = `import { ${names.join(", ")} } from "${from}";`;
  return line.length <= 80 ? line : `import {\n${names.map((name) => `  ${name},\n`).join("")}} from "${from}";`;
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
