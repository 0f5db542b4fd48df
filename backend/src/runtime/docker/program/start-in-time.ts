/** Limits how long a hanging engine may take to start a program, because it reports no error. */
import { RuntimeError } from '../../errors.ts'

/** Timeout, in milliseconds. An engine under load takes seconds to create and start an exec. */
const START_MS = 30_000

/** If `start` takes too long, its signal is aborted, and this fails with `engine_unavailable`. */
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
