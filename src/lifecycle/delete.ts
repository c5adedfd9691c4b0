import type { DeletionAnswer } from "../api/client";
import {
  decideDeletion,
  isRefusal,
  type DeletionFacts,
  type DeletionRefusal,
  type LiveObject,
  possibleDeletions,
} from "../decision/deletion";
import { decideAbsence, possibleAbsences } from "../decision/platform";
import { UNSEEN } from "../decision/possible";
import { ApiError, DeadlineError } from "../model/errors";
import { idOf, type ObjectRef } from "../model/object-ref";
import { appearing, latePollingMs } from "./absence";
import { Call } from "./call";
import type { Context } from "./context";
import { LifecycleError } from "./lifecycle-error";
import { refusedDeletion, usedBy, withRemedies, type RefusedDeletion, type RefusalText } from "./refused-deletion";
import { identify } from "./deletion-facts";
import { clustersOn, isLeaving, latestChange, liveNamed, liveObject, liveUnder, look } from "./live";
import { mayPass } from "./outage";
import { CLUSTERS_LEAVE_MS, FIRST_LOOK_MS, LOOK_FOR_MISSING_MS, MISSING_MS, PROVIDER_SHOWN_MS } from "./times";
import { describeObject, duration, enumerated } from "./wording";

export interface DeleteRequest {
  readonly object: ObjectRef;
  /** The provider of the cluster in the state. */
  readonly provider?: string;
  /** Of the object in the state. With hooks, it is the `id` of its resource. */
  readonly uid: string;
  /** Of a replacement with another declaration: the digest of that declaration. */
  readonly replacement?: string;
  /** Other objects of the stack. If one of them lives, the service is the right one. */
  readonly witnesses: readonly ObjectRef[];
  /** Throws if a replacement must fail after the deletion. */
  readonly beforeDelete?: () => Promise<void>;
  /** What the caller knows about the deletion. */
  readonly facts: Omit<DeletionFacts, "live" | "isUsed">;
  /** What a refusal says of the caller. */
  readonly refused?: Pick<RefusedDeletion, "intent" | "unknownRetained" | "details">;
}

/**
 * Deletes an object, and waits until a list shows that it is gone, as {@link decideDeletion} decides. An object that stays on the
 * service is released: Terraform forgets it.
 */
export function deleteObject(context: Context, request: DeleteRequest): Promise<void> {
  return Call.run(context, [request.object], (call) => new Deletion(call, request).carryOut());
}

class Deletion {
  private readonly context: Context;
  private readonly object: ObjectRef;
  private readonly called: string;
  /** Of the DELETE and of what follows it. Looks before have limits of their own. */
  private deadline = 0;
  /** Whether the last list showed the provider of the cluster. */
  private isKnown = true;
  /** Whether a list had exactly the name. Then a name in another case is another object. */
  private wasFound = false;
  /** Whether the service has answered the DELETE. */
  private isSent = false;
  /** The latest time in the conditions of the live object. */
  private changedAt: string | undefined;

  constructor(
    private readonly call: Call,
    private readonly request: DeleteRequest,
  ) {
    this.context = call.context;
    this.object = request.object;
    this.called = describeObject(this.object);
    this.restartDeadline();
  }

  private restartDeadline(): void {
    this.deadline = this.call.now() + this.context.times.deleteSeconds * 1000;
  }

  async carryOut(): Promise<void> {
    if (this.isReleased) {
      this.context.journal.released(this.object);
      this.warn("left on the service (retain); Terraform forgets it");
      return;
    }
    this.call.leaving(`Nothing was sent for ${this.called}. The next apply ${this.next}`);
    const isPresent = await this.beforehand();
    if (isPresent && this.isReplaced) return this.say("an interrupted apply has replaced it already; nothing is deleted again");
    if (isPresent) {
      await this.request.beforeDelete?.();
      await this.delete();
      this.context.journal.deleted(this.object);
      return;
    }
    this.say("is not on the service any more");
    this.context.journal.foundGone(this.object, this.request.uid);
  }

