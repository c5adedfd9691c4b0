import type { Remedy } from "../../../src/lifecycle/remedy";
import type { AttributePath, Attributes } from "../../../src/terraform/attributes";
import type { Diagnostic } from "../../../src/terraform/diagnostic";
import type { ObjectValue } from "../../../src/terraform/value";

/** A diagnostic, and what a person can do about it. The real protocol has that only in its text. */
export interface Shown extends Diagnostic {
  readonly remedies?: readonly Remedy[];
}

/** An answer of a provider. It may have a result although it has errors. A dead process has no result. */
export interface Answer<Result> {
  readonly result?: Result;
  readonly diagnostics: readonly Shown[];
}

/** A state, or null if there is no object, with private data as JSON text. */
export interface Stored {
  readonly state: ObjectValue | null;
  readonly private?: string;
}

export interface PlanRequest {
  readonly prior: ObjectValue | null;
  readonly proposed: ObjectValue | null;
  readonly config: ObjectValue | null;
  readonly private?: string;
}

export interface Planned {
  readonly planned: ObjectValue | null;
  readonly requiresReplace: readonly AttributePath[];
  readonly private?: string;
}

export interface ApplyRequest {
  readonly prior: ObjectValue | null;
  readonly planned: ObjectValue | null;
  readonly config: ObjectValue | null;
  readonly private?: string;
}

export interface MoveRequest {
  readonly sourceType: string;
  readonly sourceVersion: number;
  readonly sourceState: unknown;
}

/** A provider as Terraform's core sees it. */
export interface Provider {
  attributesOf(type: string): Attributes;
  validate(type: string, config: ObjectValue): Promise<Answer<void>>;
  upgrade(type: string, version: number, state: ObjectValue): Promise<Answer<ObjectValue>>;
  read(type: string, stored: Stored): Promise<Answer<Stored>>;
  plan(type: string, request: PlanRequest): Promise<Answer<Planned>>;
  apply(type: string, request: ApplyRequest): Promise<Answer<Stored>>;
  import(type: string, id: string): Promise<Answer<Stored>>;
  move(type: string, request: MoveRequest): Promise<Answer<Stored>>;
}
