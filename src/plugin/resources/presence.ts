import { type AbsenceOutcome, type AbsenceRefusal, decideAbsence, possibleAbsences } from "../../decision/platform";
import { UNSEEN } from "../../decision/possible";
import { appearing } from "../../lifecycle/absence";
import { Call } from "../../lifecycle/call";
import type { Context } from "../../lifecycle/context";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { BOTH_KINDS, clustersOn, isLeaving, liveUnder, look, namingNothing, type Live, type Lists } from "../../lifecycle/live";
import { suggestionFor, type FoundProvider } from "../../lifecycle/provider-needs";
import type { Remedy } from "../../lifecycle/remedy";
import { LOOK_FOR_MISSING_MS, MISSING_MS } from "../../lifecycle/times";
import { describeObject } from "../../lifecycle/wording";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";

/** How long all reads of a run share one pair of lists, in milliseconds. Longer than a plan takes. */
const LOOK_KEPT_MS = 5 * 60_000;

/**
 * Finds out whether the objects in Terraform's state are still on the service. Terraform plans to create a missing object, so all
 * of these conditions must hold before an object counts as gone:
 *
 * - The state names this service for the object.
 * - No list of ten seconds shows the object. All missing objects share this window, which starts with the first of them.
 * - Something proves that this is the right service: it has another object of the state. If it has none, a deletion of this
 *   object that was sent to it counts for a week.
 *
 * CLUSTER_PLATFORM_ACCEPT_GONE overrides the first and the last condition.
 */
export class Presence {
  #first: { readonly at: number; readonly lists: Promise<Lists> } | undefined;
  /** The lists of ten seconds. */
  #window: Promise<readonly Lists[]> | undefined;
  /** For messages, so that thousands of missing objects look once. */
  #absent: Promise<readonly ObjectRef[]> | undefined;
  /** Ids of objects that this process has found on the service that the state names for them. */
  readonly #witnesses = new Set<string>();

  constructor(
    private readonly context: Context,
    /** Ids. */
    private readonly gone: ReadonlySet<string>,
    /** Ids of the objects that the code declares. */
    private readonly declared: readonly string[],
  ) {}

