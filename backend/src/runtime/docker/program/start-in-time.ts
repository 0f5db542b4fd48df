/** An engine that hangs does not start what it was asked to, and does not say so either. */
import { RuntimeError } from '../../errors.ts'

/** An engine under load takes seconds to make and start an exec; beyond this, in milliseconds, it does not answer. */
const START_MS = 30_000

/** Fails with `engine_unavailable` when `start`, which is told to give up, took too long. */
export const startInTime = async <T>(start: (abortSignal: AbortSignal) => Promise<T>): Promise<T> => {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), START_MS)
  try {
    return await start(late.signal)
  } catch (error) {
    throw late.signal.aborted ? new RuntimeError('engine_unavailable', 'the engine did not start it') : error
  } finally {
    clearTimeout(timer)
  }
}
