import type { Signal } from '../../src/lib/emitter.ts'

/** Collects what a signal emits while `work` runs. */
export async function heard<T>(signal: Signal<T>, work: () => Promise<unknown>): Promise<T[]> {
  const values: T[] = []
  const stop = signal.on((value) => values.push(value))
  try {
    await work()
  } finally {
    stop()
  }
  return values
}
