import { describe, expect, it } from 'vitest'
import { foreignIn, withHiddenInSight } from './directions.ts'

describe('a text on which a user decides', () => {
  it.each([
    ['a mark that turns the direction', 'rm \u202e/ fr-', 'rm \ufffd/ fr-'],
    ['a mark of a direction', 'a\u200fb', 'a\ufffdb'],
    ['an escape sequence', '\u001b[2Jls\r', '\ufffd[2Jls\ufffd'],
    ['a character without a width', 'l\u200bs\ufeff', 'l\ufffds\ufffd'],
    ['a joiner outside a picture', 'r\u200dm', 'r\ufffdm'],
    ['a tag character', 'a\u{e0041}', 'a\ufffd'],
    ['half a character', 'a\ud800', 'a\ufffd'],
    ['a filler', 'a\u3164', 'a\ufffd'],
  ])('shows %s', (_what, text, shown) => expect(withHiddenInSight(text)).toBe(shown))

  it('keeps lines, tabs, other scripts and pictures', () => {
    const text = 'a\tb\nжш שלום 👩‍👩‍👧 ❤️‍🔥'
    expect(withHiddenInSight(text)).toBe(text)
  })

  it('names the characters outside ASCII, each once, and not those that are shown as hidden', () => {
    expect(foreignIn('ls /tmp')).toEqual([])
    expect(foreignIn('сс\u00a0\ufffd')).toEqual(['с U+0441', '\u00a0 U+00A0'])
    expect(foreignIn('абвгдежзийк')).toHaveLength(8)
  })
})
