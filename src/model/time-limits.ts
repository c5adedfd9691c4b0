/** In seconds. */
export interface TimeLimit {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

const WEEK = 7 * 24 * 3600;

/** The time limits of a Platform, for its props, the provider block, and the client. */
export const TIME_LIMITS = {
  requestSeconds: { min: 0.1, max: 3600, default: 60 },
  createSeconds: { min: 1, max: WEEK, default: 600 },
  readySeconds: { min: 1, max: WEEK, default: 3600 },
  deleteSeconds: { min: 1, max: WEEK, default: 1800 },
  pollSeconds: { min: 0.1, max: 3600, default: 5 },
} as const satisfies Readonly<Record<string, TimeLimit>>;

/** As the end of "must …". */
export function rangeRule({ min, max }: TimeLimit): string {
  return `be a number of seconds from ${min} to ${max}`;
}

/** Limits for a whole operation, and the polling interval, in seconds. */
export interface Times {
  /** All attempts of one create. */
  readonly createSeconds: number;
  /** Until all clusters are ready. */
  readonly readySeconds: number;
  /** Until the object has left the lists. */
  readonly deleteSeconds: number;
  readonly pollSeconds: number;
}

/** @param given what is not the default */
export function timesOf(given: { readonly [Name in keyof Times]?: number | undefined }): Times {
  const of = (name: keyof Times) => given[name] ?? TIME_LIMITS[name].default;
  return {
    createSeconds: of("createSeconds"),
    readySeconds: of("readySeconds"),
    deleteSeconds: of("deleteSeconds"),
    pollSeconds: of("pollSeconds"),
  };
}
