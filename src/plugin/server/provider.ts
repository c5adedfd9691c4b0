import type { Log } from "../protocol/log";
import type { ObjectValue } from "../../terraform/value";
import type { Diagnostic } from "../../terraform/diagnostic";
import type { AttributePath, Attributes } from "../../terraform/attributes";

type Awaitable<Result> = Result | Promise<Result>;

/** Data that a provider keeps in the state besides an object's attributes. Users do not see it. */
export type Private = { readonly [key: string]: unknown };

/**
 * A Terraform provider. A handler returns values, and reports warnings and errors to its {@link ProviderCall}. An error that it throws
 * becomes a diagnostic: one with a `code` is shown as it is, any other one as a defect of the provider.
 *
 * `Configured` is the result of `configure`. The handlers of resources and data sources get it.
 */
export interface Provider<Configured = unknown> {
  readonly attributes: Attributes;
  validate?(config: ObjectValue, call: ProviderCall<Configured>): Awaitable<void>;
  /** During a plan, `config` may hold unknown values. */
  configure(config: ObjectValue, call: ProviderCall<Configured>): Awaitable<Configured>;
  readonly resources: Readonly<Record<string, Resource<Configured>>>;
  readonly dataSources?: Readonly<Record<string, DataSource<Configured>>>;
  /** Hides secrets in the log and in diagnostics, and what a terminal would obey. */
  redact?(text: string): string;
  /** Called when Terraform ends the plugin, after it has processed all answers. Not called if Terraform is killed. */
  close?(): void;
}

export interface ProviderCall<Configured> {
  /** @throws Error before ConfigureProvider, for example during validation */
  readonly configured: Configured;
  /** Aborts when the user interrupts the run. Terraform still waits for the answer. */
  readonly stopping: AbortSignal;
  /** Aborts when Terraform has died. The process ends within seconds. */
  readonly abandoned: AbortSignal;
  readonly log: Log;
  report(diagnostic: Diagnostic): void;
}

/**
 * The state of an object that does not exist is `null`. Write-only attributes have values in `config` only: states that a handler
 * returns are stored without them.
 */
export interface Resource<Configured = unknown> {
  readonly attributes: Attributes;
  readonly description?: string;
  /** The attributes of type string that identify an object. An import by identity gives them. @default - an import gives an id */
  readonly identity?: readonly string[];

  /** The configuration may hold unknown values. */
  validate?(config: ObjectValue, call: ProviderCall<Configured>): Awaitable<void>;

  /**
   * Receives each state that Terraform loads, before any other call for that object. A plan loads all states, also those that it
   * does not refresh: of resources that it deletes or forgets.
   */
  loaded?(state: ObjectValue): void;

  /** `null` means that the object is gone. Terraform then plans to create it. */
  read(
    request: { readonly state: ObjectValue; readonly private?: Private },
    call: ProviderCall<Configured>,
  ): Awaitable<ReadResult>;

  plan(request: PlanRequest, call: ProviderCall<Configured>): Awaitable<PlanResult>;

  create(request: ApplyRequest & { readonly planned: ObjectValue }, call: ProviderCall<Configured>): Awaitable<ApplyResult>;
  update(
    request: ApplyRequest & { readonly prior: ObjectValue; readonly planned: ObjectValue },
    call: ProviderCall<Configured>,
  ): Awaitable<ApplyResult>;
  delete(request: ApplyRequest & { readonly prior: ObjectValue }, call: ProviderCall<Configured>): Awaitable<void>;

  import?(request: ImportRequest, call: ProviderCall<Configured>): Awaitable<StoredObject>;
}

/** An id, or the values of the attributes in {@link Resource.identity}. */
export type ImportRequest =
  { readonly id: string; readonly identity?: undefined } | { readonly id?: undefined; readonly identity: ObjectValue };

export interface StoredObject {
  readonly state: ObjectValue;
  readonly private?: Private;
}

export interface ReadResult {
  readonly state: ObjectValue | null;
  /** @default unchanged */
  readonly private?: Private;
}

export interface PlanRequest {
  /** `null` for a creation. */
  readonly prior: ObjectValue | null;
  /** The configuration, with computed attributes from the prior state. `null` for a deletion. */
  readonly proposed: ObjectValue | null;
  /** `null` for a deletion. */
  readonly config: ObjectValue | null;
  readonly private?: Private;
}

export interface PlanResult {
  /** `null` for a deletion. */
  readonly planned: ObjectValue | null;
  /** Changed attributes that cannot be updated in place. */
  readonly requiresReplace?: readonly AttributePath[];
  /** @default unchanged */
  readonly private?: Private;
}

interface ApplyRequest {
  /** With write-only attributes; `null` for a deletion. */
  readonly config: ObjectValue | null;
  readonly private?: Private;
}

export interface ApplyResult {
  /** `null` if nothing was created. Terraform keeps a state that comes with an error, and marks a new object as tainted. */
  readonly state: ObjectValue | null;
  /** @default the planned data */
  readonly private?: Private;
}

export interface DataSource<Configured = unknown> {
  readonly attributes: Attributes;
  readonly description?: string;
  validate?(config: ObjectValue, call: ProviderCall<Configured>): Awaitable<void>;
  read(config: ObjectValue, call: ProviderCall<Configured>): Awaitable<ObjectValue>;
}
