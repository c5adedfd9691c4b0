import type { LiveCluster, LiveProvider } from "../../api/client";
import { notesOnLists } from "../../api/lists";
import { PLUGIN_DATA_TYPES } from "../../contract/addresses";
import { Call } from "../../lifecycle/call";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { decide } from "../../lifecycle/remedy";
import { liveNamed, type Lists, type Live } from "../../lifecycle/live";
import { describeObject } from "../../lifecycle/wording";
import { isName, NAME_RULE } from "../../model/object-name";
import { nearest } from "../../util/nearest";
import { singular, TYPE_CODES, type Kind, type TypeCode } from "../../model/provider-type";
import type { Attribute, Attributes } from "../../terraform/attributes";
import type { ObjectValue, Value } from "../../terraform/value";
import type { DataSource, ProviderCall } from "../server/provider";
import { reportingFailures, warning } from "./failures";
import type { Session } from "./session";

export function dataSources(): Readonly<Record<string, DataSource<Session>>> {
  return {
    [PLUGIN_DATA_TYPES.clusters]: listSource(CLUSTERS),
    [PLUGIN_DATA_TYPES.providers]: listSource(PROVIDERS),
    [PLUGIN_DATA_TYPES.cluster]: objectSource(CLUSTERS),
    [PLUGIN_DATA_TYPES.provider]: objectSource(PROVIDERS),
  };
}

interface ListedKind<Item extends Live> {
  readonly kind: Kind;
  /** The attributes that identify an item of the list. */
  readonly key: readonly ("type" | "name")[];
  readonly attributes: Readonly<
    Record<string, { readonly attribute: Attribute; readonly of: (item: Item) => Value | undefined }>
  >;
  items(lists: Lists): readonly Item[];
}

const computed = (type: Extract<Attribute, { type: unknown }>["type"], description: string): Attribute => ({
  type,
  computed: true,
  description,
});

const CLUSTERS: ListedKind<LiveCluster> = {
  kind: "clusters",
  key: ["name"],
  items: ({ clusters }) => clusters!.all(),
  attributes: {
    name: { attribute: computed("string", "The name."), of: ({ name }) => name },
    type: { attribute: computed("string", "The provider type, as in capvs."), of: ({ type }) => type },
    provider_name: { attribute: computed("string", "The name of its provider."), of: ({ provider }) => provider },
    phase: { attribute: computed("string", "The phase, as in Provisioned."), of: ({ phase }) => phase },
    endpoint: { attribute: computed("string", "The address of its Kubernetes API."), of: ({ apiEndpoint }) => apiEndpoint },
    ingress: { attribute: computed("string", "The pattern of the hosts of its ingress."), of: ({ ingress }) => ingress },
    pod_subnet: { attribute: computed("string", "The network of the pods."), of: ({ podSubnet }) => podSubnet },
    service_subnet: { attribute: computed("string", "The network of the services."), of: ({ serviceSubnet }) => serviceSubnet },
    secure: { attribute: computed("bool", "As declared."), of: ({ secure }) => secure },
    control_plane_count: {
      attribute: computed("number", "The number of control plane nodes."),
      of: ({ controlPlaneCount }) => controlPlaneCount,
    },
    workers: {
      attribute: computed(["map", "number"], "The number of nodes of each worker group."),
      of: ({ workers }) => workers && Object.fromEntries(workers),
    },
  },
};

const PROVIDERS: ListedKind<LiveProvider> = {
  kind: "providers",
  key: ["type", "name"],
  items: ({ providers }) => providers!.all(),
  attributes: {
    name: { attribute: computed("string", "The name."), of: ({ name }) => name },
    type: { attribute: computed("string", "The provider type, as in capvs."), of: ({ type }) => type },
    kubernetes_versions: {
      attribute: computed(["list", "string"], "The versions of Kubernetes that clusters on the provider can have."),
      of: ({ kubernetesVersions }) => [...kubernetesVersions].sort(),
    },
    allow_edit_csi: {
      attribute: computed("bool", "Whether the CSI driver may be edited."),
      of: ({ allowEditCsi }) => allowEditCsi,
    },
    ip_address_pool_name: {
      attribute: computed("string", "The name of its pool of IP addresses."),
      of: ({ ipAddressPoolName }) => ipAddressPoolName,
    },
    ip_address_pool_available: {
      attribute: computed("number", "The number of free addresses in the pool."),
      of: ({ poolAvailable }) => poolAvailable,
    },
  },
};

