import { triggersAttribute } from "../../contract/addresses";
import type { Declared } from "../../declarations/declaration";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { decide } from "../../lifecycle/remedy";
import { isName } from "../../model/object-name";
import { idOf } from "../../model/object-ref";
import { isPlainObject } from "../../model/prop-path";
import { singular } from "../../model/provider-type";
import type { MoveRequest, StoredObject } from "../server/provider";
import type { ObjectKind } from "./object-kind";
import type { ObjectMemory } from "./object-plan";

const HOOK_ENGINES = ["null_resource", "terraform_data"];

/**
 * Builds the state of a resource from the state of a hook instance, whose triggers hold the declaration. The shape of the
 * triggers shows whether the instance is one of this package. The source's provider address does not: from the second instance
 * on, Terraform sends the address of the target's provider instead.
 */
export function movedFromHooks(kind: ObjectKind, { sourceType, sourceState }: MoveRequest): StoredObject {
  const declared = HOOK_ENGINES.includes(sourceType) ? triggersOf(sourceType, sourceState) : undefined;
  const isComplete = declared && isName(declared.name ?? "") && (kind.kind === "providers" || isName(declared.provider ?? ""));
  if (!isComplete) {
    throw new LifecycleError({
      code: "INVALID_SETTING",
      objects: [],
      summary: `the moved ${sourceType} does not hold a ${kind.type} ${singular(kind.kind)} of this package`,
      detail: "Its triggers do not hold such a declaration. Nothing was changed",
      remedies: [
        decide(
          "Correct the addresses of the moved block. If 'terraform import' has made that instance, remove it with 'terraform state rm'",
        ),
      ],
    });
  }
  const declaration = kind.unflattened(declared);
  const memory: ObjectMemory = { movedFrom: sourceType, ...(!declaration && { declared }) };
  const known = declaration ?? { name: declared.name, ...(kind.kind === "clusters" && { provider: declared.provider }) };
  const id = idOf({ type: kind.type, kind: kind.kind, name: declared.name! });
  // With hooks, the notes of deletions and dependents have the id of the instance.
  const { id: uid } = sourceState as { readonly id?: unknown };
  return { state: { ...kind.valueOf(known), id, uid: typeof uid === "string" ? uid : null }, private: memory };
}

/** The state of terraform_data wraps a value together with its type. */
function triggersOf(engine: string, state: unknown): Declared | undefined {
  const attribute = isPlainObject(state) ? state[triggersAttribute(engine)] : undefined;
  const triggers = isPlainObject(attribute) && isPlainObject(attribute.value) ? attribute.value : attribute;
  if (!isPlainObject(triggers)) return undefined;
  return Object.values(triggers).every((value) => typeof value === "string") ? (triggers as Declared) : undefined;
}
