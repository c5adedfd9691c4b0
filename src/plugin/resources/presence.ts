import { appearing } from "../../lifecycle/absence";
import { Call } from "../../lifecycle/call";
import type { Context } from "../../lifecycle/context";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { liveUnder, look, type Live, type Lists } from "../../lifecycle/live";
import { CONFIRM_ABSENT_MS, LOOK_FOR_MISSING_MS, MISSING_MS } from "../../lifecycle/windows";
import { called } from "../../lifecycle/wording";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";

/** For how long all reads of a run share one look. A process that lives longer than a plan looks anew. */
const LOOK_KEPT_MS = 5 * 60_000;
const BOTH_KINDS = (["providers", "clusters"] as const).map((kind) => ({ type: "capvs" as const, kind, name: "" }));

/**
 * Whether the objects that Terraform's state has are on the service. An object that is taken to be gone is planned for
 * creation, so all of this must hold before:
 *
 * - The service is the one that the state names for the object.
 * - Every look of ten seconds lacks the object. All objects share these looks, which begin only when one is missing.
 * - Something shows that this is the right service: it has another object that the state has, or a deletion of this one
 *   was sent there.
 *
 * A person may say instead that what is missing is gone (CLUSTER_PLATFORM_ACCEPT_GONE).
 */
export class Presence {
  #first: { readonly at: number; readonly lists: Promise<Lists> } | undefined;
  #window: Promise<Window> | undefined;
  /** Objects of the state, by id, that this process has found on the service which the state names for them. */
  readonly #witnesses = new Set<string>();

  constructor(
    private readonly context: Context,
    private readonly acceptGone: boolean,
  ) {}

  /** Both lists, by the look that all reads share. */
  lists(): Promise<Lists> {
    return this.#look();
  }

  /** What lives under the name of an object, by the same look. */
  async find(object: ObjectRef): Promise<Live | undefined> {
    return liveUnder(object, await this.#look());
  }

  /** Whether anything lives under an exact name, which may be a name alone or `type/kind/name`. */
  async has(exact: string): Promise<boolean> {
    const lists = await this.#look();
    const object = parseObjectId(exact);
    if (object) return liveUnder(object, lists) !== undefined;
    return lists.clusters!.find(exact) !== undefined || lists.providers!.all().some(({ name }) => name === exact);
  }

  /**
   * What lives under the name of an object that the state has; undefined where it is gone.
   *
   * @param service that the state names, where it names one
   * @throws OBJECT_MISSING where it is missing, and nothing proves that it is gone
   */
  async read(object: ObjectRef, service: string | null): Promise<Live | undefined> {
    const found = await this.find(object);
    if (found) {
      if (service === this.context.client.url && found.type === object.type) this.#witnesses.add(idOf(object));
      return found;
    }
    if (service !== null && service !== this.context.client.url && !this.acceptGone)
      throw this.#ofAnotherService(object, service);
    this.#window ??= this.#watch();
    const late = liveUnder(object, (await this.#window).listsWith(object));
    if (late) return late;
    if (this.acceptGone) return undefined;
    if (service === null) throw this.#ofUnknownService(object);
    if (!this.#isRightService(object)) throw this.#unproven(object);
    return undefined;
  }

  /** This process has changed something, so that the next look must be a new one. */
  changed(): void {
    this.#first = undefined;
    this.#window = undefined;
  }

  #isRightService(object: ObjectRef): boolean {
    return [...this.#witnesses].some((id) => id !== idOf(object)) || this.context.journal.wasDeletionSent(object);
  }

  #look(): Promise<Lists> {
    const now = this.context.clock.now();
    if (this.#first === undefined || now - this.#first.at > LOOK_KEPT_MS) {
      this.#first = { at: now, lists: Call.run(this.context, [], (call) => look(call, BOTH_KINDS, Infinity)) };
      this.#window = undefined;
    }
    return this.#first.lists;
  }

  /** Looks on for ten seconds, or twice where a person says that what is missing is gone. */
  async #watch(): Promise<Window> {
    const window = new Window(await this.#look());
    await Call.run(this.context, [], (call) =>
      appearing(call, this.acceptGone ? CONFIRM_ABSENT_MS : MISSING_MS, LOOK_FOR_MISSING_MS, async () => {
        window.add(await look(call, BOTH_KINDS, Infinity));
        return undefined;
      }),
    );
    return window;
  }

  #ofAnotherService(object: ObjectRef, service: string): LifecycleError {
    return this.#missing(
      object,
      `${called(object)} is not on the service at ${this.context.client.url}, and the state has it from ${service}`,
    );
  }

  #ofUnknownService(object: ObjectRef): LifecycleError {
    return this.#missing(
      object,
      `${called(object)} is not on the service at ${this.context.client.url}, and the state does not say which service has it`,
    );
  }

  #unproven(object: ObjectRef): LifecycleError {
    return this.#missing(
      object,
      `${called(object)} is not on the service at ${this.context.client.url}, and this run has found nothing else there that the state has. Is it the right one?`,
    );
  }

  #missing(object: ObjectRef, summary: string): LifecycleError {
    return new LifecycleError({
      code: "OBJECT_MISSING",
      objects: [object],
      summary,
      detail: "Nothing is planned for it, and Terraform keeps it in its state",
      remedy: `Correct the service's URL, or, if it is really gone, ${this.context.remedies.acceptGone}`,
    });
  }
}

/** What several looks in a row have shown. */
class Window {
  /** Only the looks that show a name which those before lack: a list may hold thousands of objects. */
  readonly #looks: Lists[];
  readonly #names: Set<string>;

  constructor(first: Lists) {
    this.#looks = [first];
    this.#names = new Set(namesIn(first));
  }

  add(lists: Lists): void {
    const fresh = namesIn(lists).filter((name) => !this.#names.has(name));
    if (fresh.length === 0) return;
    fresh.forEach((name) => this.#names.add(name));
    this.#looks.push(lists);
  }

  /** The latest look that shows the object, or any where none does. */
  listsWith(object: ObjectRef): Lists {
    return this.#looks.findLast((lists) => liveUnder(object, lists) !== undefined) ?? this.#looks[0]!;
  }
}

function namesIn({ clusters, providers }: Lists): string[] {
  return [...clusters!.names(), ...providers!.all().map(({ type, name }) => `${type}/${name}`)];
}
