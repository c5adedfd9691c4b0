import type { Kind } from "../../model/provider-type";
import type { DeclarationSchema } from "../../declarations/terraform/declaration-schema";
import type { Attributes } from "../../terraform/attributes";

/** What every object has besides its declaration. */
const COMMON: Attributes = {
  deletion_protection: {
    type: "bool",
    optional: true,
    description: "Whether no apply may delete the object. The state keeps it, so it holds although the configuration is gone.",
  },
  adopt: { type: "bool", optional: true, description: "Whether an object that lives under the name may be taken over." },
  declared_at: { type: "string", optional: true, description: "The path of the construct that declares the object." },
  id: { type: "string", computed: true, description: "Another one after each creation." },
  service: { type: "string", computed: true, description: "The base URL of the service that has the object." },
  drift: {
    type: ["map", "string"],
    computed: true,
    description: "The fields that the service shows otherwise than they are declared.",
  },
};

const OF_PROVIDERS: Attributes = {
  kube_versions: {
    type: ["list", "string"],
    computed: true,
    description: "The versions of Kubernetes that clusters on the provider can have.",
  },
};

export function objectAttributes(schema: DeclarationSchema, kind: Kind): Attributes {
  return { ...schema.attributes, ...COMMON, ...(kind === "providers" && OF_PROVIDERS) };
}

export const READY_ATTRIBUTES: Attributes = {
  objects: {
    type: ["map", "string"],
    required: true,
    description: "All objects that must be on the service: the id of each, by type/kind/name.",
  },
  wait_for: {
    type: ["set", "string"],
    optional: true,
    description: "Those of the objects, as type/clusters/name, that must be Provisioned.",
  },
  id: { type: "string", computed: true },
  endpoints: {
    type: ["map", "string"],
    computed: true,
    description: "The live API endpoint of each cluster, by type/clusters/name.",
  },
  phases: { type: ["map", "string"], computed: true, description: "The phase of each cluster, by type/clusters/name." },
};