  private async beforehand(): Promise<boolean> {
    try {
      if (!(await this.isPresent()) && !(await this.appears())) {
        await this.proveService();
        return false;
      }
      if (this.isReplaced) return true;
      this.refuseIfForbidden();
      if (!(await this.isIdentified())) return false;
      await this.refuseIfUsed();
      return true;
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      throw new LifecycleError({
        code: "DELETE_TIMEOUT",
        objects: [this.object],
        summary: `${this.called}: cannot tell after ${this.call.elapsed()} (timeouts.deleteSeconds) whether it can be deleted: ${error.message}`,
        detail: `Nothing was sent. Terraform keeps it in its state; the next apply ${this.next}`,
        remedies: [],
        cause: error,
      });
    }
  }

  /** Whether the object stays on the service, whatever the service shows. */
  private get isReleased(): boolean {
    const outcomes = possibleDeletions({ ...this.request.facts, live: UNSEEN, isUsed: UNSEEN });
    return outcomes.every(({ happens }) => happens === "RETAIN" || happens === "ADOPT");
  }

  /** The refusal of the deletion of the live object, if there is one. */
  private refusal(live: LiveObject, isUsed = false): DeletionRefusal | undefined {
    const outcome = decideDeletion({ ...this.request.facts, live, isUsed });
    return isRefusal(outcome) ? outcome : undefined;
  }

  /** For reasons that the service does not have to show. */
  private refuseIfForbidden(): void {
    const refusal = this.refusal("own");
    if (refusal)
      throw refusedDeletion([{ object: this.object, refusal }], { otherwise: "nothing was sent", ...this.request.refused });
  }

  /** Whether the live object is what Terraform would create next. The state does not have it, because Terraform was killed. */
  private get isReplaced(): boolean {
    const { uid, replacement } = this.request;
    return replacement !== undefined && this.context.journal.of(this.object).isReplacedBy(uid, replacement);
  }

  private async appears(): Promise<boolean> {
    const { context } = this;
    const find = async () => (await this.isPresent()) || undefined;
    if (context.journal.of(this.object).mayStillBeCreated) {
      const window = latePollingMs(context);
      this.say(`the request to create it may still be carried out; polling for ${duration(window)}`);
      this.call.leaving(`The service may still create ${this.called}. The next apply looks again`);
      return (await appearing(this.call, window, context.times.pollSeconds * 1000, find)) ?? false;
    }
    // Lists may lag behind, also if somebody says that the object is gone, or if a deletion was sent for it.
    return (await appearing(this.call, MISSING_MS, LOOK_FOR_MISSING_MS, find)) ?? false;
  }

  /** A service without any object of the stack is probably another one, so its lists prove no absence. */
  private async proveService(): Promise<void> {
    const { object, request } = this;
    const { journal, client } = this.context;
    const facts = {
      service: "this one",
      isSaidGone: request.facts.isSaidGone,
      isSeen: journal.hasDeleted(),
      isDeletionNoted: journal.of(object).wasDeletionSent(request.uid),
    } as const;
    if (possibleAbsences({ ...facts, hasWitness: UNSEEN }).every(({ happens }) => happens === "GONE")) return;
    const provider: ObjectRef[] =
      request.provider === undefined ? [] : [{ type: object.type, kind: "providers", name: request.provider }];
    // If the name of an object was taken, the one that lives is probably somebody else's, and can be on any service.
    const witnesses = [...provider, ...request.witnesses].filter(
      (witness) => idOf(witness) !== idOf(object) && !journal.of(witness).wasNameTaken,
    );
    const lists = await this.look(witnesses);
    const hasWitness = witnesses.some((witness) => liveObject(witness, lists) !== undefined);
    if (decideAbsence({ ...facts, hasWitness }).happens === "GONE") return;
    const others = witnesses.length > 0 ? `, nor is any of ${enumerated([...new Set(witnesses.map(idOf))])}` : "";
    throw this.refused("absent from a doubtful service", {
      summary: `${this.called} is not on the service at ${client.url}${others}. Is it the right one?`,
      detail: "Nothing was sent, and Terraform keeps it in its state",
    });
  }

