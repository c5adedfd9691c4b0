import type { Log } from "../protocol/log";
import type { Type } from "../../terraform/type";
import type { ObjectValue, Value } from "../../terraform/value";
import type { Diagnostic } from "../../terraform/diagnostic";
import type { AttributePath, Attributes } from "../../terraform/attributes";

type Awaitable<Result> = Result | Promise<Result>;

/** What a provider may keep with an object in the state besides its attributes. Users do not see it. */
export type Private = { readonly [key: string]: unknown };

/**
 * A Terraform provider. A handler returns values, and reports warnings and errors to its {@link Call}. What it throws
 * becomes an error diagnostic: an error that has a `code` as it is, any other as a defect.
 *
 * `Configured` is what `configure` makes of the provider block, for the handlers of resources and data sources.
 */
export interface Provider<Configured = unknown> {
  /** What may stand in the provider block. */
  readonly attributes: Attributes;
  validate?(config: ObjectValue, call: Call<Configured>): Awaitable<void>;
  /** `config` may hold unknown values during a plan. */
  configure(config: ObjectValue, call: Call<Configured> & { readonly terraformVersion: string }): Awaitable<Configured>;
  readonly resources: Readonly<Record<string, Resource<Configured>>>;
  readonly dataSources?: Readonly<Record<string, DataSource<Configured>>>;
  readonly functions?: Readonly<Record<string, ProviderFunction>>;
  /** Takes secrets out of what the log and diagnostics show. */
  redact?(text: string): string;
}

/** What comes along with every request. */
export interface Call<Configured> {
  /** @throws Error while the provider is not configured, as in validation */
  readonly configured: Configured;
  /** Aborted when the user wants the run to end. Terraform waits for the answer all the same. */
  readonly stopping: AbortSignal;
  /** Aborted when nobody reads the answer any more. The process then ends within seconds. */
  readonly abandoned: AbortSignal;
  readonly log: Log;
  report(diagnostic: Diagnostic): void;
}

/**
 * The kind of objects that a block `resource "…"` declares.
 *
 * A state is `null` where there is no object. Write-only attributes have values only in `config`; in the states that a
 * handler returns they are dropped.
 */
export interface Resource<Configured = unknown> {
  readonly attributes: Attributes;
  readonly description?: string;
  /** The version of the schema. States of other versions go through `upgrade`. @default 0 */
  readonly version?: number;

  /** Looks at the configuration alone. It may hold unknown values. */
  validate?(config: ObjectValue, call: Call<Configured>): Awaitable<void>;

  /** Translates a state of another version; by default, attributes that the schema does not have are dropped. */
  upgrade?(request: { readonly version: number; readonly state: unknown }, call: Call<Configured>): Awaitable<ObjectValue>;

  /**
   * Is told of each state that Terraform has loaded, before it asks for anything else about it. The provider need not be
   * configured then.
   */
  loaded?(state: ObjectValue): void;

  /** Says what the object is like now: `null` where it is gone, so that Terraform plans to create it. */
  read(request: { readonly state: ObjectValue; readonly private?: Private }, call: Call<Configured>): Awaitable<ReadResult>;

  /**
   * Says what an apply would bring about. By default it is the proposed state, with computed attributes unknown on
   * creation.
   */
  plan?(request: PlanRequest, call: Call<Configured>): Awaitable<PlanResult>;

  create(request: ApplyRequest & { readonly planned: ObjectValue }, call: Call<Configured>): Awaitable<ApplyResult>;
  update?(
    request: ApplyRequest & { readonly prior: ObjectValue; readonly planned: ObjectValue },
    call: Call<Configured>,
  ): Awaitable<ApplyResult>;
  delete(request: ApplyRequest & { readonly prior: ObjectValue }, call: Call<Configured>): Awaitable<void>;

  /** Finds the object that a user names by `id`. */
  import?(request: { readonly id: string }, call: Call<Configured>): Awaitable<StoredObject>;

  /** Makes an object of this kind out of the state of one of another kind, for a `moved` block. */
  move?(request: MoveRequest, call: Call<Configured>): Awaitable<StoredObject>;
}

/** What Terraform keeps of an object. */
export interface StoredObject {
  readonly state: ObjectValue;
  readonly private?: Private;
}

export interface ReadResult {
  readonly state: ObjectValue | null;
  /** @default what it was before */
  readonly private?: Private;
}

export interface PlanRequest {
  /** `null` for a creation. */
  readonly prior: ObjectValue | null;
  /** The configuration, with what the prior state has of computed attributes; `null` for a deletion. */
  readonly proposed: ObjectValue | null;
  /** `null` for a deletion. */
  readonly config: ObjectValue | null;
  readonly private?: Private;
}

export interface PlanResult {
  /** `null` for a deletion. */
  readonly planned: ObjectValue | null;
  /** Attributes whose change the object does not survive. */
  readonly requiresReplace?: readonly AttributePath[];
  /** @default what it was before */
  readonly private?: Private;
}

interface ApplyRequest {
  /** With write-only attributes; `null` for a deletion. */
  readonly config: ObjectValue | null;
  readonly private?: Private;
}

export interface ApplyResult {
  /** `null` where nothing was created. What is returned together with a reported error is kept, as tainted if it is new. */
  readonly state: ObjectValue | null;
  /** @default what was planned */
  readonly private?: Private;
}

export interface MoveRequest {
  readonly sourceType: string;
  /** Terraform does not always name the source's own provider here. */
  readonly sourceProvider: string;
  readonly sourceVersion: number;
  /** The attributes of the source, as its provider keeps them in the state. */
  readonly sourceState: unknown;
}

/** What a block `data "…"` looks up. */
export interface DataSource<Configured = unknown> {
  readonly attributes: Attributes;
  readonly description?: string;
  validate?(config: ObjectValue, call: Call<Configured>): Awaitable<void>;
  read(config: ObjectValue, call: Call<Configured>): Awaitable<ObjectValue>;
}

/** A function of the language, `provider::<name>::…`. What it throws is the error of the call. */
export interface ProviderFunction {
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly returns: Type;
  call(...values: Value[]): Awaitable<Value>;
}

export interface Parameter {
  readonly name: string;
  readonly type: Type;
  readonly description?: string;
  /** Whether the function is called with null. @default false */
  readonly allowNull?: boolean;
}
