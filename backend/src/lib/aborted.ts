import { once } from 'node:events'

/** Resolves when the signal is aborted, or at once if it is. */
export const aborted = async (signal: AbortSignal): Promise<null> => {
  if (!signal.aborted) await once(signal, 'abort')
  return null
}
