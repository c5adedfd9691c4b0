import {
  DELETION_CODES,
  decideDeletion,
  isRefusal,
  type DeletionFacts,
  type DeletionOutcome,
  type DeletionRefusal,
  type LiveObject,
} from "../../decision/deletion";
import { identify } from "../../lifecycle/deletion-facts";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { refusedDeletion, renamedTo, withRemedies, type RefusalText } from "../../lifecycle/refused-deletion";
import { decide } from "../../lifecycle/remedy";
import { describeObject, staysRetained } from "../../lifecycle/wording";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import { inTwoPlaces, type Leaving } from "./ledger";
import { isOfConstruct } from "./object-kind";
import type { ObjectMemory } from "./object-memory";
import type { Planning } from "./planning";
import type { Session } from "./session";

/** What happens to an object that a plan deletes or replaces, if that is not refused. */
export interface PlannedDeletion {
  readonly happens: Exclude<DeletionOutcome, DeletionRefusal>["happens"];
  /** Undefined if the object stays. */
  readonly leaving?: Leaving;
}

/** An object of the state that a plan deletes or replaces. */
export interface Departure extends Pick<DeletionFacts, "transition"> {
  readonly object: ObjectRef;
  readonly prior: ObjectValue;
  /** Undefined if the object leaves the code. */
  readonly proposed?: ObjectValue;
  /** @default false */
  readonly isAdopted?: boolean;
  /** What the plan does, as a clause of a refusal. */
  readonly intent: string;
  /** The object that comes at its address, if it has another name. */
  readonly successor?: ObjectRef;
}

export async function planDeletion(planning: Planning, departure: Departure): Promise<PlannedDeletion> {
  const { session } = planning;
  const { object, prior, proposed, transition, isAdopted = false, intent, successor } = departure;
  const byState = prior.deletion_protection === true || proposed?.deletion_protection === true;
  const unknownRetained = await session.unknownRetained(object);
  const { live, text: other } = await found(session, object, prior);
  const permission = session.deletionOf(object, byState);
  const known = { ...permission, transition, isAdopted, hasUnknownRetained: unknownRetained.length > 0, live };
  const outcome = decideDeletion({ ...known, isUsed: false });
  if (isRefusal(outcome)) {
    const refusals = [{ object, refusal: outcome }];
    if (DELETION_CODES[outcome.because] === "NOT_OURS") throw withRemedies(refusals, other!);
    const text = { otherwise: "nothing was sent", intent, unknownRetained } as const;
    if (outcome.because === "protected" && !successor && isDestroyOfUndeployed(session, departure, permission)) {
      const sentence = `The code no longer protects ${object.name}, but the state does: deploy once, then destroy`;
      throw new LifecycleError({ ...refusedDeletion(refusals, text).failure, remedies: [decide(sentence)] });
    }
    const renamed =
      transition === "remove" && renamedTo([object], successor ? [successor] : await successorsOf(planning, object));
    throw refusedDeletion(refusals, { ...text, ...(renamed && { details: { protected: renamed } }) });
  }
  if (outcome.happens === "RETAIN") {
    planning.report({
      severity: "warning",
      summary: staysRetained(object),
      detail: "Terraform forgets it. To manage it again, declare it with adopt, or import it.",
    });
  }
  const stays = outcome.happens === "RETAIN" || outcome.happens === "ADOPT";
  return { happens: outcome.happens, ...(!stays && { leaving: { value: prior, facts: known } }) };
}

/** The objects of its kind that the code declares and that neither the state nor the service has. */
async function successorsOf({ ledger, session }: Planning, object: ObjectRef): Promise<ObjectRef[]> {
  const { presence, settings } = session;
  const successors: ObjectRef[] = [];
  for (const other of (settings.declared ?? []).map((id) => parseObjectId(id)!)) {
    const isAlike = other.type === object.type && other.kind === object.kind && idOf(other) !== idOf(object);
    if (isAlike && !ledger.stateOf(other) && !(await presence.find(other))) successors.push(other);
  }
  return successors;
}

/** Whether a destroy meets a protection that the code has ended, and that the state has until an apply. */
function isDestroyOfUndeployed(
  session: Session,
  { object, prior, transition }: Departure,
  { protection }: Pick<DeletionFacts, "protection">,
): boolean {
  return transition === "remove" && protection === "state" && isOfConstruct(prior) && session.isDestroyOf(object);
}

/**
 * What the service has under the name. Right after a replacement, a list may show the replaced object. So another object counts
 * if the lists of ten seconds show it.
 */
async function found(session: Session, object: ObjectRef, value: ObjectValue): Promise<{ live: LiveObject; text?: RefusalText }> {
  const provider = typeof value.provider_name === "string" ? value.provider_name : undefined;
  const { presence } = session;
  const first = await presence.find(object);
  if (first === undefined) return { live: (await isGone(session, object, value)) ? "absent" : "own" };
  if (identify(object, provider, first).live === "own") return { live: "own" };
  const later = await presence.findLater(object);
  return later ? identify(object, provider, later) : { live: "own" };
}

/**
 * Terraform before 1.12 plans a removal before the refresh, and other programs after it. So the plan asks what the refresh asks.
 * If nothing proves that the object is gone, the state's word counts.
 */
export async function isGone(session: Session, object: ObjectRef, { service, uid }: ObjectValue): Promise<boolean> {
  try {
    return (await session.presence.read(object, service as string, uid as string)) === undefined;
  } catch (error) {
    if (!(error instanceof LifecycleError)) throw error;
    return false;
  }
}

/** In a plan of a part of the code, Terraform does not ask about the address where the code declares the object. */
export function claimRemoval({ ledger, session }: Planning, object: ObjectRef): void {
  if (session.isPartial && session.isDeclared(object)) throw inTwoPlaces(object);
  ledger.claim(object, "delete");
}

/**
 * Refuses to delete an object whose Platform has left the code. Terraform then configures the provider with an empty block, which
 * does not know `retain`. If the Platform only has another name now, the object would be deleted although it is declared.
 */
export function refuseWithoutPlatform(
  object: ObjectRef,
  { declared_at: path }: ObjectValue,
  { hasPlatform }: ObjectMemory,
  { settings }: Session,
): void {
  if ((typeof path !== "string" && !hasPlatform) || settings.declared !== undefined) return;
  const platform = typeof path === "string" ? `the Platform of the construct ${path}` : "the Platform that it was imported for";
  throw new LifecycleError({
    code: "MISSING_PLATFORM",
    objects: [object],
    summary: `the plan deletes ${describeObject(object)}, and ${platform} has left the code`,
    detail: "Without the Platform, nothing says what is retained. Nothing was sent",
    remedies: [
      decide(
        "Write the Platform again. To delete its objects, remove their constructs, deploy, and then remove the Platform. To give the Platform another name, write a moved block for each object. In a provider block that is written by hand, write declared = []",
      ),
    ],
  });
}
