/** Windows of time, in milliseconds, which the lifecycle goes by whatever a stack's own timeouts are. */

/** How long every look must lack an object that may have been created a moment ago: lists may lag behind. */
export const MISSING_MS = 10_000;
/** Time between two looks for an object that the last look lacked. */
export const LOOK_FOR_MISSING_MS = 1_000;
/** A look may take this much longer than the call that it is for: what it shows decides what the call ends with. */
export const LAST_LOOK_MS = 5_000;

/** A request that is sent with less time left than this could be cut off, and nobody would know what became of it. */
export const LEAST_ATTEMPT_MS = 1_000;
/** A service may carry out a request so much later than it was sent. */
export const LATE_MS = 2 * 60_000;
/** For how long after a registration that was not ready a refused cluster is taken for one that came too early. */
export const SETTLING_MS = 2 * 60_000;
/** The same where it is refused as invalid (400), which has other reasons as a rule. */
export const SETTLING_INVALID_MS = 30_000;
/** A refused request is repeated after twice the time each time, but no later than this. */
export const LONGEST_BACKOFF_MS = 15_000;
/** The clocks of the service and of this machine may differ by this much. */
export const CLOCK_SKEW_MS = 5 * 60_000;

/** Clusters that are on their way out may still use a provider for this long. */
export const CLUSTERS_LEAVE_MS = 30_000;
/** Some deletions are over in no time: the first look comes after this, later ones grow apart up to the poll interval. */
export const FIRST_LOOK_MS = 250;
/** Time between two looks that lack an object whose absence is expected: one list alone may be stale. */
export const CONFIRM_ABSENT_MS = 1_000;

/** One look that finds a cluster ready may have met a short moment: a second look, so much later, has to agree. */
export const CONFIRM_READY_MS = 250;
/** A cluster that Cluster API calls Failed for so long does not become ready by itself. */
export const FAILED_MS = 60_000;
/** How long a wait may be silent while nothing changes. */
export const HEARTBEAT_MS = 30_000;
