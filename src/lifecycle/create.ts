import { isAmbiguous } from "../api/client";
import {
  type CreationFacts,
  type CreationOutcome,
  type CreationRefusal,
  decideCreation,
  type LiveUnderName,
} from "../decision/creation";
import type { FlatDeclaration } from "../declarations/declaration";
import { ApiError } from "../model/errors";
import type { ObjectRef } from "../model/object-ref";
import { isPlainObject } from "../util/prop-path";
import type { JsonObject } from "../model/provider-type";
import { appearing } from "./absence";
import { Call } from "./call";
import type { Comparison } from "./compare";
import type { Context } from "./context";
import { type Creating, sighting, type Sighting } from "./creation-facts";
import { changedSinceNote } from "./fingerprint";
import { LifecycleError } from "./lifecycle-error";
import { isLeaving, isSuccessor, liveNamed, liveUnder, look, type Live } from "./live";
import { isAfter, type SentCreate } from "./object-record";
import { correctName, findProvider, type FoundProvider } from "./provider-needs";
import { refusedCreation } from "./refused-creation";
import { LEAST_ATTEMPT_MS, LONGEST_BACKOFF_MS, LOOK_FOR_MISSING_MS, MISSING_MS, SETTLING_INVALID_MS, SETTLING_MS } from "./times";
import { unofferedLiveVersion } from "./unoffered-version";
import { describeObject, duration, unchecked } from "./wording";

/** Statuses that say that nothing was done and that a later attempt may succeed. */
const REFUSED_FOR_NOW = new Set([409, 425, 429, 503]);
/** How often a request with an unknown outcome is repeated. Before each repetition the name is still free. */
const REPEATS_AFTER_UNKNOWN = 2;

export interface CreateRequest {
  readonly object: ObjectRef;
  /** Secrets included. */
  readonly body: JsonObject;
  /** The declaration, flat, without defaults and secrets. */
  readonly declared: FlatDeclaration;
  /** A digest of the declaration, which a deletion compares with what the code declares. */
  readonly digest: string;
  /** Whether an existing object with the name may be adopted. */
  readonly adopt: boolean;
  /** See {@link CreationFacts.isTemporary}. @default false */
  readonly isTemporary?: boolean;
  /** Whether a cluster names its provider, so that this stack does not register it. */
  readonly byName?: boolean;
}

/**
 * Creates an object, adopts it if that is allowed, or recognizes it as created by an interrupted apply. Does not wait until a
 * cluster is ready, so a slow cluster never fails a create.
 */
export function createObject(context: Context, request: CreateRequest): Promise<void> {
  return Call.run(context, [request.object], (call) => new Creation(call, request).carryOut());
}

type Known = Pick<Creating, "notedAt" | "wasFree" | "isAdopted"> & Required<Pick<Creating, "makers">>;

interface Decided {
  readonly happens: Exclude<CreationOutcome, CreationRefusal>["happens"];
  readonly seen: Sighting;
}

class Creation {
  private readonly context: Context;
  private readonly object: ObjectRef;
  private readonly called: string;
  /** The object itself, or the provider of the cluster. */
  private readonly provider: ObjectRef;
  /** Of all attempts of the request together. {@link Call.lastLook} lets a look end later. */
  private deadline = 0;
  /** The creates that this one has noted. */
  private readonly sent: SentCreate[] = [];
  private refusals = 0;
  private unknownOutcomes = 0;
  private refusedWith = "";

  constructor(
    private readonly call: Call,
    private readonly request: CreateRequest,
  ) {
    this.context = call.context;
    this.object = request.object;
    this.called = describeObject(this.object);
    const { type, kind, name } = this.object;
    this.provider = { type, kind: "providers", name: kind === "providers" ? name : request.declared.provider! };
    this.restartDeadline();
  }

  private restartDeadline(): void {
    this.deadline = this.call.now() + this.context.times.createSeconds * 1000;
  }

