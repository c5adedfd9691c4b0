import type { JsonObject, TypeCode } from "../model/provider-type";
import { once } from "../util/once-per";
import type { Schema } from "./schema-definition";
import type { StructuredProp } from "./structure";

/** @internal */
export interface ObjectType<Spec extends Schema = Schema> {
  readonly spec: Spec;
  /** Props with fields of their own. The fields may be tokens, but not the whole prop. */
  readonly structure: readonly StructuredProp[];
  /** Values of props that are not declared. They may depend on declared props. */
  readonly defaults: (declared: JsonObject) => JsonObject;
  readonly body: (completed: JsonObject) => JsonObject;
  /** Fields of the body that hold the names in Terraform's state, and the props that they come from. */
  readonly identity: readonly { readonly field: string; readonly prop: "name" | "provider" }[];
  /** Whether the body selects platform services. */
  readonly services: boolean;
  /** A sentence each, about a valid declaration. Values that are not known yet are undefined in it. */
  readonly warnings: (declared: JsonObject) => string[];
}

/** @internal The rest of the package treats all types alike. */
export interface ProviderType {
  readonly code: TypeCode;
  readonly provider: ObjectType;
  readonly cluster: ObjectType;
}

/** Makes the schemas on demand, because a hook creates one object and needs those of one. */
export function providerType<Provider extends ObjectType, Cluster extends ObjectType>(type: {
  readonly code: TypeCode;
  readonly provider: () => Provider;
  readonly cluster: () => Cluster;
}) {
  const [provider, cluster] = [once(type.provider), once(type.cluster)];
  return {
    code: type.code,
    get provider() {
      return provider();
    },
    get cluster() {
      return cluster();
    },
  } satisfies ProviderType;
}
