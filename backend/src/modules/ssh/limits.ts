/** Every limit of SSH in one place. */
import { MINUTE_MS, SECOND_MS } from '../../lib/time/clock.ts'
import type { ThrottleLimits } from '../../lib/failure-throttle.ts'

/** Longest time from the connection to the proof, in milliseconds: a person may have to enter a passphrase. OpenSSH's own. */
export const HANDSHAKE_MS = 2 * MINUTE_MS
/** Connections that have not proven who they are, of one network and of all. Further ones are closed at once. */
export const WAITING_PER_NETWORK = 20
export const WAITING_MAX = 100
/** Attempts to prove something that one connection may make: an agent of keys holds several, and each is tried. */
export const AUTH_REQUESTS_MAX = 20
/** Connections of a network that offered keys and proved none, and for how long it is then not heard. */
export const FAILURES: ThrottleLimits = { maxFailures: 30, windowMs: 10 * MINUTE_MS, maxKeys: 10_000 }

/** Connections that one user may have: an editor opens two to four for each window. */
export const CONNECTIONS_PER_USER = 16
/** Connections to one agent, of all its users. */
export const CONNECTIONS_PER_AGENT = 32
/** Channels of one connection: programs and forwarded connections. Each may hold 4 MiB of input that waits. */
export const CHANNELS_PER_CONNECTION = 32
/** Programs that one user may run over all of their connections. */
export const PROGRAMS_PER_USER = 32

/** Time of silence after which a client is asked whether it is still there, in milliseconds, and how often in vain. */
export const KEEPALIVE_MS = 15 * SECOND_MS
export const KEEPALIVE_MISSES = 3
/** How long a client may take to print why its connection is closed, in milliseconds; then it is disconnected. */
export const CLOSING_MS = 2 * SECOND_MS
/** How long a connection beyond a limit stays, so that its client can ask and be told why, in milliseconds. */
export const REFUSED_MS = 10 * SECOND_MS

/** Output of a program or a port that waits for its client, in bytes. Beyond it the source is not read. */
export const OUTPUT_QUEUE_BYTES = 262_144
/** Variables that a client may set for a program, and the longest value of one, in bytes. */
export const VARIABLES_MAX = 32
export const VARIABLE_BYTES = 1024
