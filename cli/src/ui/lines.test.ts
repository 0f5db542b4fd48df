import { expect, it } from 'vitest'
import { jsonLine, LineSplitter, objectIn } from './lines.ts'

it('puts lines together from pieces, characters too', () => {
  const lines = new LineSplitter()
  const bytes = Buffer.from('ä\nb\r\n\n  \nc')
  const all = [...bytes].flatMap((byte) => lines.push(Uint8Array.of(byte)))
  expect([...all, ...lines.push('d\n')]).toEqual(['ä', 'b\r', 'cd'])
})

it('leaves out a line that is too long, and reads on', () => {
  const lines = new LineSplitter(5)
  expect(lines.push('123456\n12345\n')).toEqual(['12345'])
  expect([...lines.push('1234'), ...lines.push('56'), ...lines.push('78\nok\n')]).toEqual(['ok'])
})

it('finds objects only', () => {
  expect(['{"a":1}', '[1]', 'null', '1', '{', ''].map(objectIn)).toEqual([{ a: 1 }, null, null, null, null, null])
})

it('writes JSON that means the same and moves nothing in a terminal', () => {
  const value = { text: '\u001b[2J\u007f\u0085\u009b31m\u202e\u2066ä€😀' }
  expect(jsonLine(value)).toMatch(/^[\x20-\x7eä€😀]+$/u)
  expect(JSON.parse(jsonLine(value))).toEqual(value)
})
