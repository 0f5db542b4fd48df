/** Requests that are sent again while the server does not answer. */
import { setTimeout as pause } from 'node:timers/promises'
import { SlipwayError } from './errors.ts'

/** Pauses before a request is sent again, in milliseconds. */
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000] as const
/** For so long the command looks for a server that does not answer, in milliseconds. A restart takes less. */
export const GIVE_UP_MS = 10 * 60_000

/** The pause after a failed try, in milliseconds. The first try has the number 0. */
export const retryMs = (attempt: number, error?: SlipwayError): number =>
  Math.max(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)] ?? 0, (error?.retryAfterSeconds ?? 0) * 1000)

/** A failure after which the same request may succeed. */
export const isTransient = (error: unknown): error is SlipwayError => error instanceof SlipwayError && error.isTransient

export interface Persistence {
  /** No try begins after it is aborted. */
  readonly signal: AbortSignal
  /** Hears of the first failure. */
  readonly onLost: (error: SlipwayError) => void
}

/** Sends a request, and sends it again while the server does not answer. Rejects with the last failure. */
export const again = async <T>(send: () => Promise<T>, { signal, onLost }: Persistence): Promise<T> => {
  const from = Date.now()
  for (let attempt = 0; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      if (!isTransient(error) || Date.now() - from >= GIVE_UP_MS || signal.aborted) throw error
      if (attempt === 0) onLost(error)
      await pause(retryMs(attempt, error), undefined, { signal }).catch(() => {
        throw error
      })
    }
  }
}
