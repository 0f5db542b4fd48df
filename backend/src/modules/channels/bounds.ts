/** How often, how long and how many messages to people are tried. */
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../lib/time/clock.ts'

/** How long a question is open before messages go out, in milliseconds. By then a page shows it, or it is answered. */
export const SETTLE_MS = 5 * SECOND_MS
/** Time between two looks for what is due, in milliseconds. */
export const LOOK_EVERY_MS = 2 * SECOND_MS
/** How long a message waits that comes in quiet hours, or while its user looks at the question, in milliseconds. */
export const HOLD_MS = MINUTE_MS / 2
/** Least time between two pushes to one device, in milliseconds. What comes meanwhile goes into one. */
export const PUSH_EVERY_MS = 10 * SECOND_MS
/** The same for mail to one user: a mail is read later than a push. */
export const MAIL_EVERY_MS = 5 * MINUTE_MS
/** The pauses after the attempts, in milliseconds. Each is longer than an attempt. */
export const PAUSES_MS = [30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS] as const
/** No message waits longer for its next attempt, in milliseconds. */
export const WAIT_MAX_MS = Math.max(...PAUSES_MS, HOLD_MS, PUSH_EVERY_MS, MAIL_EVERY_MS)
/** Attempts of a message: one before each pause, and the last one. */
export const ATTEMPTS_MAX = PAUSES_MS.length + 1
/** Longest time for a push, in milliseconds. */
export const PUSH_TIMEOUT_MS = 10 * SECOND_MS
/** Longest silence of a mail server, in milliseconds. */
export const MAIL_TIMEOUT_MS = 20 * SECOND_MS
/** Messages that one server sends at the same time. */
export const AT_ONCE = 16
/** Of these, those to one user, so that slow push services of one user hold up no other. */
export const AT_ONCE_PER_USER = 2
/** Most questions of one look, and of one message. */
export const BATCH = 100
/** Most messages of one user that wait to be sent. Beyond it no further ones are stored: those that wait say enough. */
export const PENDING_MAX = 500
/** How long a push service keeps a push for a device that is off, in seconds. */
export const PUSH_TTL_SECONDS = DAY_MS / SECOND_MS
/** How long messages that were sent are kept, in milliseconds. An answer may name them. */
export const KEPT_MS = 7 * DAY_MS
