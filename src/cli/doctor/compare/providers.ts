import { idOf } from "../../../model/object-ref";
import { liveNamed } from "../../../lifecycle/live";
import { enumerated } from "../../../lifecycle/wording";
import { isRetained } from "../../../model/protection";
import { isName } from "../../../model/object-name";
import type { SynthesizedObject } from "../../../synthesized/objects";
import type { TypeCode } from "../../../model/provider-type";
import { doubtful, type CheckResult, wrong } from "../check-result";
import type { Stack } from "../stack";
import { nearest } from "../../../model/nearest";
import { isTemplate } from "../../../terraform/template-text";
import { unofferedVersion } from "../../../lifecycle/unoffered-version";
import type { LivePlatform } from "./compared-platform";
import { isReplaced } from "./planned";
import { groupedBy } from "../../report/grouped-by";
import { inNumber } from "./words";

/** What clusters need of providers that the stack does not declare. Without it, the apply fails before it deletes anything. */
export function* providers({ stack, state, platform, service, liveOf }: LivePlatform): Generator<CheckResult> {
  const registered = new Map(declaredProviders(stack).map((provider) => [idOf(provider), provider]));
  // `adopt` decides nothing here: a live cluster is adopted, and a replaced one is deleted before an adoption could find it.
  const isCreated = (cluster: SynthesizedObject) => {
    const live = liveOf(cluster);
    if (!live) return true;
    const stored = state.storedFor(cluster);
    return stored !== undefined && !isRetained(platform.settings, idOf(cluster)) && isReplaced(stack, cluster, stored, live);
  };
  const clusters = platform.declared.filter(({ kind }) => kind === "clusters");
  const lacking = clusters.filter((cluster) => {
    const provider = providerOf(cluster);
    return isName(provider.name) && !registered.has(idOf(provider)) && !liveNamed(provider, service);
  });
  for (const [id, users] of groupedBy(lacking, (cluster) => idOf(providerOf(cluster)))) {
    const { type, name } = providerOf(users[0]!);
    const on = `${id}, on which ${enumerated(users.map(idOf))} ${inNumber(users, "is")} declared,`;
    const beside = stack.beside().find(({ declared }) => declared.some((object) => idOf(object) === id));
    if (beside) {
      yield doubtful("provider", `${on} is not registered yet: first apply the stack ${beside.name}, which declares it`);
      continue;
    }
    const near = nearest(name, namesOf(type, [...registered.values(), ...service.providers.all()]));
    const message =
      `${on} is neither declared in this stack nor registered on the service. ` +
      (near === undefined
        ? "Register it first, or correct the name"
        : `Is ${near} meant? Correct the name, or register it first`);
    // If all its clusters stay as they are, the apply creates nothing on the missing provider.
    yield users.some(isCreated) ? wrong("provider", message) : doubtful("provider", message);
  }
  for (const cluster of clusters.filter(isCreated)) {
    const provider = providerOf(cluster);
    if (registered.has(idOf(provider))) continue;
    const { kubernetesVersion } = cluster.entry.triggers;
    if (typeof kubernetesVersion !== "string" || isTemplate(kubernetesVersion)) continue;
    const problem = unofferedVersion({ kubernetesVersion }, liveNamed(provider, service));
    if (problem !== undefined) yield wrong(idOf(cluster), problem);
  }
}

function declaredProviders({ platforms }: Stack): SynthesizedObject[] {
  return platforms.flatMap(({ declared }) => declared.filter(({ kind }) => kind === "providers"));
}

function providerOf({ type, entry }: SynthesizedObject) {
  return { type, kind: "providers" as const, name: String(entry.triggers.provider) };
}

function namesOf(type: TypeCode, all: readonly { readonly type: string; readonly name: string }[]): string[] {
  return all.filter((other) => other.type === type).map(({ name }) => name);
}
