import type { LiveCluster, LiveProvider } from "../../api/client";
import { isLeaving } from "../../lifecycle/live";
import { entryPoint, type Cdk } from "../../model/cdk";
import { isName } from "../../model/object-name";
import { visible } from "../../util/printable";
import { isTypeCode, type TypeCode } from "../../model/provider-type";
import { groupedBy } from "../report/grouped-by";
import { counted } from "../report/phrase";
import { HiddenValues } from "./hidden-values";
import { clusterProps, providerProps, type KnownCluster, type KnownProvider } from "./live-props";
import { call, code, comment, constant, type Properties, statementOf, text } from "./source";

export interface Estate {
  /** URL of the service. */
  readonly url: string;
  readonly clusters: readonly LiveCluster[];
  /** Providers to declare. */
  readonly providers: readonly LiveProvider[];
  /** Of all providers on the service. */
  readonly offered: readonly LiveProvider[];
}

export interface ProgramOptions {
  /** Whether Terraform's `import` blocks take over the objects, which needs the provider engine, or `adopt`. */
  readonly imports: boolean;
  readonly cdk: Cdk;
}

/**
 * A program that takes over live objects, formatted as Prettier does by default. Clusters refer by name to a provider that is not
 * declared. A value that the service's lists do not show is a constant before the class. It is `TODO`, which does not compile.
 */
export function program(estate: Estate, { imports, cdk }: ProgramOptions): string {
  const names = groupedBy(estate.clusters, ({ name }) => name);
  const reasons = estate.clusters.map((each) => {
    const isRepeated = names.get(each.name)!.length > 1;
    return [each, isRepeated ? "the service lists different clusters of this name" : reasonToLeaveOut(each)] as const;
  });
  const skipped = new Map(reasons.filter(([, reason]) => reason !== undefined));
  const clusters = (estate.clusters.filter((each) => !skipped.has(each)) as KnownCluster[]).sort(byTypeAndName);
  const declared = (estate.providers.filter(({ type, name }) => isTypeCode(type) && isName(name)) as KnownProvider[]).sort(
    byTypeAndName,
  );

  const identifiers = new Set<string>();
  const hidden = new HiddenValues((words) => unused(identifierOf(words), identifiers));
  const providers = namedProviders(clusters, declared, identifiers);
  const ids = new Set(clusters.map(({ name }) => name));
  const adoption: Properties = imports ? {} : { adopt: code("true") };
  const method = imports ? ".importFrom()" : "";

  const platform = call("new Platform", ["this", text(unused("platform", ids))], {
    engine: code(`Engine.${imports ? "PROVIDER" : "TERRAFORM_DATA"}`),
  });
  const references = providers
    .filter(({ live }) => live === undefined)
    .map(({ type, name, identifier }) => constant(identifier, call(`${classPrefix(type)}Provider.fromName`, [text(name)])));
  const providerStatements = providers.flatMap(({ type, name, live, identifier, isUsed }) => {
    if (!live) return [];
    const created = call(`new ${classPrefix(type)}Provider`, ["this", text(unused(name, ids))], {
      ...adoption,
      ...providerProps(live, hidden),
    });
    if (!isUsed) return [statementOf(created, method)];
    return [constant(identifier, created), ...(imports ? [`    ${identifier}${method};`] : [])];
  });
  const clusterStatements = clusters.map((cluster) => {
    const isItsOwn = ({ type, name }: { readonly type: string; readonly name: string }) =>
      type === cluster.type && name === cluster.provider;
    const provider = providers.find(isItsOwn)?.identifier ?? hidden.value([cluster.name, "provider"], unshownProvider(cluster));
    const { name, ...props } = clusterProps(cluster, estate.offered.find(isItsOwn)?.kubernetesVersions ?? [], hidden);
    const created = call(`new ${classPrefix(cluster.type)}Cluster`, ["this", text(cluster.name)], {
      ...adoption,
      name: name!,
      provider: code(provider),
      ...props,
    });
    return statementOf(created, method);
  });
  const statements = [
    statementOf(platform),
    ...(references.length > 0 ? [references.join("\n")] : []),
    ...providerStatements,
    ...[...skipped].map(([{ name }, reason]) => `    // Left out: cluster ${visible(JSON.stringify(name))}, because ${reason}.`),
    ...clusterStatements,
  ].join("\n\n");
  const imported = [
    ...providers.map(({ type }) => `${classPrefix(type)}Provider`),
    ...clusters.map(({ type }) => `${classPrefix(type)}Cluster`),
    "Engine",
    "Platform",
    ...(statements.includes("Secret.fromEnv(") ? ["Secret"] : []),
  ];
  const objects = [counted(clusters.length, "cluster"), ...(declared.length > 0 ? [counted(declared.length, "provider")] : [])];
  return `import { App, TerraformStack } from "${cdk}";
${importOf([...new Set(imported)].sort(), entryPoint(cdk))}
import type { Construct } from "constructs";

${comment(`${objects.join(" and ")} of ${estate.url}.`)}
${todoList(hidden)}
${comment(
  `The first apply sends no request for these objects, and it refuses one if a shown field differs. Remove ${imports ? "importFrom()" : "adopt"} after it.`,
)}
class Clusters extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);

${statements}
  }
}

const app = new App();
new Clusters(app, "clusters");
app.synth();
`;
}

