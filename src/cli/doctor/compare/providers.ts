import { idOf } from "../../../model/object-ref";
import { liveNamed } from "../../../lifecycle/live";
import { enumerated } from "../../../lifecycle/wording";
import { isRetained } from "../../../model/protection";
import { isName } from "../../../model/object-name";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { doubtful, type CheckResult, wrong } from "../check-result";
import { nearest } from "../../../model/nearest";
import { isTemplate } from "../../../terraform/template-text";
import { unofferedVersion } from "../../../lifecycle/unoffered-version";
import type { LivePlatform } from "./compared-platform";
import { isReplaced } from "./planned";
import { groupedBy } from "../../report/grouped-by";
import { inNumber } from "./words";

/** What clusters need of providers that the stack does not declare. Without it, the apply fails before it deletes anything. */
export function* providers({ stack, state, platform, service, liveOf }: LivePlatform): Generator<CheckResult> {
  const declared = stack.platforms.flatMap((each) => each.declared);
  const registered = new Map(declared.filter(({ kind }) => kind === "providers").map((provider) => [idOf(provider), provider]));
  // `adopt` decides nothing here: a live cluster is adopted, and a replaced one is deleted before an adoption could find it.
  const isCreated = (cluster: SynthesizedObject) => {
    const live = liveOf(cluster);
    if (!live) return true;
    const stored = state.storedFor(cluster);
    return stored !== undefined && !isRetained(platform.settings, idOf(cluster)) && isReplaced(stack, cluster, stored, live);
  };
  const clusters = platform.declared.filter((object) => object.kind === "clusters" && !registered.has(idOf(providerOf(object))));
  for (const [id, users] of groupedBy(clusters, (cluster) => idOf(providerOf(cluster)))) {
    const provider = providerOf(users[0]!);
    const [live, created] = [liveNamed(provider, service), users.filter(isCreated)];
    for (const { entry, ...cluster } of created) {
      const { kubernetesVersion } = entry.triggers;
      if (typeof kubernetesVersion !== "string" || isTemplate(kubernetesVersion)) continue;
      const problem = unofferedVersion({ kubernetesVersion }, live);
      if (problem !== undefined) yield wrong(idOf(cluster), problem);
    }
    if (live || !isName(provider.name)) continue;
    const on = `${id}, on which ${enumerated(users.map(idOf))} ${inNumber(users, "is")} declared,`;
    const beside = stack.beside().find(({ declared }) => declared.some((object) => idOf(object) === id));
    if (beside) {
      yield doubtful("provider", `${on} is not registered yet: first apply the stack ${beside.name}, which declares it`);
      continue;
    }
    const others = [...registered.values(), ...service.providers.all()].filter(({ type }) => type === provider.type);
    const near = nearest(
      provider.name,
      others.map(({ name }) => name),
    );
    const message = `${on} is neither declared in this stack nor registered on the service. ${near === undefined ? "" : `Is ${near} meant? `}Correct the name, or register it first`;
    // If all its clusters stay as they are, the apply creates nothing on the missing provider.
    yield created.length > 0 ? wrong("provider", message) : doubtful("provider", message);
  }
}

function providerOf({ type, entry }: SynthesizedObject) {
  return { type, kind: "providers" as const, name: String(entry.triggers.provider) };
}
