import { describe, expect, it } from 'vitest'
import { Bracket } from './bracket.ts'

const BEGIN = '\x1b[200~'
const END = '\x1b[201~'

const missingAfter = (...typed: string[]): string | null => {
  const bracket = new Bracket()
  for (const data of typed) bracket.saw(Buffer.from(data))
  const missing = bracket.missing()
  return missing && Buffer.from(missing).toString()
}

describe('the bracket of a paste that was cut off', () => {
  it('is missing only in the middle of a paste', () => {
    expect(missingAfter('ls\r', '\x1b[A', '\x1b')).toBeNull()
    expect(missingAfter(`${BEGIN}text`)).toBe(END)
    expect(missingAfter(`${BEGIN}text`, 'x'.repeat(70_000), 'y')).toBe(END)
    expect(missingAfter(`${BEGIN}text${END}`, 'ls\r')).toBeNull()
    expect(missingAfter(`${BEGIN}one${END}${BEGIN}two`)).toBe(END)
    expect(missingAfter(`${BEGIN}one${END}`, `${BEGIN}two${END}`)).toBeNull()
  })

  it('is found wherever the bytes were cut, and only what is missing of it is told', () => {
    const typed = `a${BEGIN}text${END}`
    const pasteEnds = typed.length - END.length
    for (let at = 0; at <= typed.length; at++) {
      const bytes = Array.from(typed)
      const sent = Math.max(0, at - pasteEnds)
      const isOpen = at >= 1 + BEGIN.length && at < typed.length
      const expected = isOpen ? END.slice(sent) : null
      expect(missingAfter(typed.slice(0, at)), `${at} at once`).toBe(expected)
      expect(missingAfter(...bytes.slice(0, at)), `${at} one by one`).toBe(expected)
    }
  })
})