  async carryOut(): Promise<void> {
    const { journal } = this.context;
    const record = journal.of(this.object);
    if (record.isOfAnotherInstance()) await this.refuseSecondInstance();
    const { makers } = record;
    // Without makers, a noted request proves nothing, but a list may still lack what it has made.
    const noted = makers.length > 0 ? makers : record.facts.creates;
    const isContradicted =
      noted.length > 0 && noted.every(({ declared }) => changedSinceNote(declared, this.request.declared).length > 0);
    if (isContradicted) journal.contradictionBegins(this.object);
    let isCreated = false;
    try {
      await this.createOrAdopt(makers, noted[0]?.sentAt ?? record.facts.leftAt);
      isCreated = true;
    } finally {
      // Terraform taints the instance of a create that fails, unless it is killed at an interruption.
      if (isCreated || !this.context.cancellation.interruptedBy) journal.contradictionEnds(this.object);
    }
  }

  /**
   * Looks for nothing, because the run may end during a look. The next run could not tell the instances apart.
   * @throws NAME_TAKEN
   */
  private async refuseSecondInstance(): Promise<void> {
    await this.decideOnce(undefined, { makers: [], isAdopted: this.request.adopt });
  }

  private async createOrAdopt(makers: readonly SentCreate[], notedAt: string | undefined): Promise<void> {
    const { happens, seen } = await this.decide(await this.find(), () => this.find(), {
      makers,
      notedAt,
      isAdopted: this.request.adopt,
    });
    if (happens === "ADOPT") return this.adopt(seen);
    if (happens === "CONTINUE") return this.continueWith(makers);
    if (this.request.adopt) this.say("nothing to adopt, because the name is free; creating it");
    this.say(
      "creating; if this run is interrupted, the service may still create the object, and the next apply continues with it",
    );
    this.restartDeadline();
    const reply = await this.send();
    this.noteUnready(reply);
    this.say(`created after ${this.call.elapsed()}`);
  }

  /**
   * Asks {@link decideCreation}, and looks as long as it says.
   * @param live what the last look has found
   * @throws NAME_TAKEN, ADOPT_MISMATCH, DELETE_TIMEOUT
   */
  private async decide(live: Live | undefined, find: () => Promise<Live | undefined>, known: Known): Promise<Decided> {
    const looked = new Set<LiveUnderName>();
    for (let current = live; ;) {
      const { happens, seen } = await this.decideOnce(current, known, looked);
      if (happens !== "LOOK") return { happens, seen };
      looked.add(seen.facts.live);
      current = await this.lookAgain(seen.facts.live, current, find, known);
    }
  }

  private async decideOnce(live: Live | undefined, known: Known, looked?: ReadonlySet<LiveUnderName>): Promise<Decided> {
    const { object, context } = this;
    const { declared, isTemporary } = this.request;
    const comparison = live && (await this.compare(live));
    const creating = { ...known, object, live, declared, isTemporary, comparison, sent: this.sent, looked };
    const seen = sighting(context, creating);
    const outcome = decideCreation(seen.facts as CreationFacts);
    if (outcome.happens !== "REFUSED") return { happens: outcome.happens, seen };
    if (outcome.because === "declared twice") context.journal.contest(object);
    if (outcome.because === "taken" && known.makers.length === 0) context.journal.nameTaken(object);
    throw refusedCreation(outcome, creating, seen, { waited: this.call.elapsed() });
  }

