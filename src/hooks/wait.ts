import { HOOK_ENV } from "../contract/hook-protocol";
import { wait as waitFor } from "../lifecycle/wait";
import { readExpected } from "./environment";
import type { Run } from "./run";

export async function wait(run: Run): Promise<void> {
  const blocks = readExpected(run.env);
  const objects = blocks.flatMap(({ type, kind, ready, present }) => [
    ...ready.map((name) => ({ type, kind, name, waitedFor: true })),
    ...present.map((name) => ({ type, kind, name, waitedFor: false })),
  ]);
  if (objects.length === 0) return;
  const context = run.context(({ type, kind }) => blocks.find((block) => block.type === type && block.kind === kind)!.address);
  await waitFor(context, { objects, waitedBefore: Boolean(run.env[HOOK_ENV.waited]) });
}
