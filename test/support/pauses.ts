import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Environment of hooks whose pauses take no time, for tests of timeouts. With `--require`, Node would read the package.json of the
 * folder, which tests break.
 */
export const PAUSES_SKIPPED = { NODE_OPTIONS: `--import=${pathToFileURL(join(__dirname, "skip-pauses.cjs")).href}` };