  private async delete(): Promise<void> {
    this.restartDeadline();
    this.call.leaving(`The service may still be deleting ${this.called}. The next apply waits until it is gone`);
    this.say(
      "deleting; if this run is interrupted, the service may still delete the object, and the next apply checks that it is gone",
    );
    let answer = await this.send();
    this.isSent = true;
    for (let pause = FIRST_LOOK_MS; !(await this.isGone(answer)); pause *= 2) {
      this.context.journal.stillListed(this.object);
      const left = this.deadline - this.call.now();
      if (left <= 0) throw this.timedOut("although the service was asked to delete it");
      await this.call.pause(Math.min(pause, this.context.times.pollSeconds * 1000, left));
      if (answer === "doubtful" && this.isKnown) answer = await this.send();
    }
    this.say(`deleted after ${this.call.elapsed()}`);
  }

  /** Throws if another object has the name. After the DELETE, that shows that the object is gone. */
  private async isPresent(): Promise<boolean> {
    const lists = await this.look([this.object]);
    const live = (this.wasFound ? liveNamed : liveUnder)(this.object, lists);
    const identity = live && identify(this.object, this.request.provider, live);
    if (identity?.text) {
      if (this.isSent) return false;
      throw this.refused(identity.live, identity.text);
    }
    this.wasFound ||= live !== undefined;
    this.isKnown = !(live && "provider" in live && live.provider === "");
    if (live) this.changedAt = latestChange(live);
    return live !== undefined;
  }

  /**
   * Polls until the list shows the provider of the cluster. A cluster on an unknown provider may be somebody else's.
   * @returns false if the cluster is gone by then
   */
  private async isIdentified(): Promise<boolean> {
    if (this.isKnown) return true;
    this.say(`the list does not show its provider (yet); polling for it for ${duration(PROVIDER_SHOWN_MS)}`);
    let isPresent = true;
    const isOver = async () => {
      isPresent = await this.isPresent();
      return isPresent && !this.isKnown ? undefined : true;
    };
    if (!(await appearing(this.call, PROVIDER_SHOWN_MS, LOOK_FOR_MISSING_MS, isOver))) throw this.unidentified();
    return isPresent || this.beforehand();
  }

  /** If nothing shows that the service has carried out the DELETE, one list without the object does not prove that it is gone. */
  private async isGone(answer: DeletionAnswer): Promise<boolean> {
    if (await this.isStillPresent()) return false;
    if (answer === "done") return true;
    this.say(`no longer listed; making sure for ${duration(MISSING_MS)}`);
    const find = async () => (await this.isStillPresent()) || undefined;
    return (await appearing(this.call, MISSING_MS, LOOK_FOR_MISSING_MS, find)) === undefined;
  }

  /** Like {@link isPresent}. An outage does not end the wait, because the deletion was accepted. */
  private async isStillPresent(): Promise<boolean> {
    try {
      return await this.isPresent();
    } catch (error) {
      if (!(error instanceof DeadlineError || mayPass(error))) throw error;
      this.say(`cannot see whether it is gone: ${error.message}; looking again`);
      return true;
    }
  }

  /** Repeats the DELETE after a 409, because the service may still be busy with the object. */
  private async send(): Promise<DeletionAnswer> {
    const { times } = this.context;
    const poll = times.pollSeconds * 1000;
    for (let lastRefusal = ""; ;) {
      try {
        if (lastRefusal !== "") await this.refuseIfUsed();
        // The note of a request that is not sent would prove something.
        if (this.call.now() >= this.deadline) throw this.timedOut(lastRefusal || "and there is no time left for a DELETE");
        return await this.sendOnce();
      } catch (error) {
        const refused = error instanceof ApiError && error.status === 409;
        if (!(refused || error instanceof DeadlineError)) throw error;
        if (!refused || this.call.now() + poll > this.deadline)
          throw this.timedOut(refused ? error.message : lastRefusal || error.message, error);
        if (error.message !== lastRefusal) this.say(`${error.message}; trying again`);
        lastRefusal = error.message;
        await this.call.pause(poll);
      }
    }
  }

