import { isAmbiguous } from "../api/client";
import type { Declared } from "../declarations/declaration";
import { ApiError } from "../model/errors";
import type { ObjectRef } from "../model/object-ref";
import { isPlainObject } from "../model/prop-path";
import type { JsonObject } from "../model/provider-type";
import { appearing, mayStillBeCreated } from "./absence";
import { Call } from "./call";
import type { Comparison, Difference } from "./compare";
import type { Context } from "./context";
import { changedFields } from "./fingerprint";
import type { CreationNote, DeletionNote } from "./journal";
import { LifecycleError } from "./lifecycle-error";
import { isLeaving, isSuccessor, liveNamed, liveUnder, look, type Live } from "./live";
import { correctName, findProvider, type FoundProvider } from "./provider-needs";
import { decide, type Remedy } from "./remedy";
import {
  CLOCK_SKEW_MS,
  GHOST_MS,
  LEAST_ATTEMPT_MS,
  LONGEST_BACKOFF_MS,
  LOOK_FOR_MISSING_MS,
  MISSING_MS,
  SETTLING_INVALID_MS,
  SETTLING_MS,
} from "./times";
import { unofferedLiveVersion } from "./unoffered-version";
import { called, duration, enumerated, unchecked } from "./wording";

/** Statuses that say that nothing was done and that a later attempt may succeed. */
const MAY_PASS = new Set([409, 425, 429, 503]);
/** How often a request with an unknown outcome is repeated. Before each repetition the name is still free. */
const REPEATS_AFTER_UNKNOWN = 2;

export interface CreateRequest {
  readonly object: ObjectRef;
  /** Secrets included. */
  readonly body: JsonObject;
  /** The declaration, flat, without defaults and secrets. */
  readonly declared: Declared;
  /** A digest of the declaration, which a deletion compares with what the code declares. */
  readonly digest: string;
  /** Whether an existing object with the name may be adopted. */
  readonly adopt: boolean;
  /** Whether a cluster names its provider, so that this stack does not register it. */
  readonly byName?: boolean;
}

