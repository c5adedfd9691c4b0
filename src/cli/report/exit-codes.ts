/** The command has failed. */
export const FAILED = 1;
/** The command has found something: a denied plan, drift, or what an apply lacks. */
export const FOUND = 2;
