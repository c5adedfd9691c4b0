import { isAmbiguous } from "../api/client";
import type { Declared } from "../declarations/declaration";
import { ApiError } from "../model/errors";
import type { ObjectRef } from "../model/object-ref";
import { isPlainObject } from "../model/prop-path";
import type { JsonObject } from "../model/provider-type";
import { Call } from "./call";
import type { Difference } from "./compare";
import type { Context } from "./context";
import { changedFields, fingerprint } from "./fingerprint";
import type { Note } from "./journal";
import { LifecycleError } from "./lifecycle-error";
import { liveObject, liveUnder, look, type Live } from "./live";
import { CLOCK_SKEW_MS, LEAST_ATTEMPT_MS, SETTLING_MS } from "./windows";
import { called, duration, enumerated } from "./wording";

/** Statuses by which the service says that it has not done anything, and that it may do so later. */
const MAY_PASS = new Set([409, 425, 429, 503]);
/** How often a request whose outcome is unknown is repeated, each time after the name was seen to be free still. */
const REPEATS_AFTER_UNKNOWN = 2;

export interface CreateRequest {
  readonly object: ObjectRef;
  /** Of the request, secrets included. */
  readonly body: JsonObject;
  /** The declaration, flat, without defaults and secrets. */
  readonly declared: Declared;
  /** Whether what lives under the name may be taken over. */
  readonly adopt: boolean;
}

/**
 * Makes the service have the object: creates it, takes it over where that was asked for, or recognizes it as one that
 * an interrupted apply created. Readiness is not part of it, so a slow cluster never fails a create.
 */
export function create(context: Context, request: CreateRequest): Promise<void> {
  return Call.run(context, [request.object], (call) => new Creation(call, request).carryOut());
}

class Creation {
  private readonly context: Context;
  private readonly object: ObjectRef;
  private readonly called: string;
  /** The object itself, or the provider of the cluster. */
  private readonly provider: ObjectRef;
  private readonly deadline: number;

  constructor(
    private readonly call: Call,
    private readonly request: CreateRequest,
  ) {
    this.context = call.context;
    this.object = request.object;
    this.called = called(this.object);
    const { type, kind, name } = this.object;
    this.provider = { type, kind: "providers", name: kind === "providers" ? name : request.declared.provider! };
    this.deadline = call.started + this.context.times.createSeconds * 1000;
  }

  async carryOut(): Promise<void> {
    const { journal } = this.context;
    const live = await this.find();
    if (live) return this.takeOver(live);
    if (this.request.adopt) this.say("nothing to adopt, the name is free; creating it");
    this.say("creating; if interrupted, the service may go on, and the next apply goes on with it");
    const reply = await this.send(journal.read("creation", this.object));
    this.settled();
    this.noteUnready(reply);
    this.say(`created after ${this.call.elapsed()}`);
  }

  /** The name lives already: ours by adoption or from an interrupted apply, or somebody else's. */
  private async takeOver(live: Live): Promise<void> {
    if (this.request.adopt) {
      const found = await this.differences(live);
      if (found.length > 0) throw this.mismatch(found);
      this.settled();
      return this.say("adopted, it lives on the service already and matches the declaration");
    }
    const note = this.context.journal.read("creation", this.object);
    const doubts = note && [...seenBefore(live, note), ...(await this.doubts(live, note))];
    if (doubts?.length !== 0) throw this.taken(live, note, doubts);
    this.settled();
    this.noteUnready(undefined);
    // Secrets are noted nowhere, so nobody can say whether they are the same.
    const secrets = this.object.kind === "providers" ? ", with the credentials that were sent then" : "";
    this.say(`created by an earlier apply that was interrupted at ${note!.at}; going on with it${secrets}`);
  }

  /** The object is this stack's. Only Terraform's own state says so from now on, unless it is too late to tell Terraform. */
  private settled(): void {
    if (this.context.cancellation.isRecorded()) this.context.journal.clear("creation", this.object);
  }

  /** What the reply to a registration says of it, or no reply; the lists say nothing. Failing to note it fails nothing. */
  private noteUnready(reply: unknown): void {
    if (this.object.kind !== "providers" || (isPlainObject(reply) && reply.ready !== false)) return;
    try {
      this.context.journal.write("registration", this.provider);
    } catch {
      // A cluster that is refused for it then says so at once.
    }
  }

