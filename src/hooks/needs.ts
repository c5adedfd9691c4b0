import type { HookNeeds } from "../contract/hook-protocol";
import { SecretValues } from "../contract/secret-values";
import { refuseUnmetProviderNeeds } from "../lifecycle/provider-needs";
import { idOf } from "../model/object-ref";
import type { Run } from "./run";

const NOTHING_DELETED = "nothing was deleted";

/**
 * Throws before a deletion if an object cannot be created after it, as far as synth knows what its create needs.
 * @param created objects that the apply creates or adopts
 * @param replaced objects that it deletes first. An adoption finds nothing then
 * @throws MISSING_SECRET, OBJECT_MISSING, INVALID_PROP
 */
export async function refuseUnmetNeeds(
  run: Run,
  needs: HookNeeds,
  { created = [], replaced }: { readonly created?: readonly string[]; readonly replaced: readonly string[] },
): Promise<void> {
  for (const id of [...created, ...replaced])
    SecretValues.resolve(id, needs.secrets[id] ?? [], run.env, run.redactor, NOTHING_DELETED);
  const ids = { created: new Set(created), replaced: new Set(replaced) };
  const { adoptions } = run.ofRun;
  const providers = needs.providers.map(({ type, provider, kubernetesVersion, adopt, clusters }) => ({
    provider: { type, kind: "providers" as const, name: provider },
    kubernetesVersion,
    clusters: clusters
      .map((name) => ({ type, kind: "clusters" as const, name }))
      .filter((cluster) => {
        const id = idOf(cluster);
        return ids.replaced.has(id) || (ids.created.has(id) && !adopt && !adoptions.has(id));
      }),
  }));
  const needed = providers.filter(({ clusters }) => clusters.length > 0);
  if (needed.length > 0) await refuseUnmetProviderNeeds(run.context(), needed);
}
