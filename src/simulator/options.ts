import type { RecordedRequest } from "./exchange";
import type { Fault } from "./fault";

/** How long things take; may be changed while the service runs, and then holds for the objects that are there, too. */
export interface Timing {
  /** From the creation of a cluster until it is Provisioned; 0 for at once. @default 2 */
  provisionSeconds: number;
  /** From the acceptance of a deletion until the object has left the list; 0 for at once. @default 0.5 */
  deleteSeconds: number;
  /** For how long a capvs provider refuses clusters after its registration. @default 0 */
  providerReadySeconds: number;
}

/** Called with a request on its way through the service, which waits for it. */
export type RequestHook = (request: Readonly<RecordedRequest>) => void | Promise<void>;

/** How the embedded service is set up. */
export interface SimulatorOptions extends Partial<Timing> {
  /** @default - any that is free */
  readonly port?: number;
  /** @default "127.0.0.1" */
  readonly host?: string;
  /** The bearer token that every call must carry. @default - a random one */
  readonly token?: string;
  /** Serves HTTPS with this key and certificate, both in PEM. @default - HTTP */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Where objects are kept over a restart, without any secret. @default - nowhere */
  readonly stateFile?: string;
  /**
   * Accepts request fields that the interface does not have, as a real service may and as `bodyOverrides` can send them.
   *
   * @default false
   */
  readonly acceptUnknownFields?: boolean;
  /** How many of the latest requests are kept in {@link Simulator.requests}. @default - all */
  readonly keepRequests?: number;
  /** Failures to rehearse from the start. */
  readonly faults?: readonly Fault[];
  /** The time, in milliseconds since the epoch, that {@link Timing} counts in. @default - Date.now */
  readonly now?: () => number;
  /** Called when a request has arrived, before anything is done about it. */
  readonly onRequest?: RequestHook;
  /** Called when the work is done or a fault has struck, before the answer leaves. */
  readonly onResponse?: RequestHook;
}