  /** How long ago the cluster's provider was registered, in milliseconds, where it may not be ready yet. */
  private unreadySince(): number | undefined {
    const noted = this.object.kind === "clusters" ? this.context.journal.read("registration", this.provider) : undefined;
    const age = noted && this.call.now() - Date.parse(noted.at);
    // A note from the future tells of a clock that was set, or of another machine.
    return age !== undefined && age >= 0 && age < SETTLING_MS ? age : undefined;
  }

  /** Which status a service answers then the interface does not show. */
  private mayPass(error: unknown): error is ApiError {
    if (!(error instanceof ApiError)) return false;
    const isRefusal = error.status >= 400 && error.status < 500 && error.status !== 401 && error.status !== 403;
    return MAY_PASS.has(error.status) || (isRefusal && this.unreadySince() !== undefined);
  }

  /** `unknown` notes the request whose outcome is not known: it may yet be carried out. Resolves to the service's reply. */
  private async send(unknown: Note | undefined): Promise<unknown> {
    const { journal, remedies } = this.context;
    let repeats = 0;
    for (;;) {
      const note = unknown ?? journal.write("creation", this.object, fingerprint(this.request.declared));
      this.call.leaving(
        `The service may still be creating ${this.called}. The next apply on this machine goes on with it. On another machine it says that the name is taken; then ${remedies.adopt([this.object])}`,
      );
      try {
        return await this.post();
      } catch (error) {
        if (this.context.cancellation.signal.aborted && isAmbiguous(error)) throw this.call.cancelled();
        if (isAmbiguous(error)) unknown = note;
        // At once: whatever ends this call from here on, what the next apply finds would not be of this request.
        else if (!unknown) journal.clear("creation", this.object);
        const mayPass = this.mayPass(error);
        if (!isAmbiguous(error) && !mayPass) throw await this.explained(error);
        const live = await this.findAfter(error);
        if (live) {
          const doubts = unknown && (await this.doubts(live, unknown));
          if (doubts?.length === 0) {
            this.say(`the answer was lost (${(error as Error).message}), but the service has it`);
            return undefined;
          }
          journal.clear("creation", this.object);
          throw this.taken(live, unknown, doubts);
        }
        if (!mayPass && ++repeats > REPEATS_AFTER_UNKNOWN) throw this.unknownOutcome(error);
        await this.waitBeforeRepeat(error, unknown !== undefined);
      }
    }
  }

  /** A cluster may be refused because its provider, which Terraform's state has, is not on the service. */
  private async explained(refusal: unknown): Promise<unknown> {
    if (this.object.kind !== "clusters" || !(refusal instanceof ApiError)) return refusal;
    try {
      if (liveObject(this.provider, await look(this.call, [this.provider], this.call.lastLook(this.deadline)))) return refusal;
    } catch {
      return refusal;
    }
    return new LifecycleError({
      code: "OBJECT_MISSING",
      objects: [this.object, this.provider],
      summary: `${refusal.message}; there is no ${called(this.provider)} on the service`,
      detail: "If this stack declares it, somebody deleted it, or Terraform was killed while it created it",
      remedy: `To create it anew: ${this.context.remedies.recreate([this.provider])}`,
      cause: refusal,
    });
  }

  private post(): Promise<unknown> {
    const { client } = this.context;
    const { type, kind } = this.object;
    const options = this.call.changing(this.deadline);
    return kind === "providers"
      ? client.createProvider(type, this.request.body, options)
      : client.createCluster(type, this.request.body, options);
  }

  /** Looks again after a failed request; what stopped the request may stop the look too. */
  private async findAfter(error: unknown): Promise<Live | undefined> {
    try {
      return await this.find(this.call.lastLook(this.deadline));
    } catch (lookup) {
      if (!isAmbiguous(error)) throw error;
      throw this.unknownOutcome(error, lookup);
    }
  }

