/** Times that do not depend on the timeouts of a stack, in milliseconds. */

/** How long an object must be absent before it is reported missing. Lists may lag behind. */
export const MISSING_MS = 10_000;
export const LOOK_FOR_MISSING_MS = 1_000;

/** No request is sent with less time left than this: it could be cut off, and its outcome would be unknown. */
export const LEAST_ATTEMPT_MS = 1_000;
/** How much later than its time limit the service may carry out a request. */
export const LATE_MS = 2 * 60_000;
/** How long a refused cluster is retried after the registration of its provider, if the provider was not ready. */
export const SETTLING_MS = 2 * 60_000;
/** Like {@link SETTLING_MS}, for a refusal with 400 (invalid), which usually has another reason. */
export const SETTLING_INVALID_MS = 30_000;
/** Longest pause between two attempts of a refused request. The pauses double from one to the next. */
export const LONGEST_BACKOFF_MS = 15_000;
/** How much the clocks of the service and of this machine may differ. */
export const CLOCK_SKEW_MS = 5 * 60_000;

/** How long the deletion of a provider waits for clusters that are being deleted. */
export const CLUSTERS_LEAVE_MS = 30_000;
/** Pause before the first look after a DELETE. Later pauses double, up to the poll interval. */
export const FIRST_LOOK_MS = 250;
/**
 * How long after a DELETE some lists may still show the object. It may be carried out two minutes late, and then a replica may
 * lag behind. A new object of somebody else cannot be adopted for so long, unless its conditions show that it is new.
 */
export const GHOST_MS = 5 * 60_000;
/** The same after a list has shown an object whose deletion the service has accepted and not finished. */
export const ACCEPTED_GHOST_MS = 60 * 60_000;

/** How long an empty provider of a cluster is polled for. Lists show it right after a create. */
export const PROVIDER_SHOWN_MS = 60_000;

/** Pause between the two polls that must both show all clusters as ready. */
export const CONFIRM_READY_MS = 250;
/** How long the phase of a cluster must be Failed before the wait fails. */
export const FAILED_MS = 60_000;
export const HEARTBEAT_MS = 30_000;
