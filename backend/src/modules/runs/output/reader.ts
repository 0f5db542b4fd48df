/** Turns the output of a run into numbered entries, and continues where an earlier backend stopped. */
import type { RunHappening } from '@slipway/protocol'
import { FROM_THE_START, type Offsets, type OutputName } from '../../../runtime/program.ts'
import { bounded } from '../../providers/headless/parts/json.ts'
import type { Ask, Message, Reading, UserMessage, Verdict } from '../../providers/headless/headless.ts'
import { type Line, LineSplitter } from './lines.ts'
import { DeltaMask } from './deltas.ts'
import type { Masking } from './masking.ts'
import { type Entry, sizeOf } from '../transcript/entry.ts'

/**
 * Most that is stored of one run, in UTF-16 code units, with its events. Of the rest, only what tells how the run ends is
 * stored.
 */
export const STORED_MAX = 67_108_864
/** What is stored also after that. */
const LASTING: ReadonlySet<RunHappening['type']> = new Set(['result', 'error', 'limit', 'usage'])
const FULL: RunHappening = {
  type: 'status',
  status: 'notice',
  message: 'The output of this task is too long. From here on only its end is kept.',
}

/** Precedes what is read of the beginning of a line that is too long. */
const LONG: RunHappening = {
  type: 'status',
  status: 'notice',
  message: 'A line of the output was too long to be read.',
}

const NO_ASKS: readonly Ask[] = []
const NO_MESSAGES: readonly Message[] = []
const NO_IDS: readonly string[] = []

const OUTPUTS: readonly OutputName[] = ['stdout', 'stderr']

/** What a reader depends on. */
export interface ReaderParts {
  /** Makes the reading of one process: of the first one of the run, or of a later one. */
  readonly newReading: (isLater: boolean) => Reading
  /** Applied to each line, before it is stored and before the driver reads it. */
  readonly masking: Masking
}

/** The entry with which another process of the run begins. */
const beginsProcess = ({ raw, events }: Entry): boolean =>
  raw === null && events.some((event) => event.type === 'status' && event.status === 'resumed')

export class RunReader {
  readonly #newReading: ReaderParts['newReading']
  #reading: Reading
  readonly #masking: Masking
  /** Null if each line of the CLI has whole texts. */
  #deltas: DeltaMask | null
  #splitters: Record<OutputName, LineSplitter>
  #offsets: Offsets
  #seq = 0
  #begunAt = 0
  /** How much output is stored, in UTF-16 code units. */
  #stored = 0

  private constructor(
    { newReading, masking }: ReaderParts,
    splitters: Record<OutputName, LineSplitter>,
    offsets: Offsets,
  ) {
    this.#newReading = newReading
    this.#masking = masking
    this.#reading = newReading(false)
    this.#deltas = deltasOf(this.#reading, masking)
    this.#splitters = splitters
    this.#offsets = offsets
  }

  /** Reads a program from its first byte. */
  static new(parts: ReaderParts): RunReader {
    return new RunReader(parts, newSplitters(), FROM_THE_START)
  }

  /** Continues after the stored entries. Only what the program printed after them must be read. */
  static async after(parts: ReaderParts, entries: AsyncIterable<Entry>): Promise<RunReader> {
    let offsets = FROM_THE_START
    let seq = 0
    let begunAt = 0
    let stored = 0
    let reading = parts.newReading(false)
    let cut = { stdout: false, stderr: false }
    for await (const entry of entries) {
      offsets = entry.offsets
      seq = entry.events.at(-1)?.seq ?? seq
      stored += sizeOf(entry)
      if (beginsProcess(entry)) {
        reading = parts.newReading(true)
        begunAt = seq
        cut = { stdout: false, stderr: false }
      }
      if (entry.sent !== undefined) reading.sent?.(entry.sent)
      if (entry.raw === null) continue
      cut[entry.from] = entry.isCut
      happeningsOf(reading, entry.from, { text: entry.raw, isCut: entry.isCut }, entry.at)
    }
    const splitters = {
      stdout: new LineSplitter({ from: offsets.stdout, isCut: cut.stdout }),
      stderr: new LineSplitter({ from: offsets.stderr, isCut: cut.stderr }),
    }
    const reader = new RunReader(parts, splitters, offsets)
    reader.#reading = reading
    reader.#deltas = deltasOf(reading, parts.masking)
    reader.#seq = seq
    reader.#begunAt = begunAt
    reader.#stored = stored
    return reader
  }

  /** Goes on with another process of the run, whose output begins anew. Answers the entry that says so. */
  resume(message: string, now: number): Entry {
    this.#reading = this.#newReading(true)
    this.#deltas = deltasOf(this.#reading, this.#masking)
    this.#splitters = newSplitters()
    this.#offsets = FROM_THE_START
    const begins = this.add([{ type: 'status', status: 'resumed', message }], now)
    this.#begunAt = this.#seq
    return begins
  }

