import type { HookCommand } from "../contract/hook-protocol";
import { createHook } from "./create";
import { deleteHook } from "./delete";
import { guardDeletions, guardDestroy } from "./deletion-guard";
import { verifyDeletions } from "./orphan-check";
import type { Run } from "./run";
import { selfTest } from "./self-test";
import { waitHook } from "./wait";

/**
 * All commands are in one file, because to find one more file takes longer than to read a command, and an apply starts this
 * program once per object. The large parts, undici and the schemas, are imported on demand.
 */
export const COMMANDS: Record<HookCommand, (run: Run) => Promise<void>> = {
  create: createHook,
  delete: deleteHook,
  wait: waitHook,
  "deletion-guard": guardDeletions,
  "destroy-guard": guardDestroy,
  "orphan-check": verifyDeletions,
  "self-test": selfTest,
};
