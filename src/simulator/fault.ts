import { z } from "zod";

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
  /** Whether it strikes before the service does its work, or after the work is done. @default "before" */
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
  /** An HTML page, as of a proxy in between. @default status 200 */
  | { readonly kind: "html"; readonly status?: 200 | 404 | 502 }
  /** A list of clusters that holds fewer items than it counts. */
  | { readonly kind: "partial-list" };

/** A failure to rehearse: what happens to which requests. */
export type Fault = FaultTarget & FaultEffect;

const target = {
  method: z
    .string()
    .regex(/^[A-Z]+$/, "a method in capitals")
    .optional(),
  path: z.union([z.string().startsWith("/", "a path that begins with /"), z.instanceof(RegExp)]).optional(),
  times: z.int().min(1).optional(),
  skip: z.int().min(0).optional(),
  when: z.enum(["before", "after"]).optional(),
};

const kind = <Kind extends string>(name: Kind) => z.strictObject({ kind: z.literal(name), ...target });

/** Faults as they come from outside: over the control endpoint or the command line. */
export const faultSchema: z.ZodType<Fault> = z.discriminatedUnion("kind", [
  kind("status").extend({
    status: z.int().min(200).max(599),
    retryAfterSeconds: z.number().min(0).optional(),
    body: z.unknown().optional(),
    headers: z.record(z.string(), z.string()).optional(),
  }),
  kind("drop"),
  kind("cut"),
  kind("hang"),
  kind("slow").extend({ seconds: z.number().min(0) }),
  kind("garbage"),
  kind("truncated"),
  kind("html").extend({ status: z.literal([200, 404, 502]).optional() }),
  kind("partial-list"),
]);

/** A fault that is in force. */
export interface InjectedFault {
  readonly id: number;
  readonly fault: Fault;
  /** How many more requests it will meet; Infinity where only healing ends it, 0 once it is used up or cancelled. */
  readonly remaining: number;
  cancel(): void;
}

/** The faults in force, in the order in which they were injected. */
export class Faults {
  readonly #active: ActiveFault[] = [];
  #lastId = 0;

  inject(fault: Fault): InjectedFault {
    const active = new ActiveFault(++this.#lastId, fault);
    this.#active.push(active);
    return active;
  }

  heal(): void {
    for (const fault of this.#active) fault.cancel();
  }

  list(): readonly InjectedFault[] {
    return this.#active.filter(({ remaining }) => remaining > 0);
  }

  /** The fault that meets this request, if any; one time of it is used up. */
  meet(method: string, path: string): Fault | undefined {
    const matching = this.list().filter(({ fault }) => matches(fault, method, path)) as ActiveFault[];
    return matching.find((active) => active.strikes())?.fault;
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

  strikes(): boolean {
    if (this.#skip > 0) {
      this.#skip--;
      return false;
    }
    this.remaining--;
    return true;
  }
}

function matches(fault: FaultTarget, method: string, path: string): boolean {
  if (fault.method !== undefined && fault.method !== method) return false;
  if (fault.path === undefined) return true;
  return typeof fault.path === "string" ? path.startsWith(fault.path) : fault.path.test(path);
}