/**
 * Creates an object, adopts it if that is allowed, or recognizes it as created by an interrupted apply. Does not wait until a
 * cluster is ready, so a slow cluster never fails a create.
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
  /** Of all attempts of the request together. Looks before have limits of their own. */
  private deadline = 0;
  private refusals = 0;
  private refusedWith = "";

  constructor(
    private readonly call: Call,
    private readonly request: CreateRequest,
  ) {
    this.context = call.context;
    this.object = request.object;
    this.called = called(this.object);
    const { type, kind, name } = this.object;
    this.provider = { type, kind: "providers", name: kind === "providers" ? name : request.declared.provider! };
    this.allowTime();
  }

  private allowTime(): void {
    this.deadline = this.call.now() + this.context.times.createSeconds * 1000;
  }

  async carryOut(): Promise<void> {
    const { journal } = this.context;
    const found = await this.afterDeletion((await this.find()) ?? (await this.findLate()));
    const live = await this.withoutGhost(found, journal.creationOf(this.object), () => this.find());
    if (live) return this.takeOver(live);
    if (this.request.adopt) this.say("nothing to adopt, because the name is free; creating it");
    this.say(
      "creating; if this run is interrupted, the service may still create the object, and the next apply continues with it",
    );
    const note = journal.creationOf(this.object);
    this.allowTime();
    const reply = await this.send(note?.answeredAt === undefined ? note : undefined);
    this.context.journal.forgetDeletion(this.object);
    this.noteUnready(reply);
    this.say(`created after ${this.call.elapsed()}`);
  }

  /** Polls for the object of a recent, interrupted create. The service may carry the create out late, or lists may lag behind. */
  private async findLate(): Promise<Live | undefined> {
    const note = this.context.journal.creationOf(this.object);
    if (note === undefined) return undefined;
    if (note.answeredAt === undefined && !mayStillBeCreated(this.context, this.object)) return undefined;
    this.say(`an earlier apply sent a request to create it at ${note.at}; polling for it for ${duration(MISSING_MS)}`);
    return appearing(this.call, MISSING_MS, LOOK_FOR_MISSING_MS, () => this.find());
  }

  /** Waits for the end of a cluster that the service is deleting. Resolves to what has the name then. */
  private async afterDeletion(live: Live | undefined): Promise<Live | undefined> {
    if (!live || !isLeaving(live)) return live;
    const { pollSeconds, deleteSeconds } = this.context.times;
    const what = `the service is deleting a ${live.type} cluster of this name`;
    this.say(`${what}; waiting for its end, ${duration(deleteSeconds * 1000)} at most`);
    this.call.leaving(`Nothing was sent to create ${this.called}. The next apply creates it`);
    let last: Live | undefined = live;
    const isOver = async () => {
      last = await this.find();
      return last && isLeaving(last) ? undefined : true;
    };
    if (await appearing(this.call, deleteSeconds * 1000, pollSeconds * 1000, isOver)) return last;
    throw new LifecycleError({
      code: "DELETE_TIMEOUT",
      objects: [this.object],
      summary: `${this.called}: ${what}, and still lists it after ${this.call.elapsed()} (timeouts.deleteSeconds)`,
      detail: "Nothing was sent to create it",
      remedies: [{ code: "APPLY", when: "object is gone" }],
    });
  }

  /**
   * The found object, unless it is one that this stack has deleted a few minutes ago and that some lists still show. Such a ghost
   * must not be adopted or continued with, because nothing lives.
   * @param note of a create that may have made the object. If its request was sent after the DELETE, a list after ten seconds
   * shows what it has made
   * @returns undefined if the name is free
   * @throws NAME_TAKEN if the lists do not show whether the object is a ghost
   */
  private async withoutGhost(
    found: Live | undefined,
    note: CreationNote | undefined,
    find: () => Promise<Live | undefined>,
  ): Promise<Live | undefined> {
    const { journal } = this.context;
    if (found === undefined) return undefined;
    const deletion = journal.recentDeletion(this.object);
    if (deletion === undefined || isSuccessor(found, deletion, this.call.now())) return found;
    this.say(`this stack has asked the service to delete it at ${deletion.at}; polling for ${duration(MISSING_MS)}`);
    if (note && journal.isAfter(note, deletion)) {
      await this.call.pause(MISSING_MS);
      return find();
    }
    let last: Live | undefined = found;
    const isOver = async () => {
      last = await find();
      return last === undefined || isSuccessor(last, deletion, this.call.now()) || undefined;
    };
    if (await appearing(this.call, MISSING_MS, LOOK_FOR_MISSING_MS, isOver)) return last;
    throw this.ghost(deletion);
  }

  /** Adopts the live object, recognizes it as this stack's, or refuses. */
  private async takeOver(live: Live): Promise<void> {
    const note = this.context.journal.creationOf(this.object);
    const older = note ? seenBefore(live, note) : [];
    const isOurs = note === undefined || this.changedSince(note).length === 0;
    if (this.request.adopt && live.name === this.object.name && isOurs) {
      return this.adopt(live, note?.declared?.length === 1 && older.length === 0);
    }
    const doubts = note && [...older, ...(await this.doubts(live, note))];
    if (doubts?.length !== 0) throw this.taken(live, note, doubts);
    this.context.journal.forgetDeletion(this.object);
    this.noteUnready(undefined);
    // Notes have no secrets, so it is not known whether they have changed.
    const secrets = this.object.kind === "providers" ? ", with the credentials that were sent then" : "";
    this.warn(`created by an earlier apply that was interrupted at ${note!.at}; continuing with it${secrets}`);
  }

  /** @param isNoted whether a note confirms the fields that the lists do not show */
  private async adopt(live: Live, isNoted: boolean): Promise<void> {
    const { differences, unconfirmed } = await this.compare(live);
    if (differences.length > 0) throw this.mismatch(differences);
    this.context.journal.forgetDeletion(this.object);
    const isChecked = isNoted || unconfirmed.length === 0;
    this.warn(`adopted; ${isChecked ? "it matches the declaration" : unchecked(unconfirmed)}`);
    const doubt = unofferedLiveVersion(this.request.declared, await this.providerOfAdopted());
    if (doubt !== undefined) this.warn(doubt);
  }

  /** Undefined if the declaration has no version to compare with it, or if the service does not show it. */
  private async providerOfAdopted(): Promise<Live | undefined> {
    if (this.request.declared.kubernetesVersion === undefined) return undefined;
    try {
      return liveNamed(this.provider, await look(this.call, [this.provider], this.call.lastLook(this.deadline)));
    } catch {
      // The adoption sends nothing, so it does not fail for a warning.
      return undefined;
    }
  }

  /** Only the reply to a registration tells whether a provider is ready, not the lists. */
  private noteUnready(reply: unknown): void {
    if (this.object.kind !== "providers" || (isPlainObject(reply) && reply.ready !== false)) return;
    this.context.journal.writeRegistration(this.provider);
  }

  /**
   * How long ago the cluster's provider was registered, in milliseconds. Undefined if that cannot be the reason of the refusal.
   */
  private unreadySince({ status }: ApiError): number | undefined {
    const at = this.object.kind === "clusters" ? this.context.journal.registeredAt(this.provider) : undefined;
    const age = at === undefined ? undefined : this.call.now() - Date.parse(at);
    // A note from the future comes from another machine, or the clock was set.
    return age !== undefined && age >= 0 && age < (status === 400 ? SETTLING_INVALID_MS : SETTLING_MS) ? age : undefined;
  }

  /** Whether a later attempt may succeed. The interface does not say how a service refuses while a provider is not ready. */
  private mayPass(error: unknown): error is ApiError {
    if (!(error instanceof ApiError)) return false;
    const isRefusal = error.status >= 400 && error.status < 500 && ![401, 403, 408].includes(error.status);
    return MAY_PASS.has(error.status) || (isRefusal && this.unreadySince(error) !== undefined);
  }

  /**
   * @param unknown note of requests that the service may still carry out
   * @returns the service's reply
   */
  private async send(unknown: CreationNote | undefined): Promise<unknown> {
    const { journal } = this.context;
    let repeats = 0;
    for (;;) {
      const note = journal.writeCreation(this.object, this.request, unknown);
      this.call.leaving(`The service may still be creating ${this.called}. The next apply on this machine continues with it`, {
        code: "CONTINUE_ELSEWHERE",
        objects: [this.object],
      });
      try {
        return await this.post();
      } catch (error) {
        if (this.context.cancellation.signal.aborted && isAmbiguous(error)) throw this.call.cancelled();
        if (isAmbiguous(error)) unknown = note;
        // Takes the note back immediately, because the call may end at any time. The service refused this request, so an object
        // that the next apply finds is not from it.
        else journal.takeBackCreation(this.object, unknown);
        const mayPass = this.mayPass(error);
        if (!isAmbiguous(error) && !mayPass) throw await this.explained(error);
        const find = () => this.findAfter(error);
        let live = await this.withoutGhost(await find(), unknown, find);
        if (!live) {
          if (!mayPass && ++repeats > REPEATS_AFTER_UNKNOWN) throw this.unknownOutcome(error);
          live = await this.withoutGhost(await this.waitBeforeRepeat(error, unknown !== undefined), unknown, find);
        }
        if (live) {
          const doubts = unknown && (await this.doubts(live, unknown));
          if (doubts?.length === 0) {
            this.warn(`the answer was lost (${(error as Error).message}), but the service has it`);
            return undefined;
          }
          throw this.taken(live, unknown, doubts);
        }
      }
    }
  }

  /** A cluster may be refused because its provider is not on the service. */
  private async explained(refusal: unknown): Promise<unknown> {
    if (this.object.kind !== "clusters" || !(refusal instanceof ApiError) || [401, 403].includes(refusal.status)) return refusal;
    const { call, object, provider, request } = this;
    let found: FoundProvider;
    try {
      found = await findProvider(call, provider, this.deadline);
    } catch {
      return refusal;
    }
    if (found.live) return refusal;
    return new LifecycleError({
      code: "OBJECT_MISSING",
      objects: [object, provider],
      summary: `${refusal.message}; there is no ${called(provider)} on the service${found.suggestion}`,
      ...(request.byName
        ? { remedies: [correctName] }
        : {
            detail: "If this stack declares it, somebody deleted it, or Terraform was killed while it created it",
            remedies: [{ code: "RECREATE_MISSING", objects: [provider], all: false }],
          }),
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

  /** Looks for the object after a failed request. It is not one that the service is deleting. The look may fail for the same reason as the request. */
  private async findAfter(error: unknown): Promise<Live | undefined> {
    try {
      const live = await this.find();
      return live && isLeaving(live) ? undefined : live;
    } catch (lookup) {
      if (!isAmbiguous(error)) throw error;
      throw this.unknownOutcome(error, lookup);
    }
  }

  /**
   * @param unknown whether a request may still be carried out, so that the object is polled for
   * @returns the object, if it appears
   */
  private async waitBeforeRepeat(error: unknown, unknown: boolean): Promise<Live | undefined> {
    const backOff = Math.min(this.context.times.pollSeconds * 1000 * 2 ** this.refusals++, LONGEST_BACKOFF_MS);
    const asked = (error instanceof ApiError && error.retryAfterMs) || 0;
    const wait = Math.max(backOff, asked, unknown ? MISSING_MS : 0);
    if (this.call.now() + wait + LEAST_ATTEMPT_MS > this.deadline) {
      throw unknown ? this.unknownOutcome(error) : await this.explained(error);
    }
    if (!unknown) this.call.leaving(`The service refused to create ${this.called} so far. The next apply tries again`);
    const { message } = error as Error;
    const age = error instanceof ApiError ? this.unreadySince(error) : undefined;
    const early = age === undefined ? "" : `; its provider was registered ${duration(age)} ago and may not be ready yet`;
    if (message !== this.refusedWith) this.say(`${message}${early}; the name is still free, trying again`);
    this.refusedWith = message;
    if (unknown) return appearing(this.call, wait, LOOK_FOR_MISSING_MS, () => this.findAfter(error));
    await this.call.pause(wait);
    return undefined;
  }

  private async find(): Promise<Live | undefined> {
    return liveUnder(this.object, await look(this.call, [this.object], this.call.lastLook(this.deadline)));
  }

  private async compare(live: Live): Promise<Comparison> {
    // Loaded here because most hooks never need the schemas.
    const { declaredWithDefaults } = await import("../declarations/declared-with-defaults");
    const { compare } = await import("./compare");
    const { type, kind } = this.object;
    const { declared } = this.request;
    const { differences, unconfirmed } = compare(kind, type, declaredWithDefaults(type, kind, declared), live);
    return { differences, unconfirmed: unconfirmed.filter((field) => field in declared) };
  }

  /** Fields whose declaration differs from that of every noted request. */
  private changedSince({ declared: sent = [] }: CreationNote): string[] {
    const changed = sent.map((noted) => changedFields(noted, this.request.declared));
    return changed.some((fields) => fields.length === 0) ? [] : (changed.at(-1) ?? []);
  }

  /** Reasons to doubt that a noted request created the live object. */
  private async doubts(live: Live, note: CreationNote): Promise<string[]> {
    const changed = this.changedSince(note);
    if (changed.length > 0) return [`since then ${enumerated(changed)} changed in the code`];
    if (live.name !== this.object.name) return [`its name is ${live.name}`];
    const released = this.context.journal.releasedAt(this.object);
    if (released !== undefined) return [`retain has left an object of this name on the service at ${released}`];
    const { differences, unconfirmed } = await this.compare(live);
    const otherwise = new Set(note.declared?.flatMap((noted) => changedFields(noted, this.request.declared)));
    const uncertain = unconfirmed.filter((field) => otherwise.has(field));
    return [
      ...differences.map((difference) => `its ${difference.field} is ${difference.live}, declared is ${difference.declared}`),
      ...(uncertain.length > 0 ? [`requests with another ${enumerated(uncertain)} were also sent`] : []),
    ];
  }

  private mismatch(found: readonly Difference[]): LifecycleError {
    const list = found.map(({ field, declared, live }) => `  ${field}: declared ${declared}, live ${live}`).join("\n");
    return new LifecycleError({
      code: "ADOPT_MISMATCH",
      objects: [this.object],
      summary: `${this.called} is on the service and differs from the declaration; nothing was changed:\n${list}`,
      remedies: [
        { code: "DECLARE_LIVE", objects: [this.object] },
        { code: "RENAME", objects: [this.object] },
      ],
      differences: found,
    });
  }

  private taken(live: Live, note: CreationNote | undefined, doubts: readonly string[] = []): LifecycleError {
    const { object } = this;
    const isRenamed = live.name !== object.name;
    const kind =
      "phase" in live
        ? `a ${live.type} cluster on provider ${live.provider || "(unknown)"}, phase ${live.phase || "(none yet)"}`
        : `a ${live.type} provider`;
    const what = isRenamed ? `${live.name}, ${kind}` : kind;
    const changed = note ? this.changedSince(note) : [];
    if (!note) this.context.journal.writeRefusal(this.object);
    const hint = note ? undefined : this.context.journal.creationHint(this.object);
    const ours = note
      ? `This stack sent a request to create it at ${note.at}, but ${doubts.join("; ")}`
      : hint &&
        `A note says that this stack sent a request to create it at ${hint.at}. That is too long ago to show that it is still this stack's`;
    // Adoption would be refused as well, because the note differs from the declaration.
    const keeping: Remedy =
      changed.length > 0
        ? decide("If the live object is from that request, declare what was sent then, apply, and change it afterwards")
        : { code: "ADOPT", objects: [{ ...object, name: live.name }], isRenamed };
    return new LifecycleError({
      code: "NAME_TAKEN",
      objects: [this.object],
      summary: `the name of ${this.called} is taken by ${what}, and nothing shows that this stack created it`,
      detail: ["Nothing was changed", ...(ours ? [ours] : [])].join(". "),
      remedies: [{ code: "RENAME", objects: [object] }, keeping],
      changed,
    });
  }

  private ghost({ at }: DeletionNote): LifecycleError {
    return new LifecycleError({
      code: "NAME_TAKEN",
      objects: [this.object],
      summary: `this stack itself has asked the service to delete ${this.called} at ${at}, and lists still show it`,
      detail: `It may be gone already, so it is not adopted. Nothing was changed. If somebody else has created it since, an apply finds that out ${duration(GHOST_MS)} after the deletion`,
      remedies: [{ code: "APPLY", when: "object is unlisted" }],
    });
  }

  private unknownOutcome(error: unknown, lookup?: unknown): LifecycleError {
    const seen = lookup
      ? `the service could not be read afterwards: ${(lookup as Error).message}`
      : "the service does not list it yet";
    return new LifecycleError({
      code: "OUTCOME_UNKNOWN",
      objects: [this.object],
      summary: `creating ${this.called} failed: ${(error as Error).message}, and ${seen}`,
      detail: "The next apply on this machine looks it up and continues",
      remedies: [{ code: "CONTINUE_ELSEWHERE", objects: [this.object] }],
      cause: error,
    });
  }

  private say(line: string): void {
    this.context.say(`${this.called}: ${line}`);
  }

  private warn(line: string): void {
    const { warn = this.context.say } = this.context;
    warn.call(this.context, `${this.called}: ${line}`);
  }
}

/** A condition that is older than the note, so the object is older than the note. */
function seenBefore(live: Live, { at }: CreationNote): string[] {
  const conditions = "conditions" in live ? live.conditions : [];
  return conditions
    .filter(({ lastTransitionTime }) => Date.parse(lastTransitionTime) < Date.parse(at) - CLOCK_SKEW_MS)
    .slice(0, 1)
    .map(({ type, lastTransitionTime }) => `it was already ${type} at ${lastTransitionTime}, by the service's clock`);
}
