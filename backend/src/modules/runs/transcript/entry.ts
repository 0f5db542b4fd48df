/** The lines of a transcript: what a run printed, and what it was read as. */
import type { RunEvent } from '@slipway/protocol'
import type { Offsets, OutputName } from '../../../runtime/program.ts'

/** One step of a run: a line of output with its events, or events of the platform alone. */
export interface Entry {
  /** When it was read, in milliseconds since 1970. */
  readonly at: number
  /** The line, without its line feed; null for what the platform adds. */
  readonly raw: string | null
  /** Whether the line was too long, so that `raw` is only its beginning. */
  readonly isCut: boolean
  /** Whether `raw` is output of a terminal, which has no lines: nothing stands between two of them. Absent: no. */
  readonly isPart?: true
  readonly from: OutputName
  /** The position in both outputs after it. */
  readonly offsets: Offsets
  readonly events: readonly RunEvent[]
  /** The message of this id was about to be sent to the CLI. Absent: none. */
  readonly sent?: string
}

/** The first line of a segment. A takeover begins a segment, and the entries before it are those that it read. */
export interface Head {
  readonly generation: number
  /** How much of the previous segment counts, in bytes. What a backend wrote behind it after the takeover does not. */
  readonly after: { readonly generation: number; readonly bytes: number } | null
}

/** What an entry and an event take besides their texts, in UTF-16 code units. */
const ENTRY_SIZE = 64
const EVENT_SIZE = 128

/**
 * About how long an entry's line is, in UTF-16 code units, without writing it, which costs as much as reading the line.
 * Events repeat what their line says.
 */
export const sizeOf = ({ raw, events }: Entry): number =>
  ENTRY_SIZE + 2 * (raw?.length ?? 0) + EVENT_SIZE * events.length

/** The line of an entry, as short as it can be: most output is one event. */
export const lineOf = ({ at, raw, isCut, isPart, from, offsets, events, sent }: Entry): string => {
  const kind = isCut ? 1 : isPart ? 2 : 0
  const fields = [at, from === 'stdout' ? 1 : 2, offsets.stdout, offsets.stderr, kind, raw, events]
  return `${JSON.stringify(sent === undefined ? fields : [...fields, sent])}\n`
}

export const headLine = (head: Head): string => `${JSON.stringify(head)}\n`

/** The entry of a line that {@link lineOf} wrote. Throws for any other one. */
export const entryOf = (line: string): Entry => {
  const [at, from, stdout, stderr, kind, raw, events, sent] = JSON.parse(line) as [
    number,
    number,
    number,
    number,
    number,
    string | null,
    RunEvent[],
    string?,
  ]
  const entry = { at, from: from === 1 ? 'stdout' : 'stderr', offsets: { stdout, stderr }, isCut: kind === 1 } as const
  return { ...entry, ...(kind === 2 && { isPart: true }), raw, events, ...(sent !== undefined && { sent }) }
}

/** The head of a line that {@link headLine} wrote. Throws for any other one. */
export const headOf = (line: string): Head => JSON.parse(line) as Head
