import type { LiveCluster } from "../api/client";
import { ApiError, DeadlineError } from "../model/errors";
import { idOf, type ObjectRef } from "../model/object-ref";
import { appearing, latePollingMs, mayStillBeCreated } from "./absence";
import { Call } from "./call";
import type { Context } from "./context";
import { LifecycleError } from "./lifecycle-error";
import { liveObject, liveUnder, look } from "./live";
import { mayPass } from "./outage";
import { CLUSTERS_LEAVE_MS, CONFIRM_ABSENT_MS, FIRST_LOOK_MS, LOOK_FOR_MISSING_MS, MISSING_MS } from "./windows";
import { called, duration, enumerated } from "./wording";

export interface DeleteRequest {
  readonly object: ObjectRef;
  /** The provider of the cluster in the state. */
  readonly provider?: string;
  /** Id of the resource in the state. */
  readonly resourceId: string;
  /** Other objects of the stack. If one of them lives, the service is the right one. */
  readonly witnesses: readonly ObjectRef[];
  /** Whether the deletion guard has found that the service is the right one. */
  readonly serviceSeen: boolean;
  /** Whether a person has said that missing objects are gone. */
  readonly acceptGone: boolean;
  /** For a protected object: the error to throw if it lives. A protected object that is proven absent may leave the state. */
  readonly refusal?: Error;
}

/**
 * Deletes an object, and waits until a list shows that it is gone. Deletes nothing if its type or provider differs from the
 * state.
 */
export function remove(context: Context, request: DeleteRequest): Promise<void> {
  return Call.run(context, [request.object], (call) => new Deletion(call, request).carryOut());
}

class Deletion {
  private readonly context: Context;
  private readonly object: ObjectRef;
  private readonly called: string;
  private readonly deadline: number;

  constructor(
    private readonly call: Call,
    private readonly request: DeleteRequest,
  ) {
    this.context = call.context;
    this.object = request.object;
    this.called = called(this.object);
    this.deadline = call.started + this.context.times.deleteSeconds * 1000;
  }

  async carryOut(): Promise<void> {
    this.call.leaving(`Nothing was sent for ${this.called}. The next apply ${this.next}`);
    if (await this.beforehand()) {
      await this.delete();
      this.context.journal.forgetCreation(this.object);
      return;
    }
    this.say("is not on the service any more");
    // If the object may still be created, the orphan check needs the note.
    if (!mayStillBeCreated(this.context, this.object)) this.context.journal.forgetCreation(this.object);
  }

  private async beforehand(): Promise<boolean> {
    try {
      if (!(await this.isPresent()) && !(await this.appears())) {
        await this.proveService();
        return false;
      }
      if (this.request.refusal) throw this.request.refusal;
      await this.refuseIfUsed();
      return true;
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      throw new LifecycleError({
        code: "DELETE_TIMEOUT",
        objects: [this.object],
        summary: `${this.called}: cannot tell after ${this.call.elapsed()} (timeouts.deleteSeconds) whether it can be deleted: ${error.message}`,
        detail: `Nothing was sent. Terraform keeps it in its state; the next apply ${this.next}`,
        cause: error,
      });
    }
  }

  private async appears(): Promise<boolean> {
    const { context } = this;
    const left = Math.max(0, this.deadline - this.call.now());
    const find = async () => (await this.isPresent()) || undefined;
    if (mayStillBeCreated(context, this.object)) {
      const window = Math.min(latePollingMs(context), left);
      this.say(`the request to create it may still be carried out; polling for ${duration(window)}`);
      this.call.leaving(`The service may still create ${this.called}. The next apply looks again`);
      return (await appearing(this.call, window, context.times.pollSeconds * 1000, find)) ?? false;
    }
    // Lists may lag behind a recent create, unless the absence is expected. A protected object must be absent for the whole time.
    const { refusal, acceptGone } = this.request;
    const isExplained = !refusal && (acceptGone || context.journal.wasDeletionSent(this.object, this.request.resourceId));
    const window = isExplained ? CONFIRM_ABSENT_MS : MISSING_MS;
    return (await appearing(this.call, Math.min(window, left), LOOK_FOR_MISSING_MS, find)) ?? false;
  }

  /** A service without any object of the stack is probably another one, so its lists prove no absence. */
  private async proveService(): Promise<void> {
    const { object, request } = this;
    const { journal, client, remedies } = this.context;
    if (request.acceptGone || request.serviceSeen || journal.wasDeletionSent(object, request.resourceId) || journal.hasDeleted())
      return;
    const provider: ObjectRef[] =
      request.provider === undefined ? [] : [{ type: object.type, kind: "providers", name: request.provider }];
    const witnesses = [...provider, ...request.witnesses].filter((witness) => idOf(witness) !== idOf(object));
    const lists = await this.look(witnesses);
    if (witnesses.some((witness) => liveObject(witness, lists) !== undefined)) return;
    const others = witnesses.length > 0 ? `, nor is any of ${enumerated([...new Set(witnesses.map(idOf))])}` : "";
    throw new LifecycleError({
      code: "OBJECT_MISSING",
      objects: [object],
      summary: `${this.called} is not on the service at ${client.url}${others}. Is it the right one?`,
      detail: "Nothing was sent, and Terraform keeps it in its state",
      remedy: `If the URL is wrong, correct it. If the object is really gone, ${remedies.acceptGone}`,
    });
  }

