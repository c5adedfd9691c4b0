import type { FlatDeclaration } from "../../declarations/declaration";
import { segmentsOf } from "../../declarations/trigger-keys";
import { PLUGIN_READY_TYPE, type SupportResource } from "../../contract/addresses";
import { baseUrlIn } from "../../model/base-url";
import type { JsonObject } from "../../model/provider-type";
import { isProtected } from "../../model/protection";
import { invalidDocument, refuseOtherFormat } from "../report/document";
import { declaredIn, refuseSensitiveName, sensitiveIn } from "../report/declared-fields";
import {
  engineOf,
  hasDeclaration,
  keyOf,
  platformKey,
  storedObject,
  supportInstance,
  type EngineName,
  type InstanceId,
} from "../report/instance";
import { protectedByState, readRecordedSettings, serviceInState, snapshotIn } from "../report/recorded";
import { stateResources, type StateResource } from "../report/state-values";

export const STATE_DOCUMENT = "a state as JSON, as 'terraform show -json' prints it";

export interface StateObject {
  readonly state: string;
  readonly id: InstanceId;
  readonly address: string;
  readonly engine: EngineName;
  /**
   * URL of the object's service, if the state has it. With hooks, it is the URL that the code of the Platform had at the last
   * apply.
   */
  readonly service?: string;
  /** Tells the instance apart from earlier ones of the name. With hooks, it is the `id` of its resource. */
  readonly uid?: string;
  /** The address that has the name of the object as its key. Set only if the instance has another key. */
  readonly ownAddress?: string;
  readonly declared: FlatDeclaration;
  readonly isSensitive: (field: string) => boolean;
  /** With hooks: the create failed or was interrupted. The object may belong to somebody else. */
  readonly tainted: boolean;
  /** Whether the settings of the last apply refuse a replacement. */
  readonly protected: boolean;
  /** Address of the resource whose replacement waits for the cluster. */
  readonly readiness?: string;
  /** With the provider: no apply has confirmed the import of the object, so the state does not have its whole declaration. */
  readonly isImported: boolean;
  /** Whether an apply waits until the cluster is ready. Undefined if that is not known: with hooks, only the code says it. */
  readonly isWaitedFor?: boolean;
}

/** @throws INVALID_DOCUMENT if the document is not a state, or if its format is not 1.x */
export function stateObjects(json: unknown, file: string, state: string): StateObject[] {
  const { format_version: version, values, ...rest } = (json ?? {}) as JsonObject;
  if (typeof version !== "string") throw invalidDocument(file, STATE_DOCUMENT, "got something else");
  refuseOtherFormat(version, file, STATE_DOCUMENT);
  if ("resource_changes" in rest || "planned_values" in rest) {
    throw invalidDocument(file, STATE_DOCUMENT, "got a plan; name no file in 'terraform show -json'");
  }
  const resources = stateResources(values).filter(({ deposed }) => !deposed);
  const settings = new Map(
    supporting(resources, "protection").map(([key, { values }]) => [key, readRecordedSettings(values.input)]),
  );
  const checks = new Map(supporting(resources, "orphan_check").map(([key, { values }]) => [key, snapshotIn(values)]));
  const readiness = new Map(supporting(resources, "ready").map(([key, { address }]) => [key, address]));
  const isWaitedFor = waitsOfProvider(resources);
  return resources.flatMap((resource): StateObject[] => {
    refuseSensitiveName(file, resource, resource.values, resource.sensitiveValues);
    const id = storedObject(resource, resource.values);
    const declared = declaredIn(resource, resource.values);
    if (!id || !declared) return [];
    const { address, tainted, module_address: module } = resource;
    const platform = platformKey(id.platform);
    const obeyed = settings.get(platform);
    const service = id.byProvider
      ? serviceInState(resource.values)
      : baseUrlIn(obeyed?.connection.url ?? checks.get(platform)?.url);
    const uid = id.byProvider ? resource.values.uid : resource.values.id;
    const waitsIn = readiness.get(platform);
    return [
      {
        state,
        id,
        address,
        engine: engineOf(id, resource),
        ...(service !== undefined && { service }),
        ...(typeof uid === "string" && { uid }),
        ...(!id.byProvider &&
          keyOf(resource) !== id.name && { ownAddress: `${module ? `${module}.` : ""}${id.block}["${id.name}"]` }),
        declared,
        isSensitive: sensitiveFields(resource, declared),
        tainted,
        protected: id.byProvider ? protectedByState(resource.values) : obeyed !== undefined && isProtected(obeyed, id.id),
        isImported: id.byProvider && service !== undefined && (resource.values.declared_at ?? null) === null,
        ...(waitsIn !== undefined && { readiness: waitsIn }),
        ...(id.byProvider && { isWaitedFor: isWaitedFor(id) }),
      },
    ];
  });
}

/**
 * The instances with hooks that have no declaration, as after `terraform import`: their addresses by the ids of the objects. Their
 * destroy hooks refuse. Terraform runs none for a tainted instance.
 */
export function undeclaredIn(json: unknown): ReadonlyMap<string, string> {
  const current = stateResources((json as JsonObject).values).filter(({ deposed, tainted }) => !deposed && !tainted);
  return new Map(
    current.flatMap((resource) => {
      const id = storedObject(resource, resource.values);
      return id && !id.byProvider && !hasDeclaration(resource, resource.values, id) ? [[id.id, resource.address] as const] : [];
    }),
  );
}

/** The resources of one kind, each with its {@link platformKey}. */
function supporting(resources: readonly StateResource[], which: SupportResource): [string, StateResource][] {
  return resources.flatMap((resource): [string, StateResource][] => {
    const support = supportInstance(resource);
    return support?.resource === which && !support.cluster ? [[platformKey(support.platform), resource]] : [];
  });
}

/** With the package's own provider, the state has the clusters that an apply waits for. */
function waitsOfProvider(resources: readonly StateResource[]): (cluster: InstanceId) => boolean | undefined {
  const known = new Map<string, boolean>();
  for (const resource of resources.filter(({ type }) => type === PLUGIN_READY_TYPE)) {
    const support = supportInstance(resource);
    if (!support) continue;
    const { wait_for: waitedFor } = resource.values;
    for (const id of namedIn(resource)) {
      const key = `${platformKey(support.platform)} ${id}`;
      known.set(key, known.get(key) === true || (Array.isArray(waitedFor) && waitedFor.includes(id)));
    }
  }
  return ({ id, platform }) => known.get(`${platformKey(platform)} ${id}`);
}

/** The objects that a resource of the package's own provider waits for. */
function namedIn({ values }: Pick<StateResource, "values">): string[] {
  return Object.keys(values.objects ?? {});
}

/**
 * Fields in a report do not always have the names of declared fields: several declared fields may make one of them, and the name
 * of a worker group may have been a token. Then a mark on any field of the same kind counts.
 */
function sensitiveFields(
  { type, values, sensitiveValues }: StateResource,
  declared: FlatDeclaration,
): (field: string) => boolean {
  const marks = sensitiveIn({ type }, values, sensitiveValues);
  if (marks === true) return () => true;
  const marked = [...marks];
  return (field) =>
    marked.includes(field) || (!Object.hasOwn(declared, field) && marked.some((other) => kindOf(other) === kindOf(field)));
}

/** The first segment of a field: `workers` for `workers.default.count`. */
const kindOf = (field: string) => segmentsOf(field)[0];
