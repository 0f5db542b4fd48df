/** Loads what an earlier server kept of a session, if it fits the program that is taken over. */
import type { Log } from '../../../../lib/log.ts'
import type { OpenTerminal } from '../../session/open-terminal.ts'
import type { Kept } from '../mirror/mirror.ts'
import type { Snapshot } from '../snapshot.ts'
import type { SizeChange } from '../mirror/sizes.ts'
import type { Flaw, Part, ScreenFiles } from './files.ts'
import { parseScreen, parseSizes } from './kept.ts'

interface Parts {
  readonly files: Pick<ScreenFiles, 'read' | 'past'>
  readonly log: Log
}

/** Null if nothing can be used. The log says why. */
export const loadScreen = async (
  { files, log }: Parts,
  id: string,
  { cols, rows, from, to }: Omit<OpenTerminal, 'pty'>,
): Promise<Kept | null> => {
  const read = async <T>(part: Part, parse: (bytes: Buffer) => T | null | Promise<T | null>): Promise<T | null> => {
    const bytes = await files.read(id, part)
    if (bytes === null) return null
    const found = typeof bytes === 'string' ? null : await parse(bytes)
    if (!found) discarded(typeof bytes === 'string' ? bytes : 'unreadable')
    return found
  }
  const discarded = (because: Flaw | 'ahead'): null => {
    log.warn({ sessionId: id, because }, 'a kept screen is of no use')
    return null
  }
  const sizes = (await read('sizes', parseSizes)) ?? []
  const whole = (await read('screen', parseScreen)) ?? firstOf(sizes)
  if (!whole) return null
  const screen = withLines(whole, await read('since', parseScreen))
  // It is beyond the end of the output, so it belongs to something else.
  if (screen.offset > to) return discarded('ahead')
  const since = sizes.filter(({ offset }) => offset >= screen.offset && offset <= to)
  const last = since.at(-1) ?? screen
  // The time of this change is unknown. The program's redraw for it is still to come.
  if (last.size.cols !== cols || last.size.rows !== rows)
    since.push({ offset: Math.max(last.offset, from), size: { cols, rows } })
  const past = screen.offset < to ? await files.past(id, screen.offset, to) : null
  return { ...screen, sizes: since, past }
}

/** Appends the lines that followed the screen, if they belong to this one. */
const withLines = (screen: Snapshot, since: Snapshot | null): Snapshot => {
  if (since?.base !== screen.offset) return screen
  return { offset: since.offset, size: screen.size, data: Buffer.concat([screen.data, since.data]) }
}

/** If no screen was kept, the first one was empty, provided that its size is known. */
const firstOf = ([first]: readonly SizeChange[]): Snapshot | null =>
  first?.offset === 0 ? { offset: 0, size: first.size, data: new Uint8Array() } : null
