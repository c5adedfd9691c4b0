import { blockAddress, pluginResourceId, pluginResourceType } from "../../../contract/addresses";
import { segmentsOf } from "../../../declarations/trigger-keys";
import { refusedHandOver, takenOver } from "../../../lifecycle/hand-over";
import type { Journal } from "../../../lifecycle/journal";
import { isLeaving } from "../../../lifecycle/live";
import { idOf } from "../../../model/object-ref";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { differencesFromState } from "../../drift/find-drift";
import { namedIn, supporting } from "../../drift/state-objects";
import { platformKey } from "../../report/instance";
import { type CheckResult, wrong } from "../check-result";
import type { Stack, StackPlatform } from "../stack";
import type { ComparedPlatform, LivePlatform } from "./compared-platform";
import type { PlacedObject } from "./placed";
import { changedFields, isMigrating, isReplaced, type PlannedState } from "./planned";
import { failingRun, platformAt } from "./words";

/** Objects that move to another engine or to another service, and cannot. */
export function* moves(compared: LivePlatform): Generator<CheckResult> {
  const { state, platform, leaving } = compared;
  yield* handOver(compared);
  for (const { object, stored } of state.continuedBy(platform)) yield* move(compared, object, stored);
  for (const each of leaving) {
    if (state.ownerOf(each) === platform && state.planOf(each) === "delete" && isUnfinished(each))
      yield changedMove(`${each.id.id} left the code, and no apply has finished its move`);
  }
}

function* move(compared: LivePlatform, object: SynthesizedObject, stored: PlacedObject): Generator<CheckResult> {
  const { stack, state, platform, service, run, liveOf } = compared;
  if (state.planOf(stored) === "release") return;
  const [id, live, { address, tainted }] = [idOf(object), liveOf(object), stored];
  const isChanged = live?.type === object.type && isReplaced(stack, object, stored, live);
  if (isLeft(compared, stored)) {
    yield wrong(
      "state",
      `${address} moves to ${platformAt(platform.prefix)}, which uses ${service.url}, and the state names ${stored.service} as its service: ${id} would stay there. Undo the move [OBJECT_MISSING]`,
    );
  } else if (isMigrating(stored, object) && tainted) {
    if (live || !run.gone.includes(object))
      yield wrong(
        "engine",
        `${address} is tainted, because its create did not finish, and the code moves it to Engine.PROVIDER: a plan will fail. ` +
          `If ${id} is on the service and this stack's: terraform untaint '${address}'. If it is somebody else's or does not exist: terraform state rm '${address}' [ENGINE_SWITCHED]`,
      );
  } else if (isMigrating(stored, object) && isChanged) {
    yield changedMove(`${id} has changed, and the code moves it`);
  } else if (isUnfinished(stored) && (isChanged || tainted)) {
    yield changedMove(`${id} ${tainted ? "is tainted" : "has changed"}, and no apply has finished its move`);
  }
}

/** Whether an apply moves the object to another engine or service. It does not replace it then. */
export function isMoving(compared: ComparedPlatform, object: SynthesizedObject, stored: PlacedObject): boolean {
  const isReleased = compared.state.planOf(stored) === "release";
  return isReleased || isLeft(compared, stored) || isMigrating(stored, object) || isUnfinished(stored);
}

/** Whether a `moved` block gives the object to a Platform on another service. With hooks, two URLs may name one service. */
function isLeft({ platform, liveOf, namesAnother }: ComparedPlatform, stored: PlacedObject): boolean {
  const isMoved = stored.from.prefix !== platform.prefix;
  return isMoved && namesAnother(stored) && (stored.engine === "provider" || !liveOf(stored.id));
}

/** The first update after a move from hooks writes the service into the state. */
function isUnfinished({ id, service }: PlacedObject): boolean {
  return id.byProvider && service === undefined;
}

function changedMove(what: string): CheckResult {
  return wrong(
    "engine",
    `${what} to Engine.PROVIDER: a plan will fail. First apply the change of the engine with the object as it was declared [ENGINE_SWITCHED]`,
  );
}

/** Objects of the Terraform provider that hooks would take over, and cannot. */
function* handOver({ stack, platform, had, declaredAs, liveOf }: LivePlatform): Generator<CheckResult> {
  if (!handsOver(stack, platform)) return;
  for (const object of had.filter(({ id }) => id.byProvider)) {
    const [successor, live] = [declaredAs(object.id.id), liveOf(object.id)];
    const changes = successor ? changedFields(stack, successor, object) : [];
    const refusal = refusedHandOver({
      object: object.id,
      isDeclared: successor !== undefined,
      // An object that has moved from hooks has no service before its first update.
      isNamed: !isUnfinished(object) && object.isWaitedFor !== undefined,
      // `bodyOverrides` may be write-only.
      changes: changes.filter((field) => segmentsOf(field)[0] !== "bodyOverrides"),
      live: !live ? "missing" : isLeaving(live) ? "leaving" : differencesFromState(object, live),
    });
    if (refusal) yield wrong("state", failingRun(platform, refusal, "a plan"));
  }
}

export function handsOver(stack: Stack, { declared }: StackPlatform): boolean {
  return declared.some((object) => handedOverFrom(stack, object) !== undefined);
}

/** The declared objects that their create hooks adopt, because the state names them as the provider's. */
export function handedOver(
  { stack, all, resources }: PlannedState,
  { prefix, declared }: StackPlatform,
  journal: Journal | undefined,
): SynthesizedObject[] {
  const stored = all.filter(({ id }) => id.byProvider).map(({ id }) => id.id);
  const named = supporting(resources, "ready")
    .filter(([key]) => key === platformKey({ module: "", prefix }))
    .flatMap(([, resource]) => namedIn(resource));
  const taken = takenOver(named, (named.length > 0 && journal?.released()) || [], stored);
  return declared.filter((object) => handedOverFrom(stack, object) !== undefined && taken.includes(idOf(object)));
}

/** The address with the provider at which the state must have an object that hooks take over. */
export function handedOverFrom({ forgotten }: Stack, { prefix, type, kind, name }: SynthesizedObject): string | undefined {
  const address = blockAddress(pluginResourceType(type, kind), pluginResourceId(prefix, name));
  return forgotten.has(address) ? address : undefined;
}
