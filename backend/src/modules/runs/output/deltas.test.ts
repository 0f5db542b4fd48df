import type { RunEvent } from '@slipway/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { headlessOf } from '../../providers/catalogue.ts'
import { type Entry, entryOf, lineOf } from '../transcript/entry.ts'
import { HELD_LINES_MAX } from './deltas.ts'
import { Masking } from './masking.ts'
import { RunReader } from './reader.ts'

const NOW = 1000
const SECRET = 'sk-ant-0123456789'

/** How a CLI prints a piece of its answer, what may stand between two of them, and what ends the answer. */
interface Cli {
  readonly piece: (text: string) => object
  readonly aside: object | null
  readonly end: object
}
const CLIS = {
  'gemini-cli': {
    piece: (content: string) => ({ type: 'message', timestamp: 'now', role: 'assistant', content, delta: true }),
    aside: null,
    end: { type: 'tool_use', tool_id: 't1', tool_name: 'run_shell_command', parameters: { command: 'ls' } },
  },
  copilot: {
    piece: (deltaContent: string) => ({ type: 'assistant.message_delta', data: { messageId: 'm1', deltaContent } }),
    aside: { type: 'session.background_tasks_changed', data: {} },
    end: { type: 'assistant.turn_end', data: {} },
  },
} as const satisfies Record<string, Cli>
const NAMES = Object.keys(CLIS) as (keyof typeof CLIS)[]

const newReader = (cli: keyof typeof CLIS, secrets: readonly string[]) => {
  const reading = headlessOf(cli)!.read({ sessionId: '', resume: null, folder: '/home/developer' })
  return { newReading: () => reading, masking: new Masking(secrets) }
}
/** Reads the lines, each in a chunk of its own. */
const read = (reader: RunReader, lines: readonly object[], from = 0): Entry[] => {
  let offset = from
  return lines.flatMap((line) => {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    offset += bytes.length
    return reader.read(bytes, 'stdout', offset - bytes.length, NOW)
  })
}
const said = (entries: readonly Entry[]): string =>
  entries
    .flatMap(({ events }) => events)
    .map((event: RunEvent) => (event.type === 'text' ? event.text : ''))
    .join('')
/** The texts of the pieces in the raw lines. */
const printed = (entries: readonly Entry[]): string =>
  entries
    .map(({ raw }) => {
      const { content, data } = JSON.parse(raw ?? '{}') as { content?: string; data?: { deltaContent?: string } }
      return content ?? data?.deltaContent ?? ''
    })
    .join('')
const cut = (text: string, places: readonly number[]): string[] => {
  const ends = [...places.map((place) => place % (text.length + 1)), text.length].toSorted((a, b) => a - b)
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))
}

describe.each(NAMES)('an answer that %s prints in pieces', (name) => {
  const { piece, aside, end }: Cli = CLIS[name]
  const all = (secrets: readonly string[], pieces: readonly string[]): Entry[] => {
    const reader = RunReader.new(newReader(name, secrets))
    const lines = pieces.flatMap((one) => (aside === null ? [piece(one)] : [piece(one), aside]))
    return [...read(reader, [...lines, end]), ...reader.end(NOW)]
  }

  it('does not show a secret, wherever it is cut', () => {
    const text = fc.string({ maxLength: 12 })
    fc.assert(
      fc.property(text, text, fc.array(fc.nat(), { maxLength: 8 }), (before, after, places) => {
        const entries = all([SECRET, 'sk-ant-0123456789-and-more'], cut(`${before}${SECRET}${after}`, places))
        expect([said(entries), printed(entries)]).toEqual([`${before}***${after}`, `${before}***${after}`])
        expect(entries.map(({ raw }) => raw).join('')).not.toContain(SECRET)
      }),
    )
  })

  it.each(['base64', 'base64url'] as const)('does not show a secret in %s', (alphabet) => {
    const bytes = fc.uint8Array({ maxLength: 4 })
    fc.assert(
      fc.property(bytes, bytes, fc.array(fc.nat(), { maxLength: 8 }), (before, after, places) => {
        const encoded = Buffer.concat([before, Buffer.from(SECRET), after]).toString(alphabet)
        const shown = said(all([SECRET], cut(encoded, places)))
        const first = Math.ceil((before.length * 8) / 6)
        expect(shown).not.toContain(encoded.slice(first, Math.floor(((before.length + SECRET.length) * 8) / 6)))
      }),
    )
  })

  it('is unchanged where it shows none, byte for byte', () => {
    // What begins like a secret, and goes on otherwise.
    const text = fc.array(fc.constantFrom('sk-', 'ant-', '0123', 's', 'ü😀', ' '), { maxLength: 20 })
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (words, places) => {
        fc.pre(!words.join('').includes(SECRET))
        const pieces = cut(words.join(''), places)
        const lines = all([SECRET], pieces).map(({ raw }) => raw)
        const expected = pieces.flatMap((one) => (aside === null ? [piece(one)] : [piece(one), aside]))
        expect(lines).toEqual([...expected, end].map((line) => JSON.stringify(line)))
      }),
    )
  })

  it('does not show it to a server that takes the run over in the middle of it', () => {
    const lines = ['It is sk-ant', '-0123', '456789, as you know.', ' Bye.'].map(piece)
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const reader = RunReader.new(newReader(name, [SECRET]))
    const before = read(reader, lines.slice(0, 2))
    expect(before).toEqual([])
    expect(reader.offsets.stdout).toBe(0)
    const resume = async (): Promise<Entry[]> => {
      const stored = (async function* () {
        for (const entry of before) yield await Promise.resolve(entryOf(lineOf(entry)))
      })()
      const next = await RunReader.after(newReader(name, [SECRET]), stored)
      return next.read(bytes.subarray(next.offsets.stdout), 'stdout', next.offsets.stdout, NOW)
    }
    return expect(resume().then(said)).resolves.toBe('It is ***, as you know. Bye.')
  })
})

describe('a line that is held back', () => {
  it('is stored when the text goes on, when it ends, and when the program ends', () => {
    const { piece, end } = CLIS.copilot
    const reader = RunReader.new(newReader('copilot', [SECRET]))
    expect(said(read(reader, [piece('Ask s')]))).toBe('')
    expect(said(read(reader, [piece('ome')], 1000))).toBe('Ask some')
    expect(said(read(reader, [piece(' sk-')], 2000))).toBe('')
    expect(said(read(reader, [end], 3000))).toBe(' sk-')
    expect(said(read(reader, [piece(' sk')], 4000))).toBe('')
    expect(said(reader.end(NOW))).toBe(' sk')
  })

  it('does not wait for ever', () => {
    const { piece, aside } = CLIS.copilot
    const reader = RunReader.new(newReader('copilot', [SECRET]))
    const lines = [piece('sk-'), ...Array.from({ length: HELD_LINES_MAX }, () => aside)]
    expect(read(reader, lines)).toHaveLength(HELD_LINES_MAX + 1)
  })

  it('does not hold back the other output, and lines of other texts only where they would overtake it', () => {
    const { piece } = CLIS.copilot
    const reader = RunReader.new(newReader('copilot', [SECRET]))
    const other = { type: 'assistant.message_delta', data: { messageId: 'm2', deltaContent: 'ant-' } }
    expect(read(reader, [piece('sk-'), other])).toEqual([])
    expect(reader.read(Buffer.from('problem\n'), 'stderr', 0, NOW)).toHaveLength(1)
    expect(said(read(reader, [piece('ant-0123456789.')], 1000))).toBe('***ant-.')
  })
})
