import { nearest } from "../util/nearest";
import type { ObjectRef } from "../model/object-ref";
import { appearing } from "./absence";
import { Call } from "./call";
import type { Context } from "./context";
import { LifecycleError, type Failure } from "./lifecycle-error";
import { liveNamed, look, type Live, type Lists } from "./live";
import { decide, type Remedy } from "./remedy";
import { unofferedVersion } from "./unoffered-version";
import { LOOK_FOR_MISSING_MS, MISSING_MS } from "./times";
import { describeObject, enumerated } from "./wording";

/** Clusters to create on a provider that the apply does not register. */
export interface ProviderNeed {
  readonly provider: ObjectRef;
  /** Whether the state has the provider. */
  readonly isOwn?: boolean | undefined;
  readonly kubernetesVersion?: string;
  readonly clusters: readonly ObjectRef[];
}

/** @throws OBJECT_MISSING, INVALID_PROP if the service would refuse to create one of the clusters */
export async function refuseUnmetProviderNeeds(context: Context, needs: readonly ProviderNeed[]): Promise<void> {
  const clusters = needs.flatMap((need) => need.clusters);
  await Call.run(context, clusters, async (call) => {
    call.leaving("Nothing was deleted");
    for (const need of needs) {
      const found = await findProvider(call, need.provider, call.now() + context.times.deleteSeconds * 1000);
      const unmet = unmetProviderNeed(need, found, "Nothing was deleted");
      if (unmet) throw new LifecycleError(unmet);
    }
  });
}

/** @param otherwise what was not done; a sentence without its full stop */
export function unmetProviderNeed(
  need: ProviderNeed,
  { live, suggestion }: FoundProvider,
  otherwise: string,
): Failure | undefined {
  const { provider, isOwn, clusters } = need;
  const which = enumerated(clusters.map(describeObject));
  if (!live) {
    return {
      code: "OBJECT_MISSING",
      objects: [...clusters, provider],
      summary: `${which}: there is no ${describeObject(provider)} on the service${isOwn ? ", although the state has it" : suggestion}`,
      detail: otherwise,
      remedies: [isOwn ? { code: "RECREATE_MISSING", objects: [provider], all: false } : correctName],
    };
  }
  const problem = unofferedVersion(need, live);
  if (problem === undefined) return undefined;
  return {
    code: "INVALID_PROP",
    objects: clusters,
    summary: `${which}: ${problem}`,
    detail: otherwise,
    remedies: [decide("Declare one of these versions, or register a provider with a template for it")],
  };
}

/** For a cluster that names its provider. */
export const correctName: Remedy = decide("Correct the name in fromName, or register the provider first");

export interface FoundProvider {
  readonly live: Live | undefined;
  /** The end of a sentence about a missing provider. Empty if no other provider has a similar name. */
  readonly suggestion: string;
}

/** Polls for a provider that the first list does not show. */
export async function findProvider(call: Call, provider: ObjectRef, deadline: number): Promise<FoundProvider> {
  let lists: Lists = {};
  const find = async () => {
    lists = await look(call, [provider], call.lastLook(deadline));
    return liveNamed(provider, lists);
  };
  const live = (await find()) ?? (await appearing(call, MISSING_MS, LOOK_FOR_MISSING_MS, find));
  return { live, suggestion: live ? "" : suggestionFor(provider, lists) };
}

export function suggestionFor({ type, name }: ObjectRef, { providers }: Lists): string {
  const others = providers!.all().filter((provider) => provider.type === type);
  const near = nearest(
    name,
    others.map((other) => other.name),
  );
  return near === undefined ? "" : `: did you mean ${near}?`;
}
