/** What the platform adds to the events of a run. */
import type { RunHappening } from '@slipway/protocol'
import type { ConductedRun } from './conducted.ts'

/** Stores it after what was read so far, and then tells those who follow the run. */
export const addEvent = (
  { reader, writer, live }: Pick<ConductedRun, 'reader' | 'writer' | 'live'>,
  happening: RunHappening,
  now: number,
): void => {
  const entry = reader.add([happening], now)
  void writer.append([entry]).then(
    () => live.stored([entry]),
    () => undefined,
  )
}
