import { describe, expect, test } from 'vitest'
import { cleaned, marked, matchesIn, piecesOf } from './logText.ts'

const texts = (raw: string) => piecesOf(raw).map(({ text }) => text)

describe('a line of a log', () => {
  test('keeps its colours and looks', () => {
    const pieces = piecesOf('\x1b[1;31merror\x1b[0m plain \x1b[38;5;46mtable\x1b[38;2;1;2;255mrgb\x1b[39m end')
    expect(pieces.map(({ text, colour, bold }) => [text, colour, bold])).toEqual([
      ['error', 'red', true],
      [' plain ', null, false],
      ['table', '#00ff00', false],
      ['rgb', '#0102ff', false],
      [' end', null, false],
    ])
    expect(piecesOf('\x1b[91mx').map(({ colour }) => colour)).toEqual(['brightRed'])
    expect(piecesOf('\x1b[38;5;12mx\x1b[38;5;250my').map(({ colour }) => colour)).toEqual(['brightBlue', '#bcbcbc'])
  })

  test.each([
    ['\x1b]0;title\x07text', 'text'],
    ['\x1b]8;;javascript:alert(1)\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['\x1b]52;c;c2VjcmV0\x07text', 'text'],
    ['\x1bP1$r0m\x1b\\text', 'text'],
    ['\x1b]0;no end of it', ''],
    ['\x1b[2J\x1b[H\x1b[?1049h\x1b[10;10Htext\x1b[6n\x1b[c', 'text'],
    ['\x1b(Btext\x1b7\x1b8\x1bc', 'text'],
    ['\x07\x00te\x08xt\x7f\x9b', 'text'],
    ['10 %\r50 %\r100 %\r', '100 %'],
    ['gpj.\u202egnp.exe', 'gpj.�gnp.exe'],
    ['\x1b[8mhidden\x1b[0m', 'hidden'],
    ['<img src=x onerror=alert(1)>&amp;', '<img src=x onerror=alert(1)>&amp;'],
    ['\x1b', ''],
    ['a\tb', 'a\tb'],
  ])('is text and nothing else: %j', (raw, expected) => {
    expect(texts(raw).join('')).toBe(expected)
    // eslint-disable-next-line no-control-regex
    expect(cleaned(raw)).not.toMatch(/[\x00-\x08\x0a-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e]/)
  })

  test('is read in time that grows with its length, for any text', () => {
    for (const evil of ['\x1b[', '\x1b]', '\x1b[38;5;', '\r', '\x1b[1;']) {
      // CPU time of this process only, so that other load on the machine does not count.
      const from = process.cpuUsage()
      piecesOf(evil.repeat(16_384 / evil.length))
      // In microseconds.
      expect(process.cpuUsage(from).user, JSON.stringify(evil)).toBeLessThan(500_000)
    }
  })
})

describe('a search', () => {
  test('finds each place once, without regard to case', () => {
    expect(matchesIn('Error: error, ERRor', 'error')).toEqual([0, 7, 14])
    expect(matchesIn('aaaa', 'aa')).toEqual([0, 2])
    expect(matchesIn('text', '')).toEqual([])
  })

  test('marks a match over several looks, and leaves the rest as it is', () => {
    const pieces = piecesOf('one \x1b[31mtw\x1b[32mo thr\x1b[0mee')
    const text = pieces.map((piece) => piece.text).join('')
    const cut = marked(pieces, matchesIn(text, 'two'), 3)
    expect(cut.map(({ text: part, match, colour }) => [part, match, colour])).toEqual([
      ['one ', null, null],
      ['tw', 0, 'red'],
      ['o', 0, 'green'],
      [' thr', null, 'green'],
      ['ee', null, null],
    ])
  })
})
