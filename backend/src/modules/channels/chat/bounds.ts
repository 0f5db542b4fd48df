/** Limits of chats. */
import { SECOND_MS } from '../../../lib/time/clock.ts'

/** Time between two looks for threads that have something to do, in milliseconds. A typing indicator lasts 10 seconds. */
export const LOOK_EVERY_MS = 8 * SECOND_MS
/** Threads of one look. */
export const THREADS_PER_LOOK = 100
/** Threads that are read after the service was connected, those with the last activity first. */
export const THREADS_READ_MAX = 500
/** Messages and marks of one thread that are brought up to date at once. */
export const MESSAGES_PER_TURN = 50
/** Longest title of a thread, in UTF-16 code units. Discord takes 100. */
export const TITLE_MAX = 90
/** Longest part of a prompt or of a question's title that is shown in one line. */
export const LINE_MAX = 300
/** Longest text in a field of a form, in UTF-16 code units. Discord takes no more. */
export const FIELD_MAX = 4000
