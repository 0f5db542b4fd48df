import { describe, expect, it } from 'vitest'
import { createEmulator } from './emulator.ts'
import { Pending } from './pending.ts'

const LINES = 100
const emulator = createEmulator({ cols: 80, rows: 24 })
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const linesOf = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, at) => `\x1b[0;32mline ${from + at} ${'.'.repeat(60)}\r\n`).join('')
const pushInPieces = (pending: Pending, output: string, bytes: number): void => {
  const whole = Buffer.from(output)
  for (let at = 0; at < whole.length; at += bytes) pending.push(Uint8Array.from(whole.subarray(at, at + bytes)))
}

describe('output that waits to be parsed', () => {
  it('is given back as it came', () => {
    const pending = new Pending()
    for (const piece of ['a', '', 'bc\r\n', 'x'.repeat(100_000)]) pending.push(Buffer.from(piece))
    expect(text(pending.take())).toBe(`abc\r\n${'x'.repeat(100_000)}`)
    expect(pending.size).toBe(0)
    pending.push(Buffer.from('next'))
    expect(text(pending.take())).toBe('next')
  })

  it.each([1, 7, 1000])('becomes less in the middle, again and again, in pieces of %i bytes', (bytes) => {
    const pending = new Pending()
    for (let from = 0; from < 5_000; from += 1_000) {
      pushInPieces(pending, linesOf(from, from + 1_000), bytes)
      expect(pending.isPlain).toBe(true)
      pending.skim(emulator, LINES)
      expect(pending.size).toBeLessThan(100 * LINES)
    }
    expect(text(pending.take())).toBe(`${linesOf(0, 1)}\x1b[0;32m${linesOf(4_900, 5_000)}`)
  })

  it.each(['\x1b[2J', '\x1b]0;title\x07', '\u009b2J', '\x1b7', '\x1b[?25l', '\u0085'])(
    'is told from lines by %j, however it is cut',
    (other) => {
      const pending = new Pending()
      pushInPieces(pending, `plain \x1b[1;38;5;200mtext ü \u00a0${other}`, 1)
      expect(pending.isPlain).toBe(false)
      pending.push(Buffer.from('more'))
      expect(pending.isPlain).toBe(false)
      pending.take()
      expect(pending.isPlain).toBe(true)
    },
  )

  it('is told from lines by a sequence that does not end', () => {
    const pending = new Pending()
    pending.push(Buffer.from('\x1b['))
    expect(pending.isPlain).toBe(true)
    pending.push(Buffer.from('1;'.repeat(50)))
    expect(pending.isPlain).toBe(false)
  })
})
