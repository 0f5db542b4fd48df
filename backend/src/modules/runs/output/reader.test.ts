import type { RunHappening } from '@slipway/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Reading } from '../../providers/headless/headless.ts'
import { NOTHING_SAID } from '../../providers/headless/parts/verdict.ts'
import { Masking } from './masking.ts'
import { RunReader, STORED_MAX } from './reader.ts'
import { LINE_MAX } from './lines.ts'
import type { Entry } from '../transcript/entry.ts'
import { entryOf, lineOf } from '../transcript/entry.ts'

const NOW = 1_000
/** Reads each line as a text, with the number of lines before it: a driver with a memory. */
const counting = (): Reading => {
  let lines = 0
  return {
    line: (text) => {
      lines += 1
      return text === '' ? [] : [{ type: 'text', text: `${lines} ${text}` }]
    },
    errorLine: (text) => [{ type: 'status', status: 'notice', message: `${lines} ${text}` }],
    verdict: () => ({ ...NOTHING_SAID, result: String(lines) }),
  }
}
const parts = () => ({ newReading: counting, masking: new Masking() })
const readAll = (reader: RunReader, stdout: Uint8Array, from = 0): Entry[] => [
  ...reader.read(stdout, 'stdout', from, NOW),
  ...reader.end(NOW),
]
async function* stored(entries: readonly Entry[]): AsyncGenerator<Entry> {
  // As they come back from the disk.
  for (const entry of entries) yield entryOf(lineOf(entry))
}

describe('the reader of a run', () => {
  it('gives a driver the beginning of a line that is too long, if the driver reads such lines', () => {
    const output = Buffer.from(`${'x'.repeat(LINE_MAX + 1)}\nend\n`)
    const types = (reading: Reading) =>
      readAll(RunReader.new({ ...parts(), newReading: () => reading }), output).flatMap(({ events }) =>
        events.map(({ type }) => type),
      )
    expect(types(counting())).toEqual(['status', 'text'])
    const longLine = (text: string): RunHappening[] => [{ type: 'thinking', text: text.slice(0, 1) }]
    expect(types({ ...counting(), longLine })).toEqual(['status', 'thinking', 'text'])
  })

  it('continues after a restart at any stored entry, and gives the same entries', async () => {
    const output = fc.array(fc.constantFrom('a', 'bc', '', '{"x":1}', 'ü😀'), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(output, fc.nat(), async (lines, cut) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
        const whole = readAll(RunReader.new(parts()), bytes)
        const kept = whole.slice(0, cut % (whole.length + 1))
        const reader = await RunReader.after(parts(), stored(kept))
        const rest = readAll(reader, bytes.subarray(reader.offsets.stdout), reader.offsets.stdout)
        expect([...kept, ...rest]).toEqual(whole)
        expect(reader.verdict.result).toBe(String(lines.length))
      }),
    )
  })

  it('tells a driver after a restart which message was being sent to the CLI', async () => {
    const sends = (): Reading => {
      const sent = new Set<string>()
      const all = [{ id: 'prompt', line: '{}', once: true } as const]
      return {
        ...counting(),
        messages: () => all.filter(({ id }) => !sent.has(id)),
        sent: (id) => void sent.add(id),
      }
    }
    const reader = RunReader.new({ ...parts(), newReading: sends })
    expect(reader.messages).toHaveLength(1)
    const entries = [...reader.read(Buffer.from('one\n'), 'stdout', 0, NOW), reader.sending('prompt', NOW)]
    expect(reader.messages).toEqual([])
    const next = await RunReader.after({ ...parts(), newReading: sends }, stored(entries))
    expect(next.messages).toEqual([])
    expect([next.seq, next.offsets.stdout]).toEqual([1, 4])
    const other = await RunReader.after({ ...parts(), newReading: sends }, stored(entries.slice(0, 1)))
    expect(other.messages).toHaveLength(1)
  })

  it('numbers the events of both outputs together, without a gap', () => {
    const reader = RunReader.new(parts())
    const entries = [
      ...reader.read(Buffer.from('one\ntw'), 'stdout', 0, NOW),
      ...reader.read(Buffer.from('problem\n'), 'stderr', 0, NOW),
      ...reader.read(Buffer.from('o\n\n'), 'stdout', 6, NOW),
    ]
    expect(entries.flatMap(({ events }) => events.map(({ seq }) => seq))).toEqual([1, 2, 3])
    expect(entries.map(({ offsets }) => [offsets.stdout, offsets.stderr])).toEqual([
      [4, 0],
      [4, 8],
      [8, 8],
      [9, 8],
    ])
  })

  it('goes on with the next line where output was lost', () => {
    const reader = RunReader.new(parts())
    reader.read(Buffer.from('half a li'), 'stdout', 0, NOW)
    expect(reader.read(Buffer.from('next\n'), 'stdout', 500, NOW).map(({ raw }) => raw)).toEqual(['next'])
    expect(reader.offsets.stdout).toBe(505)
  })

  it('keeps of an endless output only what tells its end, and all of it counts as read', () => {
    const result: RunHappening = { type: 'result', text: 'over', isError: false }
    const reading: Reading = {
      line: (text) => (text === 'the end' ? [result] : [{ type: 'text', text: 'a line' }]),
      verdict: () => NOTHING_SAID,
    }
    const reader = RunReader.new({ newReading: () => reading, masking: new Masking() })
    const line = Buffer.from(`${'x'.repeat(1_048_575)}\n`)
    const entries: Entry[] = []
    let offset = 0
    for (; offset < 2 * STORED_MAX; offset += line.length) entries.push(...reader.read(line, 'stdout', offset, NOW))
    entries.push(...reader.read(Buffer.from('the end\n'), 'stdout', offset, NOW))
    const events = entries.flatMap((entry) => entry.events)
    expect(events.at(-1)).toMatchObject({ type: 'result', text: 'over' })
    expect(events.at(-2)).toMatchObject({ type: 'status', message: expect.stringContaining('too long') as string })
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    const size = entries.reduce((sum, { raw }) => sum + (raw?.length ?? 0), 0)
    expect(size).toBeLessThan(STORED_MAX + 2 * line.length)
    expect(reader.offsets.stdout).toBe(offset + 8)
  })
})
