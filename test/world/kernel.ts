import type { Clock } from "../../src/util/clock";

/** A process of the world: a Terraform, a hook or a plugin. A dead process gets no events and has no effects. */
export class Process {
  dead: boolean;

  /** @param parent a dead process starts nothing */
  constructor(
    readonly label: string,
    readonly computer: Computer,
    parent?: Process,
  ) {
    this.dead = parent?.dead ?? false;
  }
}

/** A machine with files, on which processes run. */
export class Computer {
  /** By path. */
  readonly files = new Map<string, string>();
  /** Of the folder of the notes. A full one lets files be removed. */
  folder: "writable" | "full" | "read-only" = "writable";

  constructor(
    readonly name: string,
    /** How much its clock is ahead of the service's, in milliseconds. */
    readonly skewMs = 0,
  ) {}
}

/** Of the requests that hooks and the provider send. */
export type Method = "GET" | "POST" | "DELETE";

/** What can be seen of a process from outside. A process can be killed before each of them. */
export type Effect =
  | "starts"
  | "ends"
  | `sends ${Method}`
  | `arrives ${Method}`
  | `carried out ${Method}`
  | `answered ${Method}`
  | "writes a note"
  | "removes a note"
  | "writes the state";

/** A hook, or a request to the provider. Times are the kernel's. */
export interface TimedCall {
  /** A command of hooks, or what the provider is asked, as in `plan clusterplatform_ready`. */
  readonly what: string;
  /** The run of Terraform. */
  readonly run: number;
  readonly startedAt: number;
  /** When it was told to stop. */
  stoppedAt?: number;
  endedAt?: number;
}

interface Event {
  readonly at: number;
  readonly number: number;
  readonly owner: Process | undefined;
  act: (() => void) | undefined;
}

/** Stops a scheduled act. */
export type Cancel = () => void;

const EPOCH = Date.UTC(2026, 0, 1);
/** A run that needs more is caught in a loop. */
const MOST_EVENTS = 200_000;

/**
 * Virtual time. One event runs at a time, and then everything that it resolves, before the next event. So the owner of an event is
 * the process of everything that runs until then.
 */
export class Kernel {
  now = EPOCH;
  /** The process whose code runs now. Undefined for the service and for people. */
  current: Process | undefined;
  events = 0;
  /** Called before each effect of a process. */
  onEffect: ((what: Effect) => void) | undefined;
  /** Called with the text of each note that a process writes. */
  onNote: ((text: string, computer: Computer) => void) | undefined;
  /** Called when a hook or a request to the provider has ended by itself. */
  onCall: ((call: TimedCall) => void) | undefined;
  readonly random: () => number;
  readonly #heap: Event[] = [];
  #number = 0;
  #ids = 0;

  constructor(seed: number) {
    this.random = randomFrom(seed);
  }

  newId(): string {
    return `id-${++this.#ids}`;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)]!;
  }

  /**
   * Runs `act` later as `owner`, unless that process is dead by then.
   * @param owner undefined for what is no process, such as the service
   */
  schedule(milliseconds: number, act: () => void, owner: Process | undefined): Cancel {
    const event: Event = { at: this.now + Math.max(0, milliseconds), number: this.#number++, owner, act };
    this.#push(event);
    return () => (event.act = undefined);
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.schedule(milliseconds, resolve, this.current));
  }

  /** Tells the world what the current process is about to do. The world may kill the process here. */
  effect(what: Effect): void {
    this.onEffect?.(what);
  }

  /** Runs `act` now as another process, or as none. */
  as<T>(owner: Process | undefined, act: () => T): T {
    const { current } = this;
    this.current = owner;
    try {
      return act();
    } finally {
      this.current = current;
    }
  }

  /** Runs events until the promise settles. */
  async play<T>(promise: Promise<T>): Promise<T> {
    let isOver = false;
    const watched = promise.finally(() => (isOver = true));
    watched.catch(() => undefined);
    await settled();
    for (let count = 0; !isOver;) {
      const event = this.#pop();
      if (event === undefined) throw new Error("deadlock: everything waits, and nothing is scheduled");
      const { act, owner } = event;
      if (act === undefined || owner?.dead) continue;
      if (++count > MOST_EVENTS) throw new Error(`livelock: more than ${MOST_EVENTS} events in one run`);
      this.now = event.at;
      this.current = owner;
      this.events++;
      act();
      await settled();
    }
    this.current = undefined;
    return watched;
  }

  /** Lets time pass, with everything that is scheduled until then. */
  async pass(milliseconds: number): Promise<void> {
    await this.play(new Promise<void>((resolve) => void this.schedule(milliseconds, resolve, undefined)));
  }

  /** The clock of the computer that a process runs on. */
  clockOf({ skewMs }: Computer): Clock {
    return {
      now: () => this.now + skewMs,
      pause: (milliseconds, signal) => this.#pause(milliseconds, signal),
      after: (milliseconds, act) =>
        milliseconds === Infinity ? () => undefined : this.schedule(milliseconds, act, this.current),
    };
  }

  #pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new Error("aborted"));
      const abort = () => {
        cancel();
        reject(new Error("aborted"));
      };
      const passed = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const cancel = this.schedule(milliseconds, passed, this.current);
      signal?.addEventListener("abort", abort);
    });
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(heap[index]!, heap[parent]!)) break;
      [heap[index], heap[parent]] = [heap[parent]!, heap[index]!];
      index = parent;
    }
  }

  #pop(): Event | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || heap.length === 0) return top;
    heap[0] = last!;
    for (let index = 0; ;) {
      let least = index;
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < heap.length && isBefore(heap[child]!, heap[least]!)) least = child;
      }
      if (least === index) return top;
      [heap[index], heap[least]] = [heap[least]!, heap[index]!];
      index = least;
    }
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.number < other.number);
}

/** Node calls back when no resolved promise has anything left to run. No turn of the event loop passes. */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
