import type { ClusterList, ProviderList, RequestOptions } from "../../api/client";
import type { Lookup } from "../../lifecycle/context";
import type { Clock } from "../../util/clock";
import { DeadlineError, InterruptedError } from "../../model/errors";

/**
 * Callers that wait at the same time share one request. A caller never gets a list that was requested before its call. The
 * time limit and the signal of a caller end its wait. They do not end the shared request.
 */
export class SharedLists implements Lookup {
  private readonly clusters: Shared<ClusterList>;
  private readonly providers: Shared<ProviderList>;

  constructor(source: Lookup, clock: Clock) {
    this.clusters = new Shared("the list of clusters", () => source.listClusters({}), clock);
    this.providers = new Shared("the list of providers", () => source.listProviders({}), clock);
  }

  listClusters(options: RequestOptions): Promise<ClusterList> {
    return this.clusters.get(options);
  }

  listProviders(options: RequestOptions): Promise<ProviderList> {
    return this.providers.get(options);
  }
}

class Shared<List> {
  /** Settles when the running request has ended, with or without success. */
  #running: Promise<unknown> = Promise.resolve();
  /** The request that has not started yet. */
  #next: Promise<List> | undefined;

  constructor(
    private readonly what: string,
    private readonly ask: () => Promise<List>,
    private readonly clock: Clock,
  ) {}

  get(options: RequestOptions): Promise<List> {
    this.#next ??= this.#after(this.#running);
    return this.#within(this.#next, options);
  }

  async #after(running: Promise<unknown>): Promise<List> {
    await running;
    // Callers of the same turn of the event loop join this request.
    await this.clock.pause(0);
    this.#next = undefined;
    const list = this.ask();
    this.#running = list.catch(() => {});
    return list;
  }

  async #within(list: Promise<List>, { signal, limitMs = Infinity }: RequestOptions): Promise<List> {
    let expire: (() => void) | undefined;
    let stop: (() => void) | undefined;
    const end = new Promise<never>((_, reject) => {
      stop = () => reject(new InterruptedError("GET", this.what, "interrupted before it had an answer", false));
      if (signal?.aborted) stop();
      signal?.addEventListener("abort", stop);
      const late = () => reject(new DeadlineError("GET", this.what, "timed out before it had an answer", false));
      expire = this.clock.after(Math.max(0, limitMs), late);
    });
    try {
      return await Promise.race([end, list]);
    } finally {
      expire?.();
      signal?.removeEventListener("abort", stop!);
    }
  }
}
