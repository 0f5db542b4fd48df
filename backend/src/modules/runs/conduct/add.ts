/** What the platform adds to the events of a run. */
import type { RunHappening } from '@slipway/protocol'
import type { ConductedRun } from './conducted.ts'

type Written = Pick<ConductedRun, 'reader' | 'writer' | 'live'>

/** Stores it after what was read so far, and then tells those who follow the run. */
export const addEvent = (run: Written, happening: RunHappening, now: number): void =>
  void storeEvent(run, happening, now)

/** The same, and resolves when it is stored, or when the disk refuses it. */
export const storeEvent = async (
  { reader, writer, live }: Written,
  happening: RunHappening,
  now: number,
): Promise<void> => {
  const entry = reader.add([happening], now)
  await writer.append([entry]).then(
    () => live.stored([entry]),
    () => undefined,
  )
}
