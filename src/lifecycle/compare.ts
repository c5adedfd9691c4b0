import { OVERRIDES, type FlatDeclaration } from "../declarations/declaration";
import type { LiveCluster, LiveProvider } from "../api/lists";
import { declaredWithDefaults } from "../declarations/declared-with-defaults";
import { canonicalAddress } from "../declarations/networks";
import { visible } from "../util/printable";
import type { Kind, TypeCode } from "../model/provider-type";
import { childKey, propOf, segmentsOf } from "../declarations/trigger-keys";

export interface Difference {
  /** Path of the prop, as in `controlPlane.count`. */
  readonly field: string;
  readonly declared: string;
  readonly live: string;
}

export interface Comparison {
  readonly differences: Difference[];
  /** Keys of the declared fields that the service's lists do not show. */
  readonly unconfirmed: string[];
}

/**
 * Compares a declaration with the live object. The declaration is flat and has its defaults. A field that one side does not show,
 * or that `bodyOverrides` have sent, is not a difference. A worker group that one side lacks is compared as a group of 0 nodes.
 */
export function compare(kind: Kind, type: TypeCode, declared: FlatDeclaration, live: LiveCluster | LiveProvider): Comparison {
  const ofKind =
    kind === "clusters" ? clusterFields(declared, live as LiveCluster) : providerFields(declared, live as LiveProvider);
  const isOverridden = overriddenIn(kind, declared);
  const fields: Field[] = [
    { field: "type", declared: type, live: live.type, keys: ["name"] },
    ...ofKind.filter(({ field }) => !isOverridden(field)),
  ];
  const shown = new Set(fields.filter((field) => field.live !== undefined).flatMap(({ field, keys = [field] }) => keys));
  return {
    differences: fields
      .filter(isDifference)
      .map(({ field, declared, live }) => ({ field, declared: inWords(declared), live: inWords(live) })),
    unconfirmed: Object.keys(declared)
      .filter((key) => !shown.has(key) && !isSpelledOut(key, declared))
      .sort(),
  };
}

/**
 * The same for the known part of a declaration without defaults.
 * @param open the props with values that are not known yet. They are left out, because the unknown part would get its default
 */
export function compareKnown(
  kind: Kind,
  type: TypeCode,
  known: FlatDeclaration,
  live: LiveCluster | LiveProvider,
  open: ReadonlySet<string> = new Set(),
): Comparison {
  const { differences, unconfirmed } = compare(kind, type, declaredWithDefaults(type, kind, known), live);
  const isOpen = (field: string) => open.has(propOf(field));
  return {
    differences: differences.filter(({ field }) => !isOpen(field)),
    unconfirmed: unconfirmed.filter((field) => !isOpen(field) || field in known),
  };
}

/** A list or an object has a key of its own only if it is empty. A default may be empty beside a declared list. */
function isSpelledOut(key: string, declared: FlatDeclaration): boolean {
  return declared[key] === "" && Object.keys(declared).some((other) => other !== key && segmentsOf(other)[0] === key);
}

/** The value of a field in a declaration, as a {@link Difference} has it, and the keys of the declaration that the field covers. */
export function declaredValue(kind: Kind, declared: FlatDeclaration, field: string): { value?: string; keys: readonly string[] } {
  const fields = kind === "clusters" ? clusterFields(declared, { workers: new Map() }) : providerFields(declared, {});
  const found = fields.find((each) => each.field === field);
  if (found === undefined) return { value: propOf(field) === "workers" ? NO_NODES : undefined, keys: [] };
  return { value: found.declared === undefined ? undefined : inWords(found.declared), keys: found.keys ?? [field] };
}

/** The part of an object's flat declaration that the service's lists show. */
export function shownFields(kind: Kind, live: LiveCluster | LiveProvider): FlatDeclaration {
  const fields = kind === "clusters" ? clusterFields({}, live as LiveCluster) : providerFields({}, live as LiveProvider);
  const shown = fields.flatMap(({ field, live, keys = [field] }) =>
    live !== undefined && keys.includes(field) ? [[field, live] as const] : [],
  );
  return { name: live.name, ...Object.fromEntries(shown) };
}

/** A compared field. A side that does not show the field is undefined. */
interface Field {
  readonly field: string;
  readonly declared: string | undefined;
  readonly live: string | undefined;
  /** The keys of the declaration that this field covers. @default - the name of the field */
  readonly keys?: readonly string[];
}

/**
 * Where a request has each compared field, by types. The values in `bodyOverrides` may be secrets, and the declared values of these
 * fields are not sent then.
 */
export const SENT_AS: Readonly<Record<Kind, Readonly<Record<string, readonly string[]>>>> = {
  clusters: {
    "controlPlane.count": ["cluster.controlPlaneNodesCount"],
    workers: ["provider.workerNodeConfigs"],
    podSubnet: ["cluster.podSubnet"],
    serviceSubnet: ["cluster.serviceSubnet"],
    ingress: ["cluster.ingress"],
    secure: ["cluster.secure"],
    apiEndpoint: ["cluster.apiEndpoint"],
  },
  providers: {
    templates: ["template", "templates"],
    allowEditCsi: ["allowEditCSI"],
    ipAddressPoolName: ["IPAddressPoolName"],
  },
};

