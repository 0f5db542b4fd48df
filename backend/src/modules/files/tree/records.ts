/** Splits what a program prints into records. Like paths, records are strings with one character for each byte. */
import type { Readable } from 'node:stream'
import { RuntimeError } from '../../../runtime/errors.ts'

/** Where records end, and how long they may be. */
export interface RecordRules {
  readonly separator: '\0' | '\n'
  /** Longest record, in bytes. */
  readonly maxBytes: number
  /** Called for each record that is longer, which is left out. Without it, such a record is an error. */
  readonly onLong?: () => void
}

/** The records as they arrive, in batches. What follows the last separator is no record. */
export async function* recordsOf(output: Readable, rules: RecordRules): AsyncGenerator<string[], void> {
  const { separator, maxBytes, onLong } = rules
  let rest = ''
  /** Whether the rest is the end of a record that is too long. */
  const state = { isLong: false }
  const tooLong = (): void => {
    if (onLong === undefined) throw new RuntimeError('engine_error', 'the script printed too long a record')
    if (!state.isLong) onLong()
    state.isLong = true
  }
  for await (const chunk of output as AsyncIterable<Buffer>) {
    const parts = (rest + chunk.toString('latin1')).split(separator)
    rest = parts.pop() ?? ''
    const records: string[] = []
    for (const part of parts) {
      if (part.length > maxBytes) tooLong()
      if (!state.isLong) records.push(part)
      state.isLong = false
    }
    if (rest.length > maxBytes) tooLong()
    if (state.isLong) rest = ''
    if (records.length > 0) yield records
  }
}
