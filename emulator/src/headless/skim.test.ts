import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from './emulator.ts'
import { repaint } from './repaint.ts'
import { canSkim, plainEnd, skim } from './skim.ts'

const size = { cols: 60, rows: 10 }
/** Fewer lines than an emulator keeps, so that a test need not print ten thousand. */
const SCROLLBACK = 200
const LINES = SCROLLBACK + 2 * size.rows

const emulatorAfter = async (...pieces: (string | Uint8Array)[]): Promise<Emulator> => {
  const emulator = createEmulator(size)
  emulator.terminal.options.scrollback = SCROLLBACK
  for (const piece of pieces) await new Promise<void>((resolve) => emulator.terminal.write(piece, resolve))
  return emulator
}

/** Random numbers that repeat in each run. */
const dice = (seed: number) => (): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  return seed / 2 ** 31
}
const WORDS = [
  'wörter',
  '漢字',
  '👩‍👩‍👧',
  'é',
  '\tx',
  'ab\bc',
  'plain',
  '\x1b[K',
  '\x1b[1;31m',
  '\x1b[m',
  '\x1b[0;48;5;17m',
  '\x1b[38:2::1:2:3m',
  '\x07\x00\x7f\x18\x05',
  'a\x0bb\x0cc',
  '\u00a7',
]

const flood = (seed: number, lines: number): string => {
  const random = dice(seed)
  const line = (): string =>
    Array.from({ length: random() * 30 }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ')
  return Array.from({ length: lines }, () => `${line()}${random() < 0.05 ? '\rover' : ''}\r\n`).join('')
}

const BEFORE = 'what was there\r\n\x1b[4mand how it looked\x1b7'

const skimPlain = (bytes: Buffer) => skim(bytes.subarray(0, plainEnd(bytes, 0).end), LINES)

describe('a flood that is skimmed', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('leaves the emulator as if it had been told everything (%i)', async (seed) => {
    const bytes = Buffer.from(`${flood(seed, 3_000)}the last line\x1b[?25l`)
    const whole = await emulatorAfter(BEFORE, bytes)
    const { head, looks, tail } = skimPlain(bytes)!
    expect(tail - head).toBeGreaterThan(bytes.length / 2)
    const skimmed = await emulatorAfter(BEFORE, bytes.subarray(0, head), looks, bytes.subarray(tail))
    expect(repaint(skimmed)).toBe(repaint(whole))
  })

  it('is told whole from the first sequence on that may do more than to write lines', async () => {
    for (const other of [
      '\x1b[?1049h',
      '\x1b]2;title\x07',
      '\x1b[5;9r',
      '\x0e',
      '\u009b2J',
      '\x1bM',
      '\x1b[2',
      '\x0f',
    ]) {
      const text = `${flood(1, 3_000)}${other}${flood(2, 3_000)}`
      const { tail } = skimPlain(Buffer.from(text))!
      expect(tail).toBeLessThan(Buffer.byteLength(flood(1, 3_000)))
    }
  })

  it('is told whole where little is left out, or a line would not begin in the first column', () => {
    expect(skimPlain(Buffer.from(flood(1, LINES)))).toBeNull()
    expect(skimPlain(Buffer.from(flood(1, 3_000).replaceAll('\r\n', '\n')))).toBeNull()
    expect(skimPlain(Buffer.from('x'.repeat(100_000)))).toBeNull()
  })

  it('is told whole where every line keeps adding to how letters look', () => {
    expect(skimPlain(Buffer.from('some text \x1b[1m\r\n'.repeat(5_000)))).toBeNull()
  })
})

describe('an emulator', () => {
  it('can be skimmed on the ordinary screen only, without a region, and between sequences', async () => {
    expect(canSkim(await emulatorAfter('text'))).toBe(true)
    for (const state of ['\x1b[?1049h', '\x1b[2;5r', '\x1b]2;tit', '\x1b[3', Buffer.from([0xe6, 0xbc])])
      expect(canSkim(await emulatorAfter(state))).toBe(false)
  })
})
