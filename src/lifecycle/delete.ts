import type { LiveCluster } from "../api/client";
import { ApiError, DeadlineError } from "../model/errors";
import type { ObjectRef } from "../model/object-ref";
import { Call } from "./call";
import type { Context } from "./context";
import { LifecycleError } from "./lifecycle-error";
import { liveUnder, look } from "./live";
import { mayPass } from "./outage";
import { CLUSTERS_LEAVE_MS, CONFIRM_ABSENT_MS, FIRST_LOOK_MS } from "./windows";
import { called, enumerated } from "./wording";

export interface DeleteRequest {
  readonly object: ObjectRef;
  /** Name of the provider that a cluster was declared on. */
  readonly provider?: string;
}

/**
 * Makes the service no longer have the object, and proves it by a list that lacks it. It deletes what Terraform's state
 * names, and only if what lives under the name is of the recorded type and provider.
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
    this.call.leaving(`Nothing was sent for ${this.called}. The next apply deletes it`);
    if (await this.beforehand()) await this.delete();
    else this.say("is not on the service any more");
    this.context.journal.forget(this.object);
  }

  /** Whether there is something to delete, which may be deleted. */
  private async beforehand(): Promise<boolean> {
    try {
      if (!(await this.isPresent())) {
        await this.call.pause(CONFIRM_ABSENT_MS);
        if (!(await this.isPresent())) return false;
      }
      await this.refuseIfUsed();
      return true;
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      throw new LifecycleError({
        code: "DELETE_TIMEOUT",
        objects: [this.object],
        summary: `${this.called}: whether it can be deleted was not seen within ${this.call.elapsed()} (timeouts.deleteSeconds): ${error.message}`,
        detail: "Nothing was sent. Terraform keeps it in its state; the next apply deletes it",
        cause: error,
      });
    }
  }

  private async delete(): Promise<void> {
    this.call.leaving(`The service may still be deleting ${this.called}. The next apply waits until it is gone`);
    this.say("deleting; if interrupted, the service may go on, and the next apply sees to it");
    let answer = await this.send();
    for (let pause = FIRST_LOOK_MS; await this.isStillPresent(); pause *= 2) {
      const left = this.deadline - this.call.now();
      if (left <= 0) throw this.timedOut("although the service was asked to delete it");
      await this.call.pause(Math.min(pause, this.context.times.pollSeconds * 1000, left));
      // Only the list proves an absence. Who answered that there is no such object may be something in between.
      if (answer === "absent") answer = await this.send();
    }
    this.say(`deleted after ${this.call.elapsed()}`);
  }

  /** Whether the object lives; refuses when something else lives under its name. */
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
        `${this.called}: what lives under this name is a ${live.type} cluster on provider ${live.provider || "(not said)"}, ` +
        `but this stack had a ${object.type} cluster on ${request.provider}; nothing was sent`,
      remedy: `If the other one is to stay, ${this.context.remedies.retain([object])} and apply again`,
    });
  }

  /** An outage does not end the wait for a deletion that was accepted. */
  private async isStillPresent(): Promise<boolean> {
    try {
      return await this.isPresent();
    } catch (error) {
      if (!(error instanceof DeadlineError || mayPass(error))) throw error;
      this.say(`whether it is gone cannot be seen: ${error.message}; looking again`);
      return true;
    }
  }

  /** A refusal that may pass (the service is still busy with the object) is waited out. */
  private async send(): Promise<"accepted" | "absent"> {
    const { client, times } = this.context;
    const { type, kind, name } = this.object;
    const poll = times.pollSeconds * 1000;
    for (let said = ""; ;) {
      try {
        if (said !== "") await this.refuseIfUsed();
        const options = this.call.changing(this.deadline);
        return await (kind === "clusters" ? client.deleteCluster(name, options) : client.deleteProvider(type, name, options));
      } catch (error) {
        const refused = error instanceof ApiError && error.status === 409;
        if (!(refused || error instanceof DeadlineError)) throw error;
        if (!refused || this.call.now() + poll > this.deadline) throw this.timedOut(error.message, error);
        if (error.message !== said) this.say(`${error.message}; trying again`);
        said = error.message;
        await this.call.pause(poll);
      }
    }
  }

  /** A provider is not touched while clusters live on it: they would lose what they run on. */
  private async refuseIfUsed(): Promise<void> {
    if (this.object.kind === "clusters") return;
    const until = Math.min(this.deadline, this.call.now() + CLUSTERS_LEAVE_MS);
    for (;;) {
      const users = await this.users();
      if (users.length === 0) return;
      if (this.call.now() >= until) throw this.inUse(users);
      await this.call.pause(Math.min(this.context.times.pollSeconds * 1000, Math.max(50, until - this.call.now())));
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
    return new LifecycleError({
      code: "PROVIDER_IN_USE",
      objects: [this.object, ...users],
      summary: `${this.called} is used by ${enumerated(users.map(({ name }) => name))}; nothing was sent`,
      remedy:
        "The service cannot change a registration in use: register the new one under another name, or remove the clusters first. " +
        `One that an interrupted apply of this stack left is taken over: declare it again if the code lacks it, ${this.context.remedies.adopt(users)}, and remove it then`,
    });
  }

  private timedOut(why: string, cause?: unknown): LifecycleError {
    return new LifecycleError({
      code: "DELETE_TIMEOUT",
      objects: [this.object],
      summary: `${this.called} is still on the service after ${this.call.elapsed()} (timeouts.deleteSeconds), ${why}`,
      detail: "Terraform keeps it in its state; the next apply goes on",
      cause,
    });
  }

  private say(line: string): void {
    this.context.say(`${this.called}: ${line}`);
  }
}
