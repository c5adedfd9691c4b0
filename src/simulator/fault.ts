import * as z from "zod/mini";
import { FAULT_KINDS } from "./fault-kinds";

/** The requests that a fault applies to. */
export interface FaultTarget {
  /** The method, in capitals. @default - any */
  readonly method?: string;
  /** The beginning of the encoded path, or an expression that it matches. @default - any */
  readonly path?: string | RegExp;
  /** How many requests the fault applies to. @default - no limit */
  readonly times?: number;
  /** How many matching requests pass first. @default 0 */
  readonly skip?: number;
  /** Whether the fault applies before or after the service handles the request. @default - "before" if the kind allows it */
  readonly when?: "before" | "after";
}

/** The effect of a fault on a request. */
export type FaultEffect =
  /** Answers with this status instead of the real answer. */
  | {
      readonly kind: "status";
      readonly status: number;
      /** The value of the `Retry-After` header. */
      readonly retryAfterSeconds?: number;
      /** Sent as JSON. @default - an error body */
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Cuts the connection without an answer. */
  | { readonly kind: "drop" }
  /** Handles the request, sends half of the answer, and cuts the connection. */
  | { readonly kind: "cut" }
  /** Sends no answer and keeps the connection open until either side ends. */
  | { readonly kind: "hang" }
  /** Delays the real answer. */
  | { readonly kind: "slow"; readonly seconds: number }
  /** Answers 200 with the content type JSON and a body that is not JSON. */
  | { readonly kind: "garbage" }
  /** Handles the request and sends the first half of the JSON as a complete HTTP body. */
  | { readonly kind: "truncated" }
  /** Answers with an HTML page as a proxy does. The default status is 200. */
  | { readonly kind: "html"; readonly status?: 200 | 404 | 502 }
  /** Answers with a list of clusters whose count exceeds its items. */
  | { readonly kind: "partial-list" };

/** A failure to inject. */
export type Fault = FaultTarget & FaultEffect;

const target = {
  method: z.optional(z.string().check(z.regex(/^[A-Z]+$/, "be in capitals"))),
  path: z.optional(
    z.custom<FaultTarget["path"]>((path) => path instanceof RegExp || String(path).startsWith("/"), "begin with /"),
  ),
  times: z.optional(z.int().check(z.minimum(1, "be at least 1"))),
  skip: z.optional(z.int().check(z.minimum(0, "be at least 0"))),
  when: z.optional(z.enum(["before", "after"], "be before or after")),
};

const KINDS = Object.keys(FAULT_KINDS);
const schemas = Object.entries(FAULT_KINDS).map(([kind, { fields }]) =>
  z.strictObject({ kind: z.literal(kind), ...target, ...fields }),
);

/** @internal Parses faults from the control endpoint and the command line. */
export const faultSchema = z.discriminatedUnion(
  "kind",
  schemas as [(typeof schemas)[number], ...typeof schemas],
  `be one of ${KINDS.slice(0, -1).join(", ")} or ${KINDS.at(-1)}`,
) as unknown as z.ZodMiniType<Fault>;

/** An active fault. */
export interface InjectedFault {
  readonly id: number;
  readonly fault: Fault;
  /** How many more requests it applies to. Infinity without a limit, 0 if it is used up or cancelled. */
  readonly remaining: number;
  /** Ends the fault early. */
  cancel(): void;
}

/** The active faults in the order of injection. */
export class Faults {
  #faults: ActiveFault[] = [];
  #lastId = 0;

  get active(): readonly InjectedFault[] {
    this.#faults = this.#faults.filter(({ remaining }) => remaining > 0);
    return this.#faults;
  }

  inject(fault: Fault): InjectedFault {
    const injected = new ActiveFault(++this.#lastId, fault);
    this.#faults.push(injected);
    return injected;
  }

  heal(): void {
    for (const fault of this.#faults) fault.cancel();
  }

  /** The first fault that applies. Uses up one of its times. */
  meet(method: string, path: string): Fault | undefined {
    return this.#faults.find((injected) => injected.remaining > 0 && injected.meets(method, path))?.fault;
  }
}

class ActiveFault implements InjectedFault {
  remaining: number;
  #skip: number;

  constructor(
    readonly id: number,
    readonly fault: Fault,
  ) {
    this.remaining = fault.times ?? Infinity;
    this.#skip = fault.skip ?? 0;
  }

  cancel(): void {
    this.remaining = 0;
  }

  meets(method: string, path: string): boolean {
    if (!matches(this.fault, method, path)) return false;
    if (this.#skip > 0) {
      this.#skip--;
      return false;
    }
    this.remaining--;
    return true;
  }
}

function matches(target: FaultTarget, method: string, path: string): boolean {
  if (target.method !== undefined && target.method !== method) return false;
  if (target.path === undefined) return true;
  return typeof target.path === "string" ? path.startsWith(target.path) : path.search(target.path) >= 0;
}
