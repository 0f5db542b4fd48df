import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Line, LineSplitter } from './lines.ts'

/** The lines of bytes that arrive in these pieces. */
const split = (bytes: Uint8Array, cuts: readonly number[], max?: number): Line[] => {
  const splitter = new LineSplitter(max === undefined ? {} : { max })
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((one, other) => one - other)
  const lines: Line[] = []
  let at = 0
  for (const end of [...ends, bytes.length]) {
    lines.push(...splitter.push(bytes.subarray(at, end)))
    at = end
  }
  const last = splitter.end()
  return last ? [...lines, last] : lines
}

const text = fc
  .array(fc.constantFrom('a', 'ü', '😀', '\n', '\r', '{"b":1}'), { maxLength: 60 })
  .map((all) => all.join(''))

describe('the lines of an output', () => {
  it('are the same wherever the output is cut into chunks', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (whole, cuts) => {
        const bytes = Buffer.from(whole)
        expect(split(bytes, cuts)).toEqual(split(bytes, []))
      }),
    )
  })

  it('are those between the line feeds, and their ends are offsets into the output', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (whole, cuts) => {
        const bytes = Buffer.from(whole)
        const lines = split(bytes, cuts)
        const expected = whole.split('\n')
        if (expected.at(-1) === '') expected.pop()
        expect(lines.map((line) => line.text)).toEqual(expected.map((line) => line.replace(/\r$/, '')))
        let at = 0
        for (const { end } of lines) {
          const slice = bytes.subarray(at, end).toString()
          expect(slice.indexOf('\n')).toBe(end === bytes.length && !whole.endsWith('\n') ? -1 : slice.length - 1)
          at = end
        }
        expect(at).toBe(bytes.length)
      }),
    )
  })

  it('keep the beginning of one that is too long, and the next line is whole', () => {
    const bytes = Buffer.from(`${'x'.repeat(1000)}\nnext\n`)
    expect(split(bytes, [100, 300, 700], 256)).toEqual([
      { text: 'x'.repeat(256), end: 300, isCut: true },
      { text: 'next', end: 1006, isCut: false },
    ])
  })

  it('hold no memory for a line that never ends', () => {
    const splitter = new LineSplitter({ max: 1024 })
    const chunk = Buffer.alloc(1_048_576, 'y')
    const lines = Array.from({ length: 64 }, () => splitter.push(chunk)).flat()
    expect(lines).toEqual([{ text: 'y'.repeat(1024), end: 1_048_576, isCut: true }])
    expect(splitter.settled).toBe(64 * 1_048_576)
    expect(splitter.end()).toBeNull()
  })

  it('are the same after a restart behind any line', () => {
    // Where a line is cut depends on the chunks. Only its beginning counts.
    const told = (lines: readonly Line[]) => lines.map((line) => (line.isCut ? { ...line, end: null } : line))
    fc.assert(
      fc.property(text, fc.nat(), fc.integer({ min: 3, max: 15 }), (whole, cut, max) => {
        const bytes = Buffer.from(whole)
        const before = new LineSplitter({ max }).push(bytes.subarray(0, cut % (bytes.length + 1)))
        const { end = 0, isCut = false } = before.at(-1) ?? {}
        const after = new LineSplitter({ from: end, isCut, max }).push(bytes.subarray(end))
        expect(told([...before, ...after])).toEqual(told(new LineSplitter({ max }).push(bytes)))
      }),
    )
  })
})