  /** The position up to which the output was read into entries, or is left out. Lines that are held back are not. */
  get offsets(): Offsets {
    const { stdout, stderr } = this.#splitters
    return { stdout: this.#deltas?.isHolding ? this.#offsets.stdout : stdout.settled, stderr: stderr.settled }
  }

  /** Masks these secrets, too, in every line from now on. */
  learn(secrets: readonly string[]): void {
    this.#masking.learn(secrets)
  }

  /** The number of the last event. */
  get seq(): number {
    return this.#seq
  }

  /** The number of the event with which its process begins; 0 for the first process. */
  get begunAt(): number {
    return this.#begunAt
  }

  /** As in `Reading`. */
  get asks(): readonly Ask[] {
    return this.#reading.asks?.() ?? NO_ASKS
  }

  /** As in `Reading`. */
  get messages(): readonly Message[] {
    return this.#reading.messages?.() ?? NO_MESSAGES
  }

  /** As in `Reading`. */
  get interruption(): string | null {
    return this.#reading.interruption?.() ?? null
  }

  /** As in `Reading`. */
  steering(message: UserMessage): string | null {
    return this.#reading.steering?.(message) ?? null
  }

  /** As in `Reading`. */
  get untaken(): readonly string[] {
    return this.#reading.untaken?.() ?? NO_IDS
  }

  get verdict(): Verdict {
    return this.#reading.verdict()
  }

  /** The entries of the lines that end in this chunk. If its offset is higher than expected, output is lost. */
  read(chunk: Uint8Array, from: OutputName, offset: number, now: number): Entry[] {
    this.#splitters[from].skipTo(offset)
    return this.#splitters[from].push(chunk).flatMap((line) => this.#entriesOf(line, from, now))
  }

  /** The entries of the lines that the end of the program ends. */
  end(now: number): Entry[] {
    return OUTPUTS.flatMap((from) => {
      const line = this.#splitters[from].end()
      const entries = line ? this.#entriesOf(line, from, now) : []
      const held = from === 'stdout' ? this.#deltas?.flush() : null
      return [...entries, ...(held ?? []).flatMap((one) => this.#entryOf(one, from, now))]
    })
  }

  /** The entry of happenings that the platform adds. */
  add(happenings: readonly RunHappening[], now: number): Entry {
    return this.#entry({ at: now, raw: null, isCut: false, from: 'stdout' }, happenings)
  }

  /** The entry that says that a message is about to be sent. It must be stored before the message is. */
  sending(id: string, now: number): Entry {
    this.#reading.sent?.(id)
    return { ...this.#entry({ at: now, raw: null, isCut: false, from: 'stdout' }, []), sent: id }
  }

  /** Of a line, and of those that waited for it. */
  #entriesOf(line: Line, from: OutputName, now: number): Entry[] {
    if (from === 'stderr' || this.#deltas === null) return this.#entryOf(line, from, now)
    return this.#deltas.push(line).flatMap((one) => this.#entryOf(one, from, now))
  }

  /** No entry for a line beyond the bound that does not matter. */
  #entryOf({ text: line, end, isCut }: Line, from: OutputName, now: number): Entry[] {
    // Masked before it is cut, so that no part of a secret stays.
    const masked = this.#masking.mask(line)
    const text = isCut ? bounded(masked) : masked
    this.#offsets = { ...this.#offsets, [from]: end }
    const happenings = happeningsOf(this.#reading, from, { text, isCut }, now)
    const parts = { at: now, raw: text, isCut, from }
    if (this.#stored < STORED_MAX) {
      const entry = this.#entry(parts, happenings)
      this.#stored += sizeOf(entry)
      return this.#stored < STORED_MAX ? [entry] : [entry, this.add([FULL], now)]
    }
    const lasting = happenings.filter(({ type }) => LASTING.has(type))
    return lasting.length === 0 ? [] : [this.#entry(parts, lasting)]
  }

  #entry(parts: Pick<Entry, 'at' | 'raw' | 'isCut' | 'from'>, happenings: readonly RunHappening[]): Entry {
    const at = new Date(parts.at).toISOString()
    const events = happenings.map((happening) => ({ seq: (this.#seq += 1), at, ...happening }))
    return { ...parts, offsets: this.#offsets, events }
  }
}

const deltasOf = (reading: Reading, masking: Masking): DeltaMask | null =>
  reading.delta ? new DeltaMask(masking, reading.delta.bind(reading)) : null

const newSplitters = (): Record<OutputName, LineSplitter> => ({
  stdout: new LineSplitter(),
  stderr: new LineSplitter(),
})

/** What a driver reads in a line. A line that was cut is no JSON any more. */
const happeningsOf = (
  reading: Reading,
  from: OutputName,
  { text, isCut }: Pick<Line, 'text' | 'isCut'>,
  now: number,
): readonly RunHappening[] => {
  if (isCut) return [LONG, ...((from === 'stdout' && reading.longLine?.(text)) || [])]
  return (from === 'stdout' ? reading.line(text, now) : reading.errorLine?.(text, now)) ?? []
}