  private async waitBeforeRepeat(error: unknown, unknown: boolean): Promise<void> {
    const wait = Math.max(this.context.times.pollSeconds * 1000, (error instanceof ApiError && error.retryAfterMs) || 0);
    if (this.call.now() + wait + LEAST_ATTEMPT_MS > this.deadline) {
      throw unknown ? this.unknownOutcome(error) : await this.explained(error);
    }
    if (!unknown) this.call.leaving(`The service refused to create ${this.called} so far. The next apply tries again`);
    const age = error instanceof ApiError ? this.unreadySince() : undefined;
    const early = age === undefined ? "" : `; its provider was registered ${duration(age)} ago and may not be ready yet`;
    this.say(`${(error as Error).message}${early}; the name is still free, trying again in ${duration(wait)}`);
    await this.call.pause(wait);
  }

  private async find(deadline = this.deadline): Promise<Live | undefined> {
    return liveUnder(this.object, await look(this.call, [this.object], deadline));
  }

  private async differences(live: Live): Promise<Difference[]> {
    // The schemas are loaded where they are needed: most hooks never do.
    const { declaredWithDefaults } = await import("../declarations/declared-with-defaults");
    const { differences } = await import("./compare");
    const { type, kind } = this.object;
    return differences(kind, type, declaredWithDefaults(type, kind, this.request.declared), live);
  }

  /** Why what lives may not be what the noted request made, which looks as declared and was declared as now. */
  private async doubts(live: Live, { declared }: Note): Promise<string[]> {
    const changed = declared ? changedFields(declared, this.request.declared) : [];
    if (changed.length > 0) return [`since then ${enumerated(changed)} changed in the code`];
    return (await this.differences(live)).map(
      (difference) => `its ${difference.field} is ${difference.live}, declared is ${difference.declared}`,
    );
  }

  private mismatch(found: readonly Difference[]): LifecycleError {
    const list = found.map(({ field, declared, live }) => `  ${field}: declared ${declared}, live ${live}`).join("\n");
    return new LifecycleError({
      code: "ADOPT_MISMATCH",
      objects: [this.object],
      summary: `${this.called} lives on the service and differs from the declaration; nothing was touched:\n${list}`,
      remedy: "Declare what is live and apply again, or give the declaration another name",
      differences: found,
    });
  }

  private taken(live: Live, note: Note | undefined, doubts: readonly string[] = []): LifecycleError {
    const { remedies } = this.context;
    const what =
      "phase" in live
        ? `a ${live.type} cluster on provider ${live.provider || "(not said)"}, phase ${live.phase || "(none yet)"}`
        : `a ${live.type} provider`;
    const ours = note
      ? `. This stack was creating it at ${note.at} and got no answer, but ${doubts.join("; ")}. If what lives is what was sent then, declare that, apply, and change it afterwards`
      : "";
    return new LifecycleError({
      code: "NAME_TAKEN",
      objects: [this.object],
      summary: `the name of ${this.called} is taken: ${what} lives there, and nothing shows that this stack created it`,
      detail: `Nothing was touched${ours}`,
      remedy: [
        `To take it over, declare it as it lives and ${remedies.adopt([this.object])}, or declare adopt: true`,
        `Otherwise choose another name, and ${remedies.retain([this.object])} for that apply`,
        ...(remedies.afterNameTaken === undefined ? [] : [remedies.afterNameTaken]),
      ].join(". "),
    });
  }

  private unknownOutcome(error: unknown, lookup?: unknown): LifecycleError {
    const seen = lookup
      ? `whether the service has it cannot be seen either: ${(lookup as Error).message}`
      : "the service does not list it yet";
    return new LifecycleError({
      code: "OUTCOME_UNKNOWN",
      objects: [this.object],
      summary: `creating ${this.called} failed: ${(error as Error).message}, and ${seen}`,
      remedy: `The next apply on this machine looks it up and goes on. On another machine, should it say that the name is taken, ${this.context.remedies.adopt([this.object])}`,
      cause: error,
    });
  }

  private say(line: string): void {
    this.context.say(`${this.called}: ${line}`);
  }
}

/** What happened to an object before its creation was noted happened to another one. */
function seenBefore(live: Live, { at }: Note): string[] {
  const conditions = "conditions" in live ? live.conditions : [];
  return conditions
    .filter(({ lastTransitionTime }) => Date.parse(lastTransitionTime) < Date.parse(at) - CLOCK_SKEW_MS)
    .slice(0, 1)
    .map(({ type, lastTransitionTime }) => `it was ${type} at ${lastTransitionTime} already, by the service's clock`);
}