  /** A refusal takes the note back, because the service has done nothing. */
  private async sendOnce(): Promise<DeletionAnswer> {
    const { client, journal } = this.context;
    const { type, kind, name } = this.object;
    const options = this.call.changing(this.deadline);
    const before = journal.deletionSent(this.object, this.request.uid, this.changedAt);
    try {
      const deletion = kind === "clusters" ? client.deleteCluster(name, options) : client.deleteProvider(type, name, options);
      const answer = await deletion;
      journal.deletionAnswered(this.object, answer);
      return answer;
    } catch (error) {
      if (error instanceof ApiError && error.isRefusal) journal.deletionRefused(this.object, before);
      else if (error instanceof ApiError && error.isPage) journal.deletionAnswered(this.object, "doubtful");
      throw error;
    }
  }

  /** Waits for clusters that are being deleted, and for lists that do not show the provider of a cluster yet. */
  private async refuseIfUsed(): Promise<void> {
    if (this.object.kind === "clusters") return;
    const started = this.call.now();
    for (;;) {
      const { users, staying, unknown } = await this.users();
      if (users.length + unknown.length === 0) return;
      const limit = staying.length > 0 ? 0 : unknown.length > 0 ? PROVIDER_SHOWN_MS : CLUSTERS_LEAVE_MS;
      const left = started + limit - this.call.now();
      if (left <= 0)
        throw users.length > 0 ? this.refused("own", usedBy([{ provider: this.object, users }])) : this.mayBeInUse(unknown);
      await this.call.pause(Math.min(this.context.times.pollSeconds * 1000, Math.max(50, left)));
    }
  }

  /**
   * The clusters on the provider, those of them that neither the service is deleting nor this machine has deleted, and clusters of its
   * type whose provider the list does not show.
   */
  private async users(): Promise<Record<"users" | "staying" | "unknown", ObjectRef[]>> {
    const { type, name } = this.object;
    const { clusters } = await this.look([{ type, kind: "clusters", name: "" }]);
    const wasDeleted = (user: ObjectRef) => this.context.journal.of(user).wasDeletionSent();
    return {
      users: clustersOn({ type, name }, clusters!),
      staying: clustersOn({ type, name }, clusters!, (user) => !isLeaving(user)).filter((user) => !wasDeleted(user)),
      unknown: clustersOn({ type, name: "" }, clusters!),
    };
  }

  private look(objects: readonly ObjectRef[]) {
    return look(this.call, objects, this.call.lastLook(this.deadline));
  }

  /** @param live what the lists show. With it, the deletion is refused for certain */
  private refused(live: LiveObject, text: RefusalText): LifecycleError {
    return withRemedies([{ object: this.object, refusal: this.refusal(live, text.users !== undefined)! }], text);
  }

  private mayBeInUse(clusters: readonly ObjectRef[]): LifecycleError {
    return this.providerUnknown(clusters, `${this.called} may be used by ${enumerated(clusters.map(({ name }) => name))}`);
  }

  private unidentified(): LifecycleError {
    return this.providerUnknown([], `${this.called} may be somebody else's`);
  }

  private providerUnknown(clusters: readonly ObjectRef[], what: string): LifecycleError {
    return this.refused("on an unknown provider", {
      users: clusters,
      summary: `${what}, because the service's list has not shown on which provider ${clusters.length > 1 ? "they are" : "it is"} for ${duration(PROVIDER_SHOWN_MS)}; nothing was sent`,
    });
  }

  private timedOut(why: string, cause?: unknown): LifecycleError {
    return new LifecycleError({
      code: "DELETE_TIMEOUT",
      objects: [this.object],
      summary: `${this.called} is still on the service after ${this.call.elapsed()} (timeouts.deleteSeconds), ${why}`,
      detail: "Terraform keeps it in its state; the next apply continues",
      remedies: [],
      cause,
    });
  }

  private get next(): string {
    return this.refusal("own") ? "looks again" : "deletes it";
  }

  private say(line: string): void {
    this.context.say(`${this.called}: ${line}`);
  }

  /** A line that matters after the call. */
  private warn(line: string): void {
    const { warn = this.context.say } = this.context;
    warn.call(this.context, `${this.called}: ${line}`);
  }
}
