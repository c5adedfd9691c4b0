import type { HookNeeds } from "../contract/hook-protocol";
import { SecretValues } from "../host/secret-values";
import { refuseUnmetProviderNeeds } from "../lifecycle/provider-needs";
import { idOf } from "../model/object-ref";
import type { Run } from "./run";

/** As the end of a sentence. */
export const NOTHING_WAS_DELETED = "nothing was deleted";

interface Changes {
  /** Objects that the apply creates or adopts. */
  readonly created?: readonly string[];
  /** Objects that it deletes and creates. An adoption finds nothing between the two. */
  readonly replaced: readonly string[];
  /** Objects that it leaves alone. */
  readonly kept: ReadonlySet<string>;
}

/**
 * Throws before a deletion if an object cannot be created after it, as far as synth knows what its create needs.
 * @throws MISSING_SECRET, OBJECT_MISSING, INVALID_PROP
 */
export async function refuseUnmetNeeds(run: Run, needs: HookNeeds, { created = [], replaced, kept }: Changes): Promise<void> {
  for (const id of [...created, ...replaced])
    SecretValues.resolve(id, needs.secrets[id] ?? [], run.env, run.redactor, NOTHING_WAS_DELETED);
  const ids = { created: new Set(created), replaced: new Set(replaced) };
  const { adoptions, gone } = run.ofRun;
  const providers = needs.providers.map(({ type, provider: name, kubernetesVersion, adopt, isOwn, clusters }) => ({
    provider: { type, kind: "providers" as const, name },
    kubernetesVersion,
    isOwn,
    clusters: clusters
      .map((name) => ({ type, kind: "clusters" as const, name }))
      .filter((cluster) => {
        const id = idOf(cluster);
        return ids.replaced.has(id) || (ids.created.has(id) && !adopt && !adoptions.has(id));
      }),
  }));
  const needed = providers.filter(
    ({ provider, isOwn, clusters }) => clusters.length > 0 && (!isOwn || (kept.has(idOf(provider)) && !gone.has(idOf(provider)))),
  );
  if (needed.length > 0) await refuseUnmetProviderNeeds(run.context(), needed);
}
