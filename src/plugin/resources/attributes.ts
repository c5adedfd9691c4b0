import type { Kind } from "../../model/provider-type";
import type { DeclarationSchema } from "../../declarations/terraform/declaration-schema";
import type { Attributes } from "../../terraform/attributes";

const COMMON: Attributes = {
  deletion_protection: {
    type: "bool",
    optional: true,
    description:
      "Protects the object from deletion. The state keeps the value, so it also protects an object whose block was removed.",
  },
  adopt: {
    type: "bool",
    optional: true,
    description: "Takes over an object that already has the name, instead of creating one.",
  },
  declared_at: { type: "string", optional: true, description: "The path of the construct that declares the object." },
  id: {
    type: "string",
    computed: true,
    description: "What an import takes, as in capvs/clusters/prod. It is the same after the object is created again.",
  },
  uid: {
    type: "string",
    computed: true,
    description:
      "A text that differs for each instance. A creation, an adoption and an import make a new one, because the service shows none. A move in the state keeps it.",
  },
  service: { type: "string", computed: true, description: "The base URL of the service that has the object." },
  drift: {
    type: ["map", "string"],
    computed: true,
    description: "The fields whose live values differ from the declaration.",
  },
};

const OF_PROVIDERS: Attributes = {
  kubernetes_versions: {
    type: ["list", "string"],
    computed: true,
    description: "The Kubernetes versions that clusters on the provider can have.",
  },
};

export function objectAttributes(schema: DeclarationSchema, kind: Kind): Attributes {
  return { ...schema.attributes, ...COMMON, ...(kind === "providers" && OF_PROVIDERS) };
}

export const READY_ATTRIBUTES: Attributes = {
  objects: {
    type: ["map", "string"],
    required: true,
    description: "The uids of all objects that must be on the service, by type/kind/name.",
  },
  wait_for: {
    type: ["set", "string"],
    optional: true,
    description: "The clusters among the objects that must be Provisioned, as type/clusters/name.",
  },
  id: { type: "string", computed: true },
  endpoints: {
    type: ["map", "string"],
    computed: true,
    description: "The live API endpoint of each cluster, by type/clusters/name.",
  },
  phases: { type: ["map", "string"], computed: true, description: "The phase of each cluster, by type/clusters/name." },
};
