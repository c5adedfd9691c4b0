import type { ClusterList, PlatformClient, ProviderList, RequestOptions } from "../api/client";
import type { Clock } from "../util/clock";
import type { Times } from "../model/time-limits";
import type { Journal } from "./journal";

/**
 * What a caller of create, delete and wait provides. A hook is a process for one object. A Terraform provider is one process for
 * all objects; its calls run at the same time and share a client and lists.
 */
export interface Context {
  readonly client: PlatformClient;
  /** The client itself, or a source that requests a list once for several calls. */
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly times: Times;
  readonly cancellation: Cancellation;
  say(line: string): void;
  /** Prints a line that matters after the call. A Terraform provider shows it as a warning. @default - {@link say} */
  warn?(line: string): void;
}

/** A list is never older than the call that returns it. */
export interface Lookup {
  listClusters(options: RequestOptions): Promise<ClusterList>;
  listProviders(options: RequestOptions): Promise<ProviderList>;
}

export interface Cancellation {
  /** Ends polling and pauses at once. Its reason is a text, as in `SIGINT`. */
  readonly signal: AbortSignal;
  /** Ends a POST or DELETE a few seconds after {@link signal}, because the service may have carried out half of it. */
  readonly requestSignal: AbortSignal;
  /**
   * Why the run ends, as in `SIGINT`. The state may then lack how the call ends. The signals may come later.
   * @default - the run goes on
   */
  readonly interruptedBy?: string;
}
