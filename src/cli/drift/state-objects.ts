import type { Declared } from "../../declarations/declaration";
import { segmentsOf } from "../../declarations/trigger-keys";
import type { SupportResource } from "../../contract/addresses";
import type { JsonObject } from "../../model/provider-type";
import { isProtected } from "../../model/protection";
import { invalidDocument } from "../report/document";
import { declaredIn, refuseSensitiveName, sensitiveIn } from "../report/declared-fields";
import {
  engineOf,
  keyOf,
  platformKey,
  storedObject,
  supportInstance,
  type EngineName,
  type InstanceId,
} from "../report/instance";
import { stateResources, type StateResource } from "../report/state-values";

export const STATE_DOCUMENT = "a state as JSON, as 'terraform show -json' prints it";

/** A provider or cluster as a state has it. */
export interface StateObject {
  /** The state that it is from. */
  readonly state: string;
  readonly id: InstanceId;
  readonly address: string;
  readonly engine: EngineName;
  /** URL of the service that it was created at, where the state has it. */
  readonly service?: string;
  /** Where the instance has to be to have the object's name as its key; set where it has another key. */
  readonly ownAddress?: string;
  readonly declared: Declared;
  /** Fields whose values Terraform marks sensitive. */
  readonly isSensitive: (field: string) => boolean;
  /** With hooks: its create failed or was interrupted, so the object may or may not be ours. */
  readonly tainted: boolean;
  /** Whether a replacement would be refused, going by the last apply. */
  readonly protected: boolean;
  /** Address of the resource of its Platform that waits until all clusters are ready, where the state has it. */
  readonly readiness?: string;
}

/**
 * The objects that a state declares.
 *
 * @throws INVALID_DOCUMENT when it is not a state, or is of another format than 1.x
 */
export function stateObjects(json: unknown, file: string, state: string): StateObject[] {
  const { format_version: version, values, ...rest } = (json ?? {}) as JsonObject;
  if (typeof version !== "string") throw invalidDocument(file, STATE_DOCUMENT, "got something else");
  if (!/^1\.\d+$/.test(version)) {
    throw invalidDocument(
      file,
      `${STATE_DOCUMENT}, of format 1.x`,
      `got format ${JSON.stringify(version)}; use a newer cluster-platform`,
    );
  }
  if ("resource_changes" in rest || "planned_values" in rest) {
    throw invalidDocument(file, STATE_DOCUMENT, "got a plan; name no file in 'terraform show -json'");
  }
  const resources = stateResources(values).filter(({ deposed }) => !deposed);
  const settings = new Map(supporting(resources, "protection").map(([key, { values }]) => [key, values.input as JsonObject]));
  const readiness = new Map(supporting(resources, "ready").map(([key, { address }]) => [key, address]));
  return resources.flatMap((resource): StateObject[] => {
    refuseSensitiveName(file, resource, resource.values, resource.sensitiveValues);
    const id = storedObject(resource, resource.values);
    const declared = declaredIn(resource, resource.values);
    if (!id || !declared) return [];
    const { address, tainted, module_address: module } = resource;
    const { service } = resource.values;
    const waitsIn = readiness.get(platformKey(id.platform));
    return [
      {
        state,
        id,
        address,
        engine: engineOf(id, resource),
        ...(id.byProvider && typeof service === "string" && { service }),
        ...(!id.byProvider &&
          keyOf(resource) !== id.name && { ownAddress: `${module ? `${module}.` : ""}${id.block}["${id.name}"]` }),
        declared,
        isSensitive: sensitiveFields(resource, declared),
        tainted,
        protected: id.byProvider
          ? resource.values.deletion_protection === true
          : isRefused(settings.get(platformKey(id.platform)), id.id),
        ...(waitsIn !== undefined && { readiness: waitsIn }),
      },
    ];
  });
}

/** One of the resources that every Platform has besides its objects, by {@link platformKey}. */
function supporting(resources: readonly StateResource[], which: SupportResource): [string, StateResource][] {
  return resources.flatMap((resource): [string, StateResource][] => {
    const support = supportInstance(resource);
    return support?.resource === which && !support.cluster ? [[platformKey(support.platform), resource]] : [];
  });
}

function isRefused(settings: JsonObject | undefined, id: string): boolean {
  const names = (key: string) => (Array.isArray(settings?.[key]) ? settings[key].filter((name) => typeof name === "string") : []);
  return isProtected({ deletionProtection: names("deletionProtection"), allowDeletion: names("allowDeletion") }, id);
}

/**
 * What is compared is named otherwise than what is declared where several declared fields come to one, or the name of a
 * worker group was a token: then a mark on any field of that kind counts.
 */
function sensitiveFields({ type, values, sensitiveValues }: StateResource, declared: Declared): (field: string) => boolean {
  const marks = sensitiveIn({ type }, values, sensitiveValues);
  if (marks === true) return () => true;
  const marked = [...marks];
  return (field) =>
    marked.includes(field) || (!Object.hasOwn(declared, field) && marked.some((other) => kindOf(other) === kindOf(field)));
}

/** `workers` of `workers.default.count`. */
const kindOf = (field: string) => segmentsOf(field)[0];
