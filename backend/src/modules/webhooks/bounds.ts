/** How often and how long webhooks are tried. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/time/clock.ts'

/** Longest time for a delivery, from the lookup of its host to the status of the answer, in milliseconds. */
export const DELIVERY_TIMEOUT_MS = 10 * SECOND_MS
/**
 * The pauses after the attempts, in milliseconds. Each is longer than an attempt, because it also bounds how long an
 * attempt of a killed server is waited for. A receiver that is away for a day hears of everything.
 */
export const PAUSES_MS = [
  15 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  8 * HOUR_MS,
  12 * HOUR_MS,
] as const
/** Attempts of a delivery: one before each pause, and the last one. */
export const ATTEMPTS_MAX = PAUSES_MS.length + 1
/** A webhook is switched off if a delivery is given up and none has succeeded for so long, in milliseconds. */
export const FAILING_MAX_MS = 3 * DAY_MS
/** Most deliveries of one webhook that wait to be sent. Beyond it the webhook is switched off. */
export const PENDING_MAX = 1000
/** Deliveries that one server sends at the same time. Each has a socket for up to {@link DELIVERY_TIMEOUT_MS}. */
export const AT_ONCE = 16
/** Of these, those to webhooks of one user, so that slow receivers of one user hold up no other. */
export const AT_ONCE_PER_USER = 2
/** With so many under way, a user has one at a time, so that the last places are for users without one. */
export const CROWDED = AT_ONCE / 2
/** Time between two looks for deliveries that are due, in milliseconds. */
export const LOOK_EVERY_MS = 2 * SECOND_MS
