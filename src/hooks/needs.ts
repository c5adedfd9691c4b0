import type { HookNeeds } from "../contract/hook-protocol";
import { SecretValues } from "../contract/secret-values";
import { refuseUnmetProviderNeeds } from "../lifecycle/provider-needs";
import { idOf } from "../model/object-ref";
import type { Run } from "./run";

const NOTHING_DELETED = "nothing was deleted";

/**
 * Throws before a deletion if an object cannot be created after it, as far as synth knows what its create needs.
 * @param ids objects that the apply creates or creates again
 * @throws MISSING_SECRET, OBJECT_MISSING, INVALID_PROP
 */
export async function refuseUnmetNeeds(run: Run, needs: HookNeeds, ids: readonly string[]): Promise<void> {
  for (const id of ids) SecretValues.resolve(id, needs.secrets[id] ?? [], run.env, run.redactor, NOTHING_DELETED);
  const created = new Set(ids);
  const { adoptions } = run.ofRun;
  const isNeeded = (id: string) => created.has(id) && !adoptions.has(id);
  const providers = needs.providers.map(({ type, provider, kubernetesVersion, clusters }) => ({
    provider: { type, kind: "providers" as const, name: provider },
    kubernetesVersion,
    clusters: clusters.map((name) => ({ type, kind: "clusters" as const, name })).filter((cluster) => isNeeded(idOf(cluster))),
  }));
  const needed = providers.filter(({ clusters }) => clusters.length > 0);
  if (needed.length > 0) await refuseUnmetProviderNeeds(run.context(), needed);
}