/** All that is left to do, in one place. */
function todoList(hidden: HiddenValues): string {
  const defaults = hidden.defaults();
  return [
    hidden.edits === 0
      ? comment("Nothing is left to edit.")
      : `${comment(`${counted(hidden.edits, "edit")} left: the service's lists do not show the values of these constants. Write the live value for each TODO, and check the defaults in the comment below them. If one object has another value, write that in its declaration.`)}\n\n${hidden.constants()}\n`,
    ...(defaults.length === 0
      ? []
      : [
          comment("The lists do not show these fields either. If an object does not have the default, write its value there:"),
          ...defaults.map((line) => comment(`- ${line}`, "  ")),
          "//",
        ]),
  ].join("\n");
}

/** The same order on every machine. */
function byTypeAndName(one: Named, other: Named): number {
  return compareText(one.type, other.type) || compareText(one.name, other.name);
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function reasonToLeaveOut({ type, name, ...cluster }: LiveCluster): string | undefined {
  if (!isTypeCode(type)) return `this package does not know the type ${visible(JSON.stringify(type))}`;
  if (!isName(name)) return "no construct takes this name";
  return isLeaving({ type, name, ...cluster }) ? "the service is deleting it" : undefined;
}

interface Named {
  readonly type: TypeCode;
  readonly name: string;
}

interface NamedProvider extends Named {
  readonly identifier: string;
  /** Set if it is declared. */
  readonly live: KnownProvider | undefined;
  readonly isUsed: boolean;
}

/** The declared ones, and those of the clusters. */
function namedProviders(
  clusters: readonly KnownCluster[],
  declared: readonly KnownProvider[],
  identifiers: Set<string>,
): readonly NamedProvider[] {
  const used = clusters.filter(({ provider }) => isName(provider)).map(({ type, provider }) => ({ type, name: provider }));
  const isIt = (one: Named) => (other: Named) => other.type === one.type && other.name === one.name;
  const all: readonly Named[] = [...used, ...declared].sort(byTypeAndName);
  return all
    .filter((each, index) => all.findIndex(isIt(each)) === index)
    .map((each) => ({
      type: each.type,
      name: each.name,
      identifier: unused(identifierOf([each.name, "provider"]), identifiers),
      live: declared.find(isIt(each)),
      isUsed: used.some(isIt(each)),
    }));
}

function unshownProvider({ type }: KnownCluster): string {
  return `the provider, which the service does not show, as in ${classPrefix(type)}Provider.fromName("main")`;
}

/** Words of several letters and digits, so that the result is no word of the language. */
function identifierOf(words: readonly string[]): string {
  const joined = words.join("-").replace(/[^A-Za-z0-9]+(\w)/g, (_, letter: string) => letter.toUpperCase());
  const name = joined.replace(/[^A-Za-z0-9]/g, "");
  return /^\d/.test(name) ? `no${name}` : `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

function unused(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
  taken.add(name);
  return name;
}

function classPrefix(type: TypeCode): string {
  return type.charAt(0).toUpperCase() + type.slice(1);
}

function importOf(names: readonly string[], from: string): string {
  const line = `import { ${names.join(", ")} } from "${from}";`;
  return line.length <= 80 ? line : `import {\n${names.map((name) => `  ${name},\n`).join("")}} from "${from}";`;
}
