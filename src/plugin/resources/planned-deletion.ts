import {
  CODES,
  decideDeletion,
  isRefusal,
  type DeletionFacts,
  type DeletionOutcome,
  type DeletionRefusal,
  type LiveObject,
} from "../../decision/deletion";
import { isOfAnother, type Live } from "../../lifecycle/live";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import {
  ofAnother,
  refusedDeletion,
  renamedTo,
  spelledOtherwise,
  withRemedies,
  type RefusalText,
} from "../../lifecycle/refused-deletion";
import { decide } from "../../lifecycle/remedy";
import { describeObject, enumerated } from "../../lifecycle/wording";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import type { Call } from "../server/provider";
import type { Ledger } from "./ledger";
import { isOfConstruct } from "./object-kind";
import type { Session } from "./session";

/** What happens to an object that a plan deletes or replaces. */
export class PlannedDeletion {
  constructor(
    private readonly ledger: Ledger,
    private readonly session: Session,
    private readonly call: Pick<Call<unknown>, "report">,
  ) {}

  /**
   * Throws if it is refused.
   * @param value the object in the state
   * @param successor the object that comes at its address, if it has another name
   */
  async decide(
    object: ObjectRef,
    value: ObjectValue,
    facts: Omit<DeletionFacts, "hasUnknownRetained" | "live" | "isUsed">,
    intent: string,
    successor?: ObjectRef,
  ): Promise<Exclude<DeletionOutcome, DeletionRefusal>["happens"]> {
    const unknownRetained = await this.session.unknownRetained(object);
    const { live, text } = await this.found(object, value);
    const known = { ...facts, hasUnknownRetained: unknownRetained.length > 0, live };
    const outcome = decideDeletion({ ...known, isUsed: false });
    if (isRefusal(outcome)) {
      const refusals = [{ object, refusal: outcome }];
      if (CODES[outcome.because] === "NOT_OURS") throw withRemedies(refusals, text!);
      const isRemoved = facts.transition === "remove" && successor === undefined;
      if (outcome.because === "protected" && isRemoved && this.isProtectedInStateOnly(object, value)) return this.refuseDestroy();
      const details = facts.transition === "remove" && {
        protected: renamedTo([object], successor ? [successor] : await this.successorsOf(object)),
      };
      throw refusedDeletion(refusals, {
        otherwise: "nothing was sent",
        intent,
        unknownRetained,
        ...(details && { details }),
      });
    }
    if (outcome.happens === "RETAIN") this.releases(object);
    else if (outcome.happens !== "ADOPT") this.ledger.leaves({ object, value, facts: known });
    return outcome.happens;
  }

  /** The objects of its kind that the code declares and that neither the state nor the service has. */
  private async successorsOf(object: ObjectRef): Promise<ObjectRef[]> {
    const { presence, settings } = this.session;
    const successors: ObjectRef[] = [];
    for (const other of (settings.declared ?? []).map((id) => parseObjectId(id)!)) {
      const isAlike = other.type === object.type && other.kind === object.kind && idOf(other) !== idOf(object);
      if (isAlike && !this.ledger.recorded(other) && !(await presence.find(other))) successors.push(other);
    }
    return successors;
  }

  /** Whether only a state that no apply has updated protects the object. Only a destroy removes what is declared. */
  private isProtectedInStateOnly(object: ObjectRef, value: ObjectValue): boolean {
    const { protection } = this.session.deletionOf(object, value.deletion_protection === true);
    return protection === "state" && isOfConstruct(value) && this.session.isDeclared(object);
  }

  /** Once for all objects. The plan fails, so the others may be planned. */
  private refuseDestroy(): "DESTROY" {
    if (this.ledger.isDestroyRefused) return "DESTROY";
    this.ledger.isDestroyRefused = true;
    const objects = this.ledger
      .objects()
      .filter((object) => !this.session.isRetained(object))
      .filter((object) => this.isProtectedInStateOnly(object, this.ledger.recorded(object)!));
    const [is, them] = objects.length === 1 ? ["is", "it"] : ["are", "them"];
    const names = enumerated(objects.map(describeObject));
    throw new LifecycleError({
      code: "PROTECTED",
      objects,
      summary: `${names} ${is} protected, and the plan deletes ${them}; nothing was sent`,
      remedies: [
        decide(
          `The code no longer protects ${enumerated(objects.map(({ name }) => name))}, but the state does: deploy once, then destroy`,
        ),
      ],
    });
  }

  private releases(object: ObjectRef): void {
    this.ledger.released(object);
    this.call.report({
      severity: "warning",
      summary: `${describeObject(object)} stays on the service (retain)`,
      detail: "Terraform forgets it. To manage it again, declare it with adopt, or import it.",
    });
  }

  /**
   * What the service has under the name. Right after a replacement, a list may show the replaced object. So another object counts
   * if the lists of ten seconds show it.
   */
  private async found(object: ObjectRef, value: ObjectValue): Promise<{ live: LiveObject; text?: RefusalText }> {
    const provider = typeof value.provider_name === "string" ? value.provider_name : undefined;
    const { presence } = this.session;
    const first = await presence.find(object);
    if (first === undefined) return { live: (await this.isGone(object, value)) ? "absent" : "own" };
    if (!another(object, provider, first)) return { live: "own" };
    const later = await presence.findLater(object);
    return (later && another(object, provider, later)) ?? { live: "own" };
  }

  /**
   * Terraform before 1.12 plans a removal before the refresh, and other programs after it. So the plan asks what the refresh asks.
   * If nothing proves that the object is gone, the state's word counts.
   */
  async isGone(object: ObjectRef, { service, uid }: ObjectValue): Promise<boolean> {
    const { presence } = this.session;
    try {
      return (await presence.read(object, service as string, uid as string)) === undefined;
    } catch (error) {
      if (!(error instanceof LifecycleError)) throw error;
      return false;
    }
  }
}

/** Undefined if the live object can be the one in the state. */
function another(
  object: ObjectRef,
  provider: string | undefined,
  live: Live,
): { live: LiveObject; text: RefusalText } | undefined {
  if (live.name !== object.name) return { live: "of another spelling", text: spelledOtherwise(object, live) };
  if (!("provider" in live) || !isOfAnother(object, provider, live)) return undefined;
  return { live: "of another type or provider", text: ofAnother(object, provider, live) };
}
