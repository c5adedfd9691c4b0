import { type Blocks, blocksIn } from "../../terraform/blocks";

export interface ProviderAddresses {
  /** The provider blocks by address, such as `provider.helm` or `provider.helm.prod`. */
  readonly blocks: ReadonlyMap<string, unknown>;
  /** @param reference as in a resource: `helm`, `helm.prod` or `helm.by_region["eu"]` */
  named(this: void, reference: unknown): string | undefined;
  /**
   * @param type of a resource or data source
   * @param reference its argument `provider`. Undefined for the default provider
   */
  of(this: void, type: string, reference: unknown): string | undefined;
}

/** Finds the provider blocks as Terraform does: by the source that `required_providers` gives to a local name, and by the alias. */
export function providerAddresses({
  provider = {},
  terraform,
}: {
  readonly provider?: Record<string, unknown>;
  readonly terraform?: unknown;
}): ProviderAddresses {
  const sourceOf = sources(terraform);
  const keyOf = (localName: string, alias = "") => `${sourceOf(localName)} ${alias}`;
  const blocks = new Map<string, unknown>();
  const addresses = new Map<string, string>();
  for (const [localName, group] of Object.entries(provider)) {
    for (const block of blocksIn(group)) {
      const { alias } = (block ?? {}) as { readonly alias?: string };
      const address = ["provider", localName, alias].filter((part) => part !== undefined).join(".");
      blocks.set(address, block);
      addresses.set(keyOf(localName, alias), address);
    }
  }
  const named = (reference: unknown) => {
    const [, localName, alias] = /([A-Za-z][\w-]*)(?:\.([A-Za-z_][\w-]*))?/.exec(String(reference)) ?? [];
    return localName === undefined ? undefined : addresses.get(keyOf(localName, alias));
  };
  return { blocks, named, of: (type, reference) => named(reference ?? type.split("_")[0]) };
}

function sources(terraform: unknown): (localName: string) => string {
  const blocks = blocksIn(terraform as Blocks<{ readonly required_providers?: Blocks<Record<string, unknown>> }> | undefined);
  const required = blocks.flatMap((block) => blocksIn(block.required_providers));
  const declared = Object.assign({}, ...required) as Record<string, { readonly source?: string } | string>;
  return (localName) => {
    const entry = declared[localName];
    const source = (typeof entry === "object" ? entry.source : undefined) ?? localName;
    return DEFAULTS[source.split("/").length - 1]! + source.toLowerCase();
  };
}

/** What Terraform adds to a source of one, two and three parts. */
const DEFAULTS = ["registry.terraform.io/hashicorp/", "registry.terraform.io/", ""];
