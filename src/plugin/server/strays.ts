import { AsyncLocalStorage } from "node:async_hooks";
import type { Log } from "../protocol/log";

/**
 * Errors that are thrown outside of the promise of a request's handler, in a timer or an event for example. Node would end the
 * process for them. Here, the request fails that has started what threw, since its handler may wait for it for ever;
 * where that cannot be told, the error is in the log alone.
 */
export class Strays {
  readonly #requests = new AsyncLocalStorage<(error: unknown) => void>();

  constructor(private readonly log: Log) {}

  watch(): this {
    for (const event of ["uncaughtException", "unhandledRejection"] as const) {
      process.on(event, (error: unknown) => {
        this.log.error(`${event}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        this.#requests.getStore()?.(error);
      });
    }
    return this;
  }

  /** Does `work`, and fails also when something that it has started throws. */
  attributed<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#requests.run(reject, () => void work().then(resolve, reject));
    });
  }
}
