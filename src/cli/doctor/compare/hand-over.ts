import { pluginResourceId, pluginResourceType } from "../../../contract/addresses";
import type { SynthesizedObject } from "../../../contract/synthesized-objects";
import { idOf } from "../../../model/object-ref";
import { segmentsOf } from "../../../declarations/trigger-keys";
import { enumerated } from "../../../lifecycle/wording";
import type { Stack } from "../stack";
import { type CheckResult, wrong } from "../check-result";
import type { ComparedPlatform } from "./compared-platform";
import { changedFields } from "./stored";

/** Objects of the Terraform provider that hooks would take over, and whose declarations forbid that. */
export function* handOver({ stack, platform, had }: ComparedPlatform): Generator<CheckResult> {
  const declared = new Map(platform.declared.map((object) => [idOf(object), object]));
  if (!platform.declared.some((object) => isHandedOver(stack, object))) return;
  for (const object of had) {
    if (!object.id.byProvider) continue;
    const { id } = object.id;
    const successor = declared.get(id);
    if (!successor) {
      yield refused(id, "it leaves the code in the same change", "remove it from the code, apply", "INVALID_SETTING");
      continue;
    }
    // `bodyOverrides` may be write-only.
    const changed = changedFields(successor, object).filter((field) => segmentsOf(field)[0] !== "bodyOverrides");
    if (changed.length > 0) {
      const why = `its declaration changes, too: ${enumerated(changed)}`;
      yield refused(id, why, "change the declaration, apply", "ADOPT_MISMATCH");
    }
  }
}

function isHandedOver({ forgotten }: Stack, { prefix, type, kind, name }: SynthesizedObject): boolean {
  return forgotten.has(`${pluginResourceType(type, kind)}.${pluginResourceId(prefix, name)}`);
}

function refused(id: string, why: string, first: string, code: string): CheckResult {
  return wrong(
    "state",
    `${id} cannot move to an engine with hooks, because ${why}: an apply will fail. Set engine: Engine.PROVIDER again without migrateFrom, ${first}, and change the engine afterwards [${code}]`,
  );
}
