import { z } from "zod";
import { FAULT_KINDS } from "./fault-kinds";

/** Which requests a fault meets. */
export interface FaultTarget {
  /** The method, in capitals. @default - any */
  readonly method?: string;
  /** The beginning of the path as it is sent, or an expression that it matches. @default - any */
  readonly path?: string | RegExp;
  /** How many requests it meets before it is used up. @default - every one, until it is healed */
  readonly times?: number;
  /** How many matching requests it lets pass first. @default 0 */
  readonly skip?: number;
  /** Whether it strikes before the service does its work, or after the work is done. @default - "before" where the kind allows it */
  readonly when?: "before" | "after";
}

/** What happens to a request that a fault meets. */
export type FaultEffect =
  /** This answer instead of the real one. */
  | {
      readonly kind: "status";
      readonly status: number;
      /** Sent as `Retry-After`. */
      readonly retryAfterSeconds?: number;
      /** Sent as JSON. @default - an error body as of a refusal */
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection is cut without an answer. */
  | { readonly kind: "drop" }
  /** The work is done and half the answer sent, then the connection is cut. */
  | { readonly kind: "cut" }
  /** No answer, and the connection stays open until either side ends. */
  | { readonly kind: "hang" }
  /** The real answer, this much later. */
  | { readonly kind: "slow"; readonly seconds: number }
  /** 200 with a body that is not JSON although it says so. */
  | { readonly kind: "garbage" }
  /** The work is done; of the answer's JSON only the first half comes, complete as far as HTTP can tell. */
  | { readonly kind: "truncated" }
  /** An HTML page, as of a proxy in between; with status 200 unless another is given. */
  | { readonly kind: "html"; readonly status?: 200 | 404 | 502 }
  /** A list of clusters that holds fewer items than it counts. */
  | { readonly kind: "partial-list" };

/** A failure to rehearse: what happens to which requests. */
export type Fault = FaultTarget & FaultEffect;

const target = {
  method: z
    .string()
    .regex(/^[A-Z]+$/, "be in capitals")
    .optional(),
  path: z.string().startsWith("/", "begin with /").optional(),
  times: z.int().min(1, "be at least 1").optional(),
  skip: z.int().min(0, "be at least 0").optional(),
  when: z.enum(["before", "after"], "be before or after").optional(),
};

const KINDS = Object.keys(FAULT_KINDS);
const schemas = Object.entries(FAULT_KINDS).map(([kind, { fields }]) =>
  z.strictObject({ kind: z.literal(kind), ...target, ...fields }),
);

/** @internal Faults as they come from outside: over the control endpoint or the command line. */
export const faultSchema = z.discriminatedUnion(
  "kind",
  schemas as [(typeof schemas)[number], ...typeof schemas],
  `be one of ${KINDS.slice(0, -1).join(", ")} and ${KINDS.at(-1)}`,
) as unknown as z.ZodType<Fault>;

/** A fault that is in force. */
export interface InjectedFault {
  readonly id: number;
  readonly fault: Fault;
  /** How many more requests it will meet; Infinity where only healing ends it, 0 once it is used up or cancelled. */
  readonly remaining: number;
  /** Ends it before its times are used up. */
  cancel(): void;
}

/** The faults in force, in the order in which they were injected. */
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

  /** The fault that meets this request, if any; one time of it is used up. */
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
