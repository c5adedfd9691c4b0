import type { HookCommand } from "../contract/hook-protocol";
import { create } from "./create";
import { remove } from "./delete";
import { guardDeletions, guardDestroy } from "./deletion-guard";
import { verifyDeletions } from "./orphan-check";
import type { Run } from "./run";
import { selfTest } from "./self-test";
import { wait } from "./wait";

/**
 * All commands are in one file, because to find one more file takes longer than to read a command, and an apply starts this
 * program once per object. The large parts, undici and the schemas, are imported on demand.
 */
export const COMMANDS: Record<HookCommand, (run: Run) => Promise<void>> = {
  create,
  delete: remove,
  wait,
  "deletion-guard": guardDeletions,
  "destroy-guard": guardDestroy,
  "orphan-check": verifyDeletions,
  "self-test": selfTest,
};
