import { join } from "node:path";

/** Variables that let hooks pause without taking time, where a test is about time that runs out. */
export const PAUSES_SKIPPED = { NODE_OPTIONS: `--require=${join(__dirname, "skip-pauses.cjs")}` };
