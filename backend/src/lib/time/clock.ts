/** The time, passed in so that tests can move it. */
export interface Clock {
  /** Milliseconds since 1970-01-01 in UTC. */
  now(): number
}

/** The machine's own time. */
export const systemClock: Clock = { now: () => Date.now() }

/** Durations in milliseconds, for constants that read as what they mean. */
export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/**
 * The clocks of two servers of one installation differ by less, in milliseconds. So a stored moment that is further ahead is
 * of a clock that was set back since.
 */
export const SKEW_MAX_MS = MINUTE_MS