/** The compared fields that `bodyOverrides` replace. */
function overriddenIn(kind: Kind, declared: FlatDeclaration): (field: string) => boolean {
  const overrides = Object.keys(declared)
    .filter((key) => key.startsWith(OVERRIDES))
    .map((key) => segmentsOf(key).slice(1));
  const isUnder = (place: string) => (path: readonly PropertyKey[]) =>
    segmentsOf(place).every((segment, depth) => path[depth] === segment);
  return (field) => {
    if (overrides.length === 0) return false;
    const places = SENT_AS[kind][field] ?? SENT_AS[kind][propOf(field)] ?? [];
    return places.some((place) => overrides.some(isUnder(place)));
  };
}

function isDifference(field: Field): field is Field & Difference {
  return field.declared !== undefined && field.live !== undefined && field.declared !== field.live;
}

/** An empty text stands for an object that has no such thing. */
function inWords(value: string): string {
  return value === "" ? "none" : visible(value);
}

function clusterFields(declared: FlatDeclaration, live: Partial<LiveCluster>): Field[] {
  return [
    { field: "provider", declared: declared.provider, live: live.provider || undefined },
    { field: "controlPlane.count", declared: declared["controlPlane.count"], live: live.controlPlaneCount?.toString() },
    ...workerFields(declared, live),
    { field: "podSubnet", declared: declared.podSubnet, live: live.podSubnet },
    { field: "serviceSubnet", declared: declared.serviceSubnet, live: live.serviceSubnet },
    { field: "ingress", declared: domain(declared.ingress), live: domain(live.ingress) },
    { field: "secure", declared: declared.secure, live: live.secure?.toString() },
    { field: "apiEndpoint", declared: host(declared.apiEndpoint), live: host(live.apiEndpoint) },
  ];
}

function providerFields(declared: FlatDeclaration, live: Partial<LiveProvider>): Field[] {
  const templates = Object.keys(declared).filter((key) => {
    const [list, , field, ...deeper] = segmentsOf(key);
    return list === "templates" && field === "kubernetesVersion" && deeper.length === 0;
  });
  return [
    {
      field: "templates",
      declared: templates.length > 0 ? versions(templates.map((key) => declared[key]!)) : undefined,
      live: live.kubernetesVersions?.length ? versions(live.kubernetesVersions) : undefined,
      keys: templates,
    },
    { field: "allowEditCsi", declared: declared.allowEditCsi, live: live.allowEditCsi?.toString() },
    { field: "ipAddressPoolName", declared: declared.ipAddressPoolName, live: live.ipAddressPoolName },
  ];
}

/** The number of nodes of a group on the side that lacks it. */
const NO_NODES = "0";

function workerFields(declared: FlatDeclaration, live: Partial<LiveCluster>): Field[] {
  if (live.workers === undefined) return [];
  const wanted = declaredWorkers(declared);
  const groups = new Set([...wanted.keys(), ...live.workers.keys()]);
  // The flat form of an empty list is an empty text.
  if (groups.size === 0) return [{ field: "workers", declared: declared.workers, live: "" }];
  return [...groups].map((group) => ({
    field: childKey(childKey("workers", group), "count"),
    declared: wanted.get(group)?.count ?? NO_NODES,
    live: live.workers!.get(group)?.toString() ?? NO_NODES,
    keys: wanted.get(group)?.keys,
  }));
}

/** The name of a group is part of the key. If it was a token at synth, the key has an index, and the name is a field. */
function declaredWorkers(declared: FlatDeclaration): Map<string, { readonly count: string; readonly keys: readonly string[] }> {
  const workers = new Map<string, { count: string; keys: string[] }>();
  for (const [key, count] of Object.entries(declared)) {
    const [list, place, field, ...deeper] = segmentsOf(key);
    if (list !== "workers" || place === undefined || field !== "count" || deeper.length > 0) continue;
    const groupKey = typeof place === "number" ? childKey(childKey("workers", place), "group") : undefined;
    const group = groupKey === undefined ? (place as string) : declared[groupKey];
    if (group !== undefined) workers.set(group, { count, keys: groupKey === undefined ? [key] : [key, groupKey] });
  }
  return workers;
}

/** The service shows a domain as a pattern: `*.apps.example.com`. */
function domain(ingress: string | undefined): string | undefined {
  return ingress?.replace(/^\*\./, "") || undefined;
}

/** The service adds a port to the address. */
function host(endpoint: string | undefined): string | undefined {
  if (!endpoint) return undefined;
  const [, bracketed, plain] = /^(?:\[(.+)\]|([^:]+))(?::\d+)?$/.exec(endpoint) ?? [];
  return canonicalAddress(bracketed ?? plain ?? endpoint);
}

function versions(all: readonly string[]): string {
  return [...new Set(all.map((version) => version.replace(/^v/, "")))].sort().join(", ");
}
