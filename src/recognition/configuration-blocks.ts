import { isPlainObject } from "../util/prop-path";
import type { JsonObject } from "../model/provider-type";

/** A block of a configuration in Terraform's JSON syntax, or one local. */
export interface ConfigurationBlock {
  /** As in `null_resource.capvs_clusters`, `local.capvs_clusters`, `provider.clusterplatform.eu` or `removed null_resource.old`. */
  readonly address: string;
  readonly body: unknown;
}

/** The blocks in which Platforms may be. Terraform takes a list of bodies wherever it takes one body. */
export function blocksOf(configuration: unknown): ConfigurationBlock[] {
  const { resource, locals, provider, removed, terraform } = (isPlainObject(configuration) ? configuration : {}) as JsonObject;
  return [
    ...labelled(resource).flatMap(([type, names]) =>
      labelled(names).flatMap(([name, bodies]) => listOf(bodies).map((body) => ({ address: `${type}.${name}`, body }))),
    ),
    ...labelled(locals).map(([name, body]) => ({ address: `local.${name}`, body })),
    ...labelled(provider).flatMap(([name, bodies]) =>
      listOf(bodies).map((body) => {
        const alias = isPlainObject(body) && typeof body.alias === "string" ? `.${body.alias}` : "";
        return { address: `provider.${name}${alias}`, body };
      }),
    ),
    ...listOf(removed).map((body) => ({ address: `removed ${String((body as JsonObject | null)?.from)}`, body })),
    ...labelled(terraform)
      .filter(([name]) => name === "required_providers")
      .flatMap(([, providers]) => labelled(providers).map(([name, body]) => ({ address: `required_providers.${name}`, body }))),
  ];
}

function labelled(value: unknown): [string, unknown][] {
  return listOf(value).flatMap((body) =>
    isPlainObject(body) ? Object.entries(body).filter(([label]) => label !== COMMENT) : [],
  );
}

/** Terraform ignores this key in a block. */
export const COMMENT = "//";

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flatMap(listOf) : value === undefined || value === null ? [] : [value];
}
