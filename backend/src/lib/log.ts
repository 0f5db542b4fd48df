/** What a service may do with the log. Lines are static sentences and ids: never what people typed, never a token. */
import type { FastifyBaseLogger } from 'fastify'

/** The part of the server's logger that services use. */
export type Log = Pick<FastifyBaseLogger, 'debug' | 'info' | 'warn' | 'error'>

const nothing = (): void => {}

/** A log that goes nowhere. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