  /** Also finds an object that only a later list has, if this run has polled for missing objects. */
  async find(object: ObjectRef): Promise<Live | undefined> {
    return liveUnder(object, await this.#look()) ?? (this.#window && latest(object, await this.#window));
  }

  /** What the last list of ten seconds shows. */
  async findLater(object: ObjectRef): Promise<Live | undefined> {
    return liveUnder(object, await this.#lookLater());
  }

  /** Like {@link findLater} for a provider that a cluster names. */
  async findProvider(provider: ObjectRef): Promise<FoundProvider> {
    const live = (await this.find(provider)) ?? (await this.findLater(provider));
    if (live?.name === provider.name) return { live, suggestion: "" };
    return { live: undefined, suggestion: suggestionFor(provider, await this.#look()) };
  }

  /** The clusters on the provider. */
  async usersOf(provider: ObjectRef): Promise<readonly ObjectRef[]> {
    return clustersOn(provider, (await this.#look()).clusters!);
  }

  /** Those on the provider that the last list of ten seconds shows, and that the service is not deleting. */
  async usersLater(provider: ObjectRef): Promise<readonly ObjectRef[]> {
    return clustersOn(provider, (await this.#lookLater()).clusters!, (user) => !isLeaving(user));
  }

  /** See {@link namingNothing}. */
  namingNothing(retain: readonly string[], declared: readonly string[]): Promise<readonly string[]> {
    return namingNothing(retain, declared, () => this.#look());
  }

  /**
   * Undefined if the object is gone.
   * @param service of the object in the state
   * @param uid of the object in the state
   * @throws OBJECT_MISSING if the object is missing and nothing proves that it is gone
   */
  async read(object: ObjectRef, service: string, uid: string): Promise<Live | undefined> {
    const isThisOne = service === this.context.client.url;
    const seen = (live: Live) => {
      if (isThisOne && live.type === object.type) this.#witnesses.add(idOf(object));
      return live;
    };
    const found = liveUnder(object, await this.#look());
    if (found) return seen(found);
    const facts = {
      service: isThisOne ? "this one" : "another",
      isSaidGone: this.gone.has(idOf(object)),
      isSeen: false,
    } as const;
    // The lists of another service need no second look.
    const isElsewhere = possibleAbsences({ ...facts, hasWitness: UNSEEN, isDeletionNoted: UNSEEN }).find(isAnotherService);
    if (isElsewhere) throw await this.#missing(object, isElsewhere, service);
    const late = latest(object, await this.#watch());
    if (late) return seen(late);
    const hasWitness = [...this.#witnesses].some((id) => id !== idOf(object));
    const isDeletionNoted = this.context.journal.of(object).wasDeletionSent(uid);
    const outcome = decideAbsence({ ...facts, hasWitness, isDeletionNoted });
    if (outcome.happens === "REFUSED") throw await this.#missing(object, outcome, service);
    return undefined;
  }

  changed(): void {
    this.#first = undefined;
    this.#window = undefined;
    this.#absent = undefined;
  }

  #look(): Promise<Lists> {
    const now = this.context.clock.now();
    if (this.#first === undefined || now - this.#first.at > LOOK_KEPT_MS) {
      this.changed();
      this.#first = { at: now, lists: Call.run(this.context, [], (call) => look(call, BOTH_KINDS, Infinity)) };
    }
    return this.#first.lists;
  }

  async #lookLater(): Promise<Lists> {
    return (await this.#watch()).at(-1)!;
  }

  #watch(): Promise<readonly Lists[]> {
    return (this.#window ??= this.#lookRepeatedly());
  }

  async #lookRepeatedly(): Promise<readonly Lists[]> {
    this.#absent = undefined;
    const seen = [await this.#look()];
    await Call.run(this.context, [], (call) =>
      appearing(call, MISSING_MS, LOOK_FOR_MISSING_MS, async () => {
        seen.push(await look(call, BOTH_KINDS, Infinity));
        return undefined;
      }),
    );
    return seen;
  }

  /** What the lists lack of the objects that the code declares or that a person has said to be gone. */
  async #findAbsent(): Promise<readonly ObjectRef[]> {
    const known = [...new Set([...this.gone, ...this.declared])].map((id) => parseObjectId(id)!);
    const found = await Promise.all(known.map((object) => this.find(object)));
    return known.filter((_, index) => found[index] === undefined);
  }

  async #missing(object: ObjectRef, refusal: AbsenceRefusal, service: string): Promise<LifecycleError> {
    // The next run would refuse one of the others, because nothing else of the state is there.
    const others = (await (this.#absent ??= this.#findAbsent())).filter((other) => idOf(other) !== idOf(object));
    return new LifecycleError({
      code: "OBJECT_MISSING",
      objects: [object],
      summary: `${describeObject(object)} is not on the service at ${this.context.client.url}, and ${whyNotGone(refusal, service)}`,
      detail: "Nothing is planned for it, and Terraform keeps it in its state",
      remedies: refusal.remedies.map((code): Remedy => {
        return code === "ACCEPT_GONE" ? { code, objects: [object, ...others], orNeverCreated: others.length > 0 } : { code };
      }),
    });
  }
}

/** As the end of a sentence. */
function whyNotGone({ because }: AbsenceRefusal, service: string): string {
  return because === "another service"
    ? `the state names ${service} as its service`
    : "nothing that Terraform has read before it proves that this is the right service";
}

function isAnotherService(outcome: AbsenceOutcome): outcome is AbsenceRefusal {
  return outcome.happens === "REFUSED" && outcome.because === "another service";
}

/** What the latest of the lists that show the object has. */
function latest(object: ObjectRef, lists: readonly Lists[]): Live | undefined {
  return lists.reduce<Live | undefined>((live, each) => liveUnder(object, each) ?? live, undefined);
}
