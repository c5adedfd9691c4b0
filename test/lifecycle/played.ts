import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, type Clock } from "../../src/util/clock";
import { notesFolder } from "../../src/host/notes-folder";
import type { Cancellation, Context } from "../../src/lifecycle/context";
import { createObject, type CreateRequest } from "../../src/lifecycle/create";
import type { DeleteRequest } from "../../src/lifecycle/delete";
import { Journal } from "../../src/lifecycle/journal";
import type { ObjectRef } from "../../src/model/object-ref";
import { type Simulator, startSimulator } from "../../src/simulator";
import { clusterBody } from "../support/capvs";
import { clientOf, closeAll } from "../api/service";
import { freezeLists } from "../support/service";

/** Nothing speaks against the removal. */
export const FREE: DeleteRequest["facts"] = {
  transition: "remove",
  isRetained: false,
  isAdopted: false,
  protection: "none",
  hasUnknownRetained: false,
  isSaidGone: false,
};

const prod: ObjectRef = { type: "capvs", kind: "clusters", name: "prod" };
const declared = {
  name: "prod",
  provider: "vsphere",
  "controlPlane.count": "3",
  "controlPlane.cpus": "4",
  "workers.default.count": "2",
};
export const ofProd: CreateRequest = { object: prod, body: clusterBody("prod"), declared, digest: "1", adopt: false };

/** A clock that only advances when the lifecycle pauses, so that minutes pass in no time. */
export class PlayedClock implements Clock {
  #now = Date.now();
  readonly #events: { readonly at: number; readonly act: () => unknown }[] = [];
  readonly started = this.#now;

  now(): number {
    return this.#now;
  }

  at(seconds: number, act: () => unknown): void {
    this.#events.push({ at: this.started + seconds * 1000, act });
    this.#events.sort((one, other) => one.at - other.at);
  }

  async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      signal.throwIfAborted();
      if ((this.#events[0]?.at ?? Infinity) > end) break;
      const { at, act } = this.#events.shift()!;
      this.#now = Math.max(this.#now, at);
      await act();
    }
    this.#now = end;
  }

  /** In real time. */
  readonly after = systemClock.after;

  get seconds(): number {
    return (this.#now - this.started) / 1000;
  }
}

export function cancelledBy(signal: AbortSignal): Cancellation {
  return {
    signal,
    requestSignal: signal,
    get interruptedBy() {
      return signal.reason as string | undefined;
    },
  };
}

/** The embedded service and the lifecycle with a clock of the test's. */
export class Played {
  static async open(): Promise<Played> {
    return new Played(await startSimulator({ token: "test-token-1", provisionSeconds: 0, deleteSeconds: 0 }));
  }

  readonly clock = new PlayedClock();
  readonly said: string[] = [];
  readonly cancel = new AbortController();
  readonly context: Context;
  readonly folder = mkdtempSync(join(tmpdir(), "lifecycle-"));
  private readonly stale: (() => void)[] = [];
  private runs = 0;

  private constructor(readonly simulator: Simulator) {
    const client = clientOf(simulator.url);
    this.context = {
      client,
      lookup: client,
      clock: this.clock,
      journal: this.journal(),
      times: { createSeconds: 600, readySeconds: 600, deleteSeconds: 600, pollSeconds: 5 },
      cancellation: cancelledBy(this.cancel.signal),
      say: (line) => this.said.push(line),
    };
  }

  /** The notes as another workspace or another run of Terraform sees them. */
  journal(workspace = "default", run = "this"): Journal {
    return new Journal({ notes: notesFolder(this.folder), url: this.simulator.url, workspace, run }, this.clock);
  }

  /** In a run of its own. */
  create(request: CreateRequest): Promise<void> {
    return createObject({ ...this.context, journal: this.journal("default", `run ${++this.runs}`) }, request);
  }

  /** Both lists stay as they are until {@link showLists}. */
  async freezeLists(): Promise<void> {
    this.stale.push(await freezeLists(this.simulator));
  }

  showLists(): void {
    this.stale.splice(0).forEach((show) => show());
  }

  get writes(): string[] {
    return this.simulator.requests.filter(({ method }) => method !== "GET").map(({ method }) => method);
  }

  async close(): Promise<void> {
    await closeAll();
    await this.simulator.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
