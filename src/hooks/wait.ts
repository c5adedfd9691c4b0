import { HOOK_ENV } from "../contract/hook-protocol";
import { wait as waitFor } from "../lifecycle/wait";
import { readExpected, readWorkspace } from "./environment";
import type { ObjectRef } from "../model/object-ref";
import type { Run } from "./run";

export async function wait(run: Run): Promise<void> {
  const blocks = readExpected(run.env);
  const objects = blocks.flatMap(({ type, kind, ready, present }) => [
    ...ready.map((name) => ({ type, kind, name, waitedFor: true })),
    ...present.map((name) => ({ type, kind, name, waitedFor: false })),
  ]);
  if (objects.length === 0) return;
  const addressOf = ({ type, kind }: ObjectRef) => blocks.find((block) => block.type === type && block.kind === kind)!.address;
  const isSecond = Boolean(run.env[HOOK_ENV.waited]);
  const context = run.context(addressOf, isSecond ? readWorkspace(run.env) : undefined);
  await waitFor(context, { objects, waitedBefore: isSecond });
  // Terraform starts the second waiter after its state has all objects.
  if (isSecond) for (const object of objects) context.journal.settleCreation(object);
}