  /**
   * @param why what the last look has shown, if lists of a longer time must tell more
   * @returns what has the name then
   */
  private async lookAgain(
    why: LiveUnderName,
    live: Live | undefined,
    find: () => Promise<Live | undefined>,
    { makers, notedAt }: Pick<Known, "makers" | "notedAt">,
  ): Promise<Live | undefined> {
    const { journal, times } = this.context;
    let last = live;
    const until = (isOver: () => boolean) => async () => {
      last = await find();
      return isOver() || undefined;
    };
    if (why === "perhaps late") {
      this.say(`a note of ${notedAt} says that the service may have it; polling for it for ${duration(MISSING_MS)}`);
      await appearing(
        this.call,
        MISSING_MS,
        LOOK_FOR_MISSING_MS,
        until(() => last !== undefined),
      );
    } else if (why === "leaving") {
      const limit = times.deleteSeconds * 1000;
      this.say(`the service is deleting a ${live!.type} cluster of this name; waiting for its end, ${duration(limit)} at most`);
      this.call.leaving(`Nothing was sent to create ${this.called}. The next apply creates it`);
      await appearing(
        this.call,
        limit,
        times.pollSeconds * 1000,
        until(() => {
          if (!last || !isLeaving(last)) return true;
          journal.stillListed(this.object);
          return false;
        }),
      );
    } else {
      // Perhaps deleted.
      const deletion = journal.of(this.object).recentDeletion()!;
      this.say(`this stack has asked the service to delete it at ${deletion.at}; polling for ${duration(MISSING_MS)}`);
      // If a request was sent since, only the list at the end of these seconds shows what it has made.
      const isCreatedSince = isAfter(makers, deletion);
      const isOver = () => !isCreatedSince && (!last || isSuccessor(last, deletion, this.call.now()));
      await appearing(this.call, MISSING_MS, LOOK_FOR_MISSING_MS, until(isOver));
    }
    return last;
  }

  private continueWith([first]: readonly SentCreate[]): void {
    this.context.journal.createFound(this.object, this.request.declared);
    this.noteUnready(undefined);
    // Notes have no secrets, so it is not known whether they have changed.
    const secrets = this.object.kind === "providers" ? ", with the credentials that were sent then" : "";
    this.warn(`created by an earlier apply that was interrupted at ${first!.sentAt}; continuing with it${secrets}`);
  }

  private async adopt({ facts, unconfirmed }: Sighting): Promise<void> {
    this.context.journal.adopted(this.object, facts.claim === "doubtful");
    this.warn(`adopted; ${unconfirmed.length === 0 ? "it matches the declaration" : unchecked(unconfirmed)}`);
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
    this.context.journal.registered(this.provider);
  }

  /**
   * How long ago the cluster's provider was registered, in milliseconds. Undefined if that cannot be the reason of the refusal.
   */
  private unreadySince({ status }: ApiError): number | undefined {
    const at = this.object.kind === "clusters" ? this.context.journal.of(this.provider).facts.registeredAt : undefined;
    const age = at === undefined ? undefined : this.call.now() - Date.parse(at);
    // A note from the future comes from another machine, or the clock was set.
    return age !== undefined && age >= 0 && age < (status === 400 ? SETTLING_INVALID_MS : SETTLING_MS) ? age : undefined;
  }

  /** Whether a later attempt may succeed. The interface does not say how a service refuses while a provider is not ready. */
  private isRefusedForNow(error: unknown): error is ApiError {
    if (!(error instanceof ApiError)) return false;
    const isRefusal = error.status >= 400 && error.status < 500 && ![401, 403, 408].includes(error.status);
    return REFUSED_FOR_NOW.has(error.status) || (isRefusal && this.unreadySince(error) !== undefined);
  }

  /**
   * A refusal that may end, as while a provider is not ready, is repeated until the deadline. A request with an unknown outcome is
   * repeated {@link REPEATS_AFTER_UNKNOWN} times. Everything else ends the create.
   * @returns the service's reply. Undefined if the answer was lost
   */
  private async send(): Promise<unknown> {
    const { journal, times } = this.context;
    for (;;) {
      const sent = journal.createSent(this.object, this.request, times.createSeconds);
      this.sent.push(sent);
      this.call.leaving(`The service may still be creating ${this.called}. The next apply on this machine continues with it`, {
        code: "CONTINUE_ELSEWHERE",
        objects: [this.object],
      });
      try {
        const reply = await this.post();
        journal.createAnswered(this.object, sent);
        return reply;
      } catch (error) {
        if ((await this.afterFailure(error, sent)) === "repeat") continue;
        journal.createFound(this.object, this.request.declared, sent);
        this.warn(`the answer was lost (${(error as Error).message}), but the service has it`);
        return undefined;
      }
    }
  }

