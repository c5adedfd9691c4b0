import type { ClusterList, PlatformClient, ProviderList, RequestOptions } from "../api/client";
import type { ObjectRef } from "../model/object-ref";
import type { Clock } from "./clock";
import type { Journal } from "./journal";

/**
 * What a caller of create, delete and wait brings along. A hook is one process for one object; a Terraform provider is
 * one process for all objects, and makes calls at the same time that share a client and lists.
 */
export interface Context {
  readonly client: PlatformClient;
  /** Where lists come from: the client itself, or one that asks once for several calls. */
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly times: Times;
  readonly cancellation: Cancellation;
  readonly remedies: Remedies;
  /** Takes one line of progress for the person who watches. */
  say(line: string): void;
  /**
   * Takes one line that the person has to know when the call is over, where that is more than progress: a Terraform
   * provider shows no progress, but warnings. @default - like {@link say}
   */
  warn?(line: string): void;
}

/** The service's lists, each as it is at the time of the call or later. */
export interface Lookup {
  listClusters(options: RequestOptions): Promise<ClusterList>;
  listProviders(options: RequestOptions): Promise<ProviderList>;
}

/** How long things may take, in seconds. */
export interface Times {
  /** A create over all attempts, until the service has the object. */
  readonly createSeconds: number;
  /** All clusters together until they are ready. */
  readonly readySeconds: number;
  /** A deletion until the object has left the lists. */
  readonly deleteSeconds: number;
  /** Time between two looks at the lists while waiting. */
  readonly pollSeconds: number;
}

/** How a caller ends a call early. */
export interface Cancellation {
  /** Ends looks and pauses at once; its reason is a text that says who wants it, as in `SIGINT`. */
  readonly signal: AbortSignal;
  /** Ends requests that change something, a few seconds after {@link signal}: half of one cannot be taken back. */
  readonly requestSignal: AbortSignal;
  /** Whether Terraform's state will still learn how the call ended. If not, the note of a create is kept. */
  isRecorded(): boolean;
}

/** What a person can do, in words that fit the caller's engine: imperative clauses without a full stop. */
export interface Remedies {
  /** Takes over what lives under these names, as in `apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod`. */
  adopt(objects: readonly ObjectRef[]): string;
  /** Leaves these objects on the service when Terraform lets go of them, as in `list prod in the Platform's retain`. */
  retain(objects: readonly ObjectRef[]): string;
  /** Creates anew what Terraform's state has and the service lacks, as in `terraform apply -replace=ADDRESS`. */
  recreate(objects: readonly ObjectRef[]): string;
  /**
   * What lets these objects be deleted although they are protected, as in `allowDeletion: ["capvs/clusters/prod"] on the
   * Platform`; undefined where none of them is.
   */
  allowDeletion?(objects: readonly ObjectRef[]): string | undefined;
  /** Lets Terraform forget what is gone although nothing proves it, as in `run it once with CLUSTER_PLATFORM_ACCEPT_GONE=1`. */
  readonly acceptGone: string;
  /** What Terraform makes of a create that was refused because the name is taken; a sentence without its full stop. */
  readonly afterNameTaken?: string;
}
