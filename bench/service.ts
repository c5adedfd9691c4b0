import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { SimulatorOptions } from "../src/simulator";

export interface Call {
  readonly method: string;
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The body of a POST. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export class Service {
  /** @param options `clusters` is the number of existing clusters */
  static async start(
    options: Pick<SimulatorOptions, "provisionSeconds" | "deleteSeconds"> & { readonly clusters?: number },
  ): Promise<Service> {
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    const child = fork(join(__dirname, "programs/service.mjs"), [JSON.stringify(options)], { env, execArgv: [] });
    const started = await answerOf<{ url: string; token: string }>(child);
    return new Service(child, { CLUSTER_PLATFORM_URL: started.url, CLUSTER_PLATFORM_TOKEN: started.token });
  }

  private constructor(
    private readonly child: ChildProcess,
    /** The environment that hooks need to reach it. */
    readonly env: Readonly<Record<string, string>>,
  ) {}

  async calls(): Promise<Call[]> {
    return this.ask("requests");
  }

  /** Adds clusters of capvs with these request bodies. */
  async add(clusters: readonly unknown[]): Promise<void> {
    await this.ask({ clusters });
  }

  /** Stops the service and returns its peak resident set in MiB. */
  async stop(): Promise<number> {
    const { peakKib } = await this.ask<{ peakKib: number }>("stop");
    await once(this.child, "exit");
    return peakKib / 1024;
  }

  private async ask<T>(wish: string | object): Promise<T> {
    const answer = answerOf<T>(this.child);
    this.child.send(wish);
    return answer;
  }
}

/** Fails if the program ends first. Nothing else would keep the benchmark alive, and it would end as if it had succeeded. */
function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (status: number | null) => reject(new Error(`the service ended with ${status}`));
    child.once("exit", end);
    child.once("message", (answer) => {
      child.off("exit", end);
      resolve(answer as T);
    });
  });
}
