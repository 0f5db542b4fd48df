/** SIGINT, SIGTERM and errors that nobody handles: in order once, at once when told again, and never later than a bound. */
import { constants } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'

/** Ctrl+C may arrive twice, from the terminal and from npm: a signal this soon after the first is the same key, in ms. */
const SAME_KEY_MS = 1_000
/** Longest an orderly stop may take, in milliseconds: 30 s for terminals, then what the database needs to close. */
export const STOP_WITHIN_MS = 45_000

interface Parts {
  /** Stops everything in order. */
  stop(): Promise<void>
  readonly log: Pick<FastifyBaseLogger, 'fatal' | 'error' | 'warn' | 'info'>
}

/**
 * Ends the process with 0 after an orderly stop, 1 after one that failed, took too long or was for an error, 128 and the signal when
 * forced.
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

  // Whatever else is whole lets go of its terminals in order, which the next start takes over.
  process.on('uncaughtException', (error) => {
    // Once: the same may come with everything that is read meanwhile.
    if (!isBroken) log.fatal({ err: error }, 'an error that nobody handles: the server ends')
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