function listSource<Item extends Live>(listed: ListedKind<Item>): DataSource<Session> {
  const description = `The ${listed.kind} of the service, by ${listed.key.join("/")}.`;
  return {
    description: `All ${listed.kind} of the cluster and provider management service, including those that Terraform has not created.`,
    attributes: {
      names: computed(["list", "string"], "The names, sorted."),
      [listed.kind]: { nested: { nesting: "map", attributes: attributesOf(listed) }, computed: true, description },
    },
    read: (_, call) =>
      reportingFailures(null, call, async () => {
        const lists = await listsOf(listed.kind, call);
        for (const summary of notesOnLists(lists[listed.kind]!)) call.report(warning({ summary, remedies: [] }, call.configured));
        const items = listed.items(lists);
        return {
          names: [...new Set(items.map(({ name }) => name))].sort(),
          [listed.kind]: Object.fromEntries(items.map((item) => [keyOf(listed, item), valueOf(listed, item)])),
        };
      }),
  };
}

function objectSource<Item extends Live>(listed: ListedKind<Item>): DataSource<Session> {
  const given = Object.fromEntries(
    listed.key.map((name) => {
      const { computed: _, ...attribute } = listed.attributes[name]!.attribute;
      return [name, { ...attribute, required: true }];
    }),
  );
  return {
    description: `A ${singular(listed.kind)} of the cluster and provider management service. Terraform need not have created it.`,
    attributes: { ...attributesOf(listed), ...given },
    validate: ({ name = null, type = null }, call) => {
      const problem = (path: string, rule: string, got: string) =>
        call.report({
          severity: "error",
          summary: `'${path}' must ${rule}, got ${JSON.stringify(got)} [INVALID_PROP]`,
          path: [path],
        });
      if (typeof name === "string" && !isName(name)) problem("name", NAME_RULE, name);
      if (typeof type === "string" && !TYPE_CODES.includes(type as TypeCode))
        problem("type", `be one of ${TYPE_CODES.join(", ")}`, type);
    },
    read: ({ name, type = "" }, call) =>
      reportingFailures(null, call, async () => {
        const lists = await listsOf(listed.kind, call);
        const wanted = { type: String(type) as TypeCode, kind: listed.kind, name: String(name) };
        // Throws if two items of the name contradict each other.
        const found = liveNamed(wanted, lists) as Item | undefined;
        if (found) return valueOf(listed, found);
        const similar = nearest(
          wanted.name,
          listed.items(lists).map((item) => item.name),
        );
        throw new LifecycleError({
          code: "OBJECT_MISSING",
          objects: [wanted],
          summary: `${describeObject(wanted)} is not on the service at ${call.configured.url}`,
          detail: similar === undefined ? undefined : `The most similar name there is ${similar}`,
          remedies: [
            decide(
              "Correct the name or the service's URL. If this run creates the object, add it to the depends_on of the data source. " +
                "cluster-platform get lists what the service has",
            ),
          ],
        });
      }),
  };
}

function attributesOf<Item extends Live>({ attributes }: ListedKind<Item>): Attributes {
  return Object.fromEntries(Object.entries(attributes).map(([name, { attribute }]) => [name, attribute]));
}

function valueOf<Item extends Live>({ attributes }: ListedKind<Item>, item: Item): ObjectValue {
  return Object.fromEntries(Object.entries(attributes).map(([name, { of }]) => [name, of(item) ?? null]));
}

function keyOf<Item extends Live>({ key }: ListedKind<Item>, item: Item): string {
  return key.map((part) => item[part]).join("/");
}

/** Requests the lists again, because a dependency of the data source may just have changed them. */
function listsOf(kind: Kind, call: ProviderCall<Session>): Promise<Lists> {
  const { context } = call.configured;
  return Call.run(context, [], async (each) => {
    const options = each.reading(Infinity);
    return kind === "clusters"
      ? { clusters: await context.lookup.listClusters(options) }
      : { providers: await context.lookup.listProviders(options) };
  });
}
