/** How services log. A line is a fixed sentence with ids: never input of a user, never a token. */
import type { FastifyBaseLogger } from 'fastify'

/** The part of the server's logger that services use. */
export type Log = Pick<FastifyBaseLogger, 'debug' | 'info' | 'warn' | 'error'>

const nothing = (): void => {}

/** A log that drops everything. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
