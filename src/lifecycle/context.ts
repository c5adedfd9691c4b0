import type { ClusterList, PlatformClient, ProviderList, RequestOptions } from "../api/client";
import type { ObjectRef } from "../model/object-ref";
import type { Clock } from "./clock";
import type { Journal } from "./journal";

/**
 * What a caller of create, delete and wait provides. A hook is a process for one object. A Terraform provider is one process
 * for all objects; its calls run at the same time and share a client and lists.
 */
export interface Context {
  readonly client: PlatformClient;
  /** Source of the lists: the client itself, or one that requests a list once for several calls. */
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly times: Times;
  readonly cancellation: Cancellation;
  readonly remedies: Remedies;
  /** Prints one line of progress. */
  say(line: string): void;
  /**
   * Prints one line that matters after the call has ended. A Terraform provider shows it as a warning; it cannot show
   * progress. @default - {@link say}
   */
  warn?(line: string): void;
}

/** The service's lists. Each one is as of the call or later. */
export interface Lookup {
  listClusters(options: RequestOptions): Promise<ClusterList>;
  listProviders(options: RequestOptions): Promise<ProviderList>;
}

/** Time limits, in seconds. */
export interface Times {
  /** A create with all its attempts, until the service has the object. */
  readonly createSeconds: number;
  /** The wait until all clusters are ready. */
  readonly readySeconds: number;
  /** A deletion, until the object has left the lists. */
  readonly deleteSeconds: number;
  /** Time between two looks at the lists. */
  readonly pollSeconds: number;
}

/** How a caller ends a call early. */
export interface Cancellation {
  /** Ends looks and pauses at once. Its reason is a text, as in `SIGINT`. */
  readonly signal: AbortSignal;
  /** Ends a POST or DELETE a few seconds after {@link signal}, because the service may have carried out half of it. */
  readonly requestSignal: AbortSignal;
  /** Whether Terraform still records how the call ends. If not, the note of a create is kept. */
  isRecorded(): boolean;
}

/** What a person can do, for the caller's engine. Each text is an imperative clause without a full stop. */
export interface Remedies {
  /** Takes these objects over, as in `apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod`. */
  adopt(objects: readonly ObjectRef[]): string;
  /** Leaves these objects on the service when Terraform lets go of them, as in `list prod in the Platform's retain`. */
  retain(objects: readonly ObjectRef[]): string;
  /** Creates objects that are in Terraform's state but not on the service, as in `terraform apply -replace=ADDRESS`. */
  recreate(objects: readonly ObjectRef[]): string;
  /**
   * Allows the deletion of protected objects, as in `allowDeletion: ["capvs/clusters/prod"] on the Platform`; undefined if
   * none of them is protected.
   */
  allowDeletion?(objects: readonly ObjectRef[]): string | undefined;
  /** Lets Terraform forget objects whose absence is not proven, as in `run it once with CLUSTER_PLATFORM_ACCEPT_GONE=1`. */
  readonly acceptGone: string;
  /** What Terraform does after a create is refused because the name is taken; a sentence without its full stop. */
  readonly afterNameTaken?: string;
}