  /**
   * Looks whether the service has created the object although the request failed, and waits before a repetition.
   * @throws if it has not, and the request must not be repeated
   */
  private async afterFailure(error: unknown, sent: SentCreate): Promise<"created" | "repeat"> {
    const { journal, cancellation } = this.context;
    // Immediately, because the call may end at any time, and an object that the next apply finds is not from this request.
    if (!isAmbiguous(error)) journal.createRefused(this.object, sent);
    const isForNow = this.isRefusedForNow(error);
    // Nothing is sent again, because later applies may have created the object and deleted it.
    if (cancellation.interruptedBy && (isAmbiguous(error) || isForNow)) throw this.call.cancelled();
    if (!isAmbiguous(error) && !isForNow) throw await this.withReason(error);
    const known = { makers: journal.of(this.object).late, wasFree: true, isAdopted: false };
    const find = () => this.findAfter(error);
    const { happens } = await this.decide(await find(), find, known);
    if (happens === "CONTINUE") return "created";
    if (!isForNow) this.unknownOutcomes++;
    if (this.unknownOutcomes > REPEATS_AFTER_UNKNOWN) throw this.unknownOutcome(error);
    const later = await this.decide(await this.waitBeforeRepeat(error, known.makers.length > 0), find, known);
    return later.happens === "CONTINUE" ? "created" : "repeat";
  }

  /** A cluster may be refused because its provider is not on the service. */
  private async withReason(refusal: unknown): Promise<unknown> {
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
      summary: `${refusal.message}; there is no ${describeObject(provider)} on the service${found.suggestion}`,
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
   * @param mayStillCome whether a request may still be carried out, so that the object is polled for
   * @returns the object, if it appears
   */
  private async waitBeforeRepeat(error: unknown, mayStillCome: boolean): Promise<Live | undefined> {
    const backOff = Math.min(this.context.times.pollSeconds * 1000 * 2 ** this.refusals++, LONGEST_BACKOFF_MS);
    const asked = (error instanceof ApiError && error.retryAfterMs) || 0;
    // A 409 may say that the name is taken by an object that lists do not show yet.
    const mayAppear = mayStillCome || (error instanceof ApiError && error.status === 409);
    const wait = Math.max(backOff, asked, mayAppear ? MISSING_MS : 0);
    if (this.call.now() + wait + LEAST_ATTEMPT_MS > this.deadline) throw await this.outOfTime(error, mayStillCome);
    if (!mayStillCome) this.call.leaving(`The service refused to create ${this.called} so far. The next apply tries again`);
    const { message } = error as Error;
    const age = error instanceof ApiError ? this.unreadySince(error) : undefined;
    const early = age === undefined ? "" : `; its provider was registered ${duration(age)} ago and may not be ready yet`;
    if (message !== this.refusedWith) this.say(`${message}${early}; the name is still free, trying again`);
    this.refusedWith = message;
    if (mayAppear) return appearing(this.call, wait, LOOK_FOR_MISSING_MS, () => this.findAfter(error));
    await this.call.pause(wait);
    return undefined;
  }

  /** A refusal while the provider may not be ready is an answer, whatever an earlier request has done. */
  private async outOfTime(error: unknown, mayStillCome: boolean): Promise<unknown> {
    const isAnswer = !isAmbiguous(error) && !REFUSED_FOR_NOW.has((error as ApiError).status);
    return mayStillCome && !isAnswer ? this.unknownOutcome(error) : await this.withReason(error);
  }

  private async find(): Promise<Live | undefined> {
    return liveUnder(this.object, await look(this.call, [this.object], this.call.lastLook(this.deadline)));
  }

  private async compare(live: Live): Promise<Comparison> {
    // Loaded here because most hooks never need the schemas.
    const { compareKnown } = await import("./compare");
    const { type, kind } = this.object;
    return compareKnown(kind, type, this.request.declared, live);
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
