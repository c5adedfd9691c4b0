import { digestOf } from "../contract/snapshot";
import { createObject } from "../lifecycle/create";
import { idOf } from "../model/object-ref";
import { readBlock, readEntry, readName, readWorkspace } from "./environment";
import type { Run } from "./run";

export async function createHook(run: Run): Promise<void> {
  const block = readBlock(run.env);
  const entry = readEntry(run.env);
  const object = { type: block.type, kind: block.kind, name: readName(run.env) };
  run.interruption.finishWithoutTerraform();
  // Loaded here because only creations need the schemas.
  const { requestOf } = await import("./request");
  const { body, declared } = requestOf(block, entry, run.env, run.redactor);
  const context = run.context(readWorkspace(run.env));
  const { adoptions } = run.ofRun;
  const adopt = entry.adopt === true || adoptions.has(idOf(object));
  const digest = digestOf(declared, () => false);
  const isTemporary = run.machine.isTest?.() ?? false;
  await createObject(context, { object, body, declared, digest, adopt, isTemporary, byName: entry.byName });
}
