import type { Attributes } from "../../../src/terraform/attributes";
import type { Type } from "../../../src/terraform/type";
import { UNKNOWN, type ObjectValue } from "../../../src/terraform/value";
import type { Kernel } from "../kernel";
import type { Answer, ApplyRequest, MoveRequest, Planned, PlanRequest, Provider, Stored } from "./provider";
import { isEqual } from "./values";

/** A value as it is. The stacks use it for objects only. */
const ANY = "any" as Type;

const SCHEMAS: Readonly<Record<string, { readonly attributes: Attributes; readonly replacing: string }>> = {
  null_resource: {
    attributes: { id: { type: "string", computed: true }, triggers: { type: ["map", "string"], optional: true } },
    replacing: "triggers",
  },
  terraform_data: {
    attributes: {
      id: { type: "string", computed: true },
      input: { type: ANY, optional: true },
      output: { type: ANY, computed: true },
      triggers_replace: { type: ANY, optional: true },
    },
    replacing: "triggers_replace",
  },
};

/** The providers of null_resource and terraform_data, which have nothing outside of the state. */
export class BuiltIn implements Provider {
  constructor(private readonly kernel: Kernel) {}

  attributesOf(type: string): Attributes {
    return SCHEMAS[type]!.attributes;
  }

  validate(): Promise<Answer<void>> {
    return answer(undefined);
  }

  upgrade(_type: string, _version: number, state: ObjectValue): Promise<Answer<ObjectValue>> {
    return answer(state);
  }

  read(_type: string, stored: Stored): Promise<Answer<Stored>> {
    return answer(stored);
  }

  plan(type: string, { prior, proposed }: PlanRequest): Promise<Answer<Planned>> {
    if (proposed === null) return answer({ planned: null, requiresReplace: [] });
    const { replacing } = SCHEMAS[type]!;
    const isReplaced = prior !== null && !isEqual(prior[replacing]!, proposed[replacing]!);
    const isNew = prior === null || isReplaced;
    const input = proposed.input ?? null;
    const isKept = !isNew && isEqual(prior.input ?? null, input);
    const output = isKept ? prior.output! : input === null ? null : UNKNOWN;
    const planned = { ...proposed, ...(isNew && { id: UNKNOWN }), ...(type === "terraform_data" && { output }) };
    return answer({ planned, requiresReplace: isReplaced ? [[replacing]] : [] });
  }

  apply(type: string, { prior, planned, config }: ApplyRequest): Promise<Answer<Stored>> {
    if (planned === null) return answer({ state: null });
    const id = prior?.id ?? this.kernel.newId();
    return answer({ state: { ...planned, id, ...(type === "terraform_data" && { output: config!.input ?? null }) } });
  }

  import(type: string, id: string): Promise<Answer<Stored>> {
    if (type === "terraform_data") return answer({ state: { id, input: null, output: null, triggers_replace: null } });
    const summary = "[REFUSED_BY_TERRAFORM] resource null_resource doesn't support import";
    return Promise.resolve({ diagnostics: [{ severity: "error", summary }] });
  }

  /** From null_resource to terraform_data. */
  move(_type: string, { sourceState }: MoveRequest): Promise<Answer<Stored>> {
    const { triggers = null, id } = sourceState as ObjectValue;
    return answer({ state: { id: id!, input: null, output: null, triggers_replace: triggers } });
  }
}

function answer<Result>(result: Result): Promise<Answer<Result>> {
  return Promise.resolve({ result, diagnostics: [] });
}
