import { readAdoptions } from "../contract/run-settings";
import { blockOfKind } from "../contract/addresses";
import { create as createObject } from "../lifecycle/create";
import type { Context } from "../lifecycle/context";
import { idOf } from "../model/object-ref";
import { readBlock, readEntry, readName, readWorkspace } from "./environment";
import { resolveEntry } from "./resolved-entry";
import type { Run } from "./run";

export async function create(run: Run): Promise<void> {
  const block = readBlock(run.env);
  const entry = readEntry(run.env);
  const object = { type: block.type, kind: block.kind, name: readName(run.env) };
  run.interruption.finishWithoutTerraform();
  const { body, declared } = await resolveEntry(block, entry, run.env, run.redactor);
  const context = run.context(({ kind }) => blockOfKind(block.address, kind), readWorkspace(run.env));
  const adopt = entry.adopt === true || readAdoptions(run.env).has(idOf(object));
  await createObject(withOtherPlatforms(context), { object, body, declared, adopt });
  context.journal.answered(object);
}

/** A hook does not know whether another Platform has the cluster's provider. */
function withOtherPlatforms(context: Context): Context {
  const { remedies } = context;
  const hint = "If another Platform of the stack registers it, the address begins with the name of that Platform";
  return { ...context, remedies: { ...remedies, recreate: (objects) => `${remedies.recreate(objects)}. ${hint}` } };
}