  private async delete(): Promise<void> {
    this.call.leaving(`The service may still be deleting ${this.called}. The next apply waits until it is gone`);
    this.say(
      "deleting; if this run is interrupted, the service may still delete the object, and the next apply checks that it is gone",
    );
    let answer = await this.send();
    for (let pause = FIRST_LOOK_MS; await this.isStillPresent(); pause *= 2) {
      const left = this.deadline - this.call.now();
      if (left <= 0) throw this.timedOut("although the service was asked to delete it");
      await this.call.pause(Math.min(pause, this.context.times.pollSeconds * 1000, left));
      // Only the list proves an absence. A 404 may come from a proxy.
      if (answer === "absent") answer = await this.send();
    }
    this.say(`deleted after ${this.call.elapsed()}`);
  }

  /** Throws if another object has the name. */
  private async isPresent(): Promise<boolean> {
    const live = liveUnder(this.object, await this.look([this.object]));
    if (live && "provider" in live) this.refuseIfForeign(live);
    return live !== undefined;
  }

  private refuseIfForeign(live: LiveCluster): void {
    const { object, request } = this;
    if (live.type === object.type && (live.provider === "" || live.provider === request.provider)) return;
    throw new LifecycleError({
      code: "NOT_OURS",
      objects: [object],
      summary:
        `${this.called}: the object with this name is a ${live.type} cluster on provider ${live.provider || "(unknown)"}, ` +
        `but this stack has a ${object.type} cluster on ${request.provider}; nothing was sent`,
      remedy: `If the other one must stay, ${this.context.remedies.retain([object])} and apply again`,
    });
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
  private async send(): Promise<"accepted" | "absent"> {
    const { client, journal, times } = this.context;
    const { type, kind, name } = this.object;
    const poll = times.pollSeconds * 1000;
    for (let said = ""; ;) {
      try {
        if (said !== "") await this.refuseIfUsed();
        const options = this.call.changing(this.deadline);
        journal.writeDeletion(this.object, this.request.resourceId);
        return await (kind === "clusters" ? client.deleteCluster(name, options) : client.deleteProvider(type, name, options));
      } catch (error) {
        const refused = error instanceof ApiError && error.status === 409;
        if (!(refused || error instanceof DeadlineError)) throw error;
        if (!refused || this.call.now() + poll > this.deadline)
          throw this.timedOut(refused ? error.message : said || error.message, error);
        if (error.message !== said) this.say(`${error.message}; trying again`);
        said = error.message;
        await this.call.pause(poll);
      }
    }
  }

  /** Waits for clusters that are being deleted. */
  private async refuseIfUsed(): Promise<void> {
    if (this.object.kind === "clusters") return;
    const { journal, times } = this.context;
    const until = Math.min(this.deadline, this.call.now() + CLUSTERS_LEAVE_MS);
    for (;;) {
      const users = await this.users();
      if (users.length === 0) return;
      const isLeaving = users.every((user) => journal.wasDeletionSent(user));
      if (!isLeaving || this.call.now() >= until) throw this.inUse(users);
      await this.call.pause(Math.min(times.pollSeconds * 1000, Math.max(50, until - this.call.now())));
    }
  }

  private async users(): Promise<ObjectRef[]> {
    const { type, name } = this.object;
    const { clusters } = await this.look([{ type, kind: "clusters", name: "" }]);
    return clusters!
      .all()
      .filter((cluster) => cluster.type === type && cluster.provider === name)
      .map((cluster) => ({ type, kind: "clusters" as const, name: cluster.name }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  private look(objects: readonly ObjectRef[]) {
    return look(this.call, objects, this.call.lastLook(this.deadline));
  }

  private inUse(users: readonly ObjectRef[]): LifecycleError {
    const { remedies } = this.context;
    const allowed = remedies.allowDeletion?.(users);
    return new LifecycleError({
      code: "PROVIDER_IN_USE",
      objects: [this.object, ...users],
      summary: `${this.called} is used by ${enumerated(users.map(({ name }) => name))}; nothing was sent`,
      detail: "The service cannot change a registration in use",
      remedy: [
        "To change it, register the new one under another name, or remove the clusters first",
        `To destroy the rest while somebody else's clusters use it, ${remedies.retain([this.object])}: it stays on the service`,
        `If an interrupted apply of this stack left a cluster, declare it again if it is not in the code, ${remedies.adopt(users)}, and then remove it`,
        ...(allowed === undefined ? [] : [`To remove clusters that are protected, write ${allowed}`]),
      ].join(". "),
    });
  }

  private timedOut(why: string, cause?: unknown): LifecycleError {
    return new LifecycleError({
      code: "DELETE_TIMEOUT",
      objects: [this.object],
      summary: `${this.called} is still on the service after ${this.call.elapsed()} (timeouts.deleteSeconds), ${why}`,
      detail: "Terraform keeps it in its state; the next apply continues",
      cause,
    });
  }

  private get next(): string {
    return this.request.refusal ? "looks again" : "deletes it";
  }

  private say(line: string): void {
    this.context.say(`${this.called}: ${line}`);
  }
}
