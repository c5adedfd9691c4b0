import { join } from "node:path";

/** Environment of hooks whose pauses take no time, for tests of timeouts. */
export const PAUSES_SKIPPED = { NODE_OPTIONS: `--require=${join(__dirname, "skip-pauses.cjs")}` };
