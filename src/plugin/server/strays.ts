import { AsyncLocalStorage } from "node:async_hooks";
import type { Log } from "../protocol/log";

/**
 * Catches errors outside of the promise of a request's handler, for example in a timer. Without it, Node would end the process.
 * The request that has caused the error fails, because its handler might wait forever. An error of no known request is only
 * logged.
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

  /** Rejects also if a timer or event that `work` has started throws. */
  attributed<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#requests.run(reject, () => void work().then(resolve, reject));
    });
  }
}
