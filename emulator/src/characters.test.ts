import headless, { type Terminal } from '@xterm/headless'
import { describe, expect, it } from 'vitest'
import { joinCharacters, openCharacter } from './characters.ts'

const open = (): Terminal => {
  const terminal = new headless.Terminal({ cols: 40, rows: 2, allowProposedApi: true })
  joinCharacters(terminal)
  return terminal
}
const shown = async (...pieces: Uint8Array[]): Promise<string> => {
  const terminal = open()
  for (const piece of pieces) await new Promise<void>((resolve) => terminal.write(piece, resolve))
  return terminal.buffer.active.getLine(0)!.translateToString(true)
}

describe('characters that come in pieces', () => {
  // Each has a byte in the middle whose payload bits are zero: U+2026, U+2014, U+201C, U+200D, U+1F480, U+40000.
  it.each(['so… it—is “said”', 'é 👩‍💻 漢字 ─│', '💀 \u{40000} ü'])(
    'are shown in pieces of any size: %s',
    async (text) => {
      const bytes = new TextEncoder().encode(text)
      for (let first = 0; first <= bytes.length; first++)
        for (let second = first; second <= bytes.length; second++)
          expect(
            await shown(bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)),
            `${first} ${second}`,
          ).toBe(text)
    },
  )

  it('are shown where a piece is as long as the emulator takes at once', async () => {
    const [dots, filling] = [new TextEncoder().encode('…'), new TextEncoder().encode(`${'x'.repeat(30)}\r`)]
    const bytes = new Uint8Array(131_072 + 1)
    for (let at = 0; at < bytes.length; at += filling.length) bytes.set(filling.subarray(0, bytes.length - at), at)
    bytes.set(dots, bytes.length - 3)
    bytes[bytes.length - 4] = 0x0d
    expect((await shown(bytes))[0]).toBe('…')
  })

  it('are left out where they never end, and nothing that follows them', async () => {
    const begun = [[0xe2], [0xe2, 0x80], [0xf0, 0x9f, 0x80], [0xc3], [0xf8], [0xff, 0x80], [0x80, 0x80, 0x80, 0x80]]
    for (const bytes of begun)
      expect(await shown(new Uint8Array(bytes), new TextEncoder().encode('\x1b[1mafter'))).toBe('after')
  })
})

describe('the beginning of a character', () => {
  it('is what its first byte says and has not come', () => {
    const lengths = ['a', 'é', '…', '💀'].map((character) => {
      const bytes = new TextEncoder().encode(character)
      return Array.from(bytes, (_, index) => openCharacter(bytes.subarray(0, index + 1)))
    })
    expect(lengths).toEqual([[0], [1, 0], [1, 2, 0], [1, 2, 3, 0]])
  })
})
