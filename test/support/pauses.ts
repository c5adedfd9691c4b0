import { join } from "node:path";

export const SKIP_PAUSES = join(__dirname, "skip-pauses.cjs");

/** Environment of hooks and the provider whose pauses take no time. A start with `--import` would take twice as long. */
export const PAUSES_SKIPPED = { NODE_OPTIONS: `--require=${JSON.stringify(SKIP_PAUSES)}` };
