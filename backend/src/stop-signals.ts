/**
 * Handles SIGINT, SIGTERM and unhandled errors: the first one stops the server in order, the second one at once, and a
 * stop never takes longer than its bound.
 */
import { constants } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'

/**
 * Ctrl+C may arrive twice, from the terminal and from npm. A signal this soon after the first counts as the same, in
 * milliseconds.
 */
const SAME_KEY_MS = 1_000
/** Longest time for a stop in order, in milliseconds: 30 s for terminals, the rest for closing the database. */
export const STOP_WITHIN_MS = 45_000

interface Parts {
  /** Stops everything in order. */
  stop(): Promise<void>
  readonly log: Pick<FastifyBaseLogger, 'fatal' | 'error' | 'warn' | 'info'>
}

/**
 * Ends the process: with 0 after a stop in order; with 1 if the stop failed, took too long or was caused by an error;
 * with 128 plus the signal if it was forced.
 */
export function stopOnSignals({ stop, log }: Parts): void {
  let toldAt: number | null = null
  let isBroken = false

  const inOrder = async (): Promise<void> => {
    setTimeout(() => {
      log.error('could not stop in time')
      process.exit(1)
    }, STOP_WITHIN_MS).unref()
    try {
      await stop()
      log.info('stopped')
      process.exit(isBroken ? 1 : 0)
    } catch (error) {
      log.error({ err: error }, 'could not stop in order')
      process.exit(1)
    }
  }

  // The rest of the server may be whole, so it releases its terminals in order, and the next start takes them over.
  process.on('uncaughtException', (error) => {
    // Log it once: each further read may raise the same error.
    if (!isBroken) log.fatal({ err: error }, 'an unhandled error: the server ends')
    isBroken = true
    if (toldAt !== null) return
    toldAt = performance.now()
    void inOrder()
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (toldAt === null) {
        toldAt = performance.now()
        void inOrder()
      } else if (performance.now() - toldAt > SAME_KEY_MS) {
        log.warn('told again to stop: leaving at once')
        process.exit(128 + constants.signals[signal])
      }
    })
  }
}
