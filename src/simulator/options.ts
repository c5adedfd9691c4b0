import { ConfigurationError } from "../model/errors";
import type { RecordedRequest } from "./exchange";
import type { Fault } from "./fault";

/** Durations. They can be changed while the service runs, and apply to existing objects too. */
export interface Timing {
  /** From the creation of a cluster until it is Provisioned. 0 means at once. @default 2 */
  provisionSeconds: number;
  /** From the acceptance of a deletion until the object leaves the list. 0 means at once. @default 0.5 */
  deleteSeconds: number;
  /** How long a capvs provider refuses clusters after its registration. @default 0 */
  providerReadySeconds: number;
}

/** Called with a request. The service waits for the returned promise. */
export type RequestHook = (request: Readonly<RecordedRequest>) => void | Promise<void>;

/** The options of the embedded service. */
export interface SimulatorOptions extends Partial<Timing> {
  /** @default - a free port */
  readonly port?: number;
  /** @default "127.0.0.1" */
  readonly host?: string;
  /** The bearer token that every request must have. @default - a random token */
  readonly token?: string;
  /** Serves HTTPS with this key and certificate, both in PEM. @default - HTTP */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** A file that keeps the objects across restarts, without secrets. @default - none */
  readonly stateFile?: string;
  /**
   * Accepts request fields that the interface does not have. `bodyOverrides` can send them, and a real service may accept them.
   * @default false
   */
  readonly acceptUnknownFields?: boolean;
  /** How many of the latest requests {@link Simulator.requests} keeps. @default - all */
  readonly keepRequests?: number;
  /** Faults that are active from the start. */
  readonly faults?: readonly Fault[];
  /** The clock for {@link Timing}, in milliseconds since the epoch. @default - Date.now */
  readonly now?: () => number;
  /** Called when a request has arrived, before the service handles it. */
  readonly onRequest?: RequestHook;
  /** Called before an answer is sent, after the service has handled the request or a fault was applied. */
  readonly onResponse?: RequestHook;
}

interface Rule {
  readonly holds: (value: number) => boolean;
  /** Completes `must be …`. */
  readonly text: string;
}

export const PORT: Rule = {
  holds: (value) => Number.isInteger(value) && value >= 0 && value <= 65535,
  text: "a whole number from 0 to 65535",
};
export const SECONDS: Rule = {
  holds: (value) => Number.isFinite(value) && value >= 0,
  text: "a number of seconds, 0 or more",
};
const COUNT: Rule = { holds: (value) => Number.isInteger(value) && value >= 0, text: "a whole number, 0 or more" };

/** @throws INVALID_SETTING */
export function checkOptions({
  port,
  provisionSeconds,
  deleteSeconds,
  providerReadySeconds,
  keepRequests,
}: SimulatorOptions): void {
  check(PORT, { port });
  check(SECONDS, { provisionSeconds, deleteSeconds, providerReadySeconds });
  check(COUNT, { keepRequests });
}

function check({ holds, text }: Rule, values: Readonly<Record<string, number | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || holds(value)) continue;
    throw new ConfigurationError("INVALID_SETTING", `'${name}' must be ${text}, got ${String(value)}`);
  }
}
