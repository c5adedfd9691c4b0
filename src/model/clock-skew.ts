/** The clocks of the service and of the machine may differ by this much, in seconds. */
export const CLOCK_SKEW_SECONDS = 5 * 60;
