import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import wabt from 'wabt'
import { ESCAPED_BYTES_MAX, writeEscaped } from './escape.ts'

const escaped = (bytes: Buffer): string => {
  const to = Buffer.alloc(3 + bytes.length * ESCAPED_BYTES_MAX)
  return to.toString('latin1', 3, writeEscaped(bytes, to, 3))
}
/** The escapes that JSON itself makes of characters with these codes. */
const expected = (bytes: Buffer): string => JSON.stringify(bytes.toString('latin1')).slice(1, -1)
const beside = (name: string): Buffer => readFileSync(new URL(name, import.meta.url))

it('is what its text says', async () => {
  const module = (await wabt()).parseWat('escape.wat', beside('escape.wat').toString())
  expect(Buffer.from(module.toBinary({}).buffer).equals(beside('escape.wasm'))).toBe(true)
  module.destroy()
})

it('writes every byte as JSON does, wherever it stands among others', () => {
  for (let byte = 0; byte < 256; byte++)
    for (let before = 0; before < 20; before++) {
      const bytes = Buffer.concat([Buffer.alloc(before, 'a'), Buffer.from([byte]), Buffer.from('bc')])
      expect(escaped(bytes)).toBe(expected(bytes))
    }
})

it('writes any bytes as JSON does, of any length and place in memory', () => {
  const random = randomBytes(4096)
  for (let length = 0; length < 300; length++) {
    const bytes = random.subarray(length, 2 * length)
    expect(escaped(bytes)).toBe(expected(bytes))
  }
})

it('writes more than it takes at once, and nothing of what it took before', () => {
  for (const fill of ['\0', 'a', '"', 'é', '12345678901234567\n'])
    for (const length of [16_383, 16_384, 16_385, 32_768, 65_536, 5]) {
      const bytes = Buffer.alloc(length, fill)
      expect(escaped(bytes) === expected(bytes), `${length} of ${JSON.stringify(fill)}`).toBe(true)
    }
})

it('leaves text in other scripts as it is', () => {
  const bytes = Buffer.from('漢字 “é” 👩‍💻\u007f')
  expect(escaped(bytes)).toBe(bytes.toString('latin1'))
})
