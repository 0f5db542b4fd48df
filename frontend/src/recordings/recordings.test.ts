import { describe, expect, it } from 'vitest'
import { CastError, forPlayer, marksOf, parseCast, shortened } from './cast.ts'
import { PlainText } from './plainText.ts'
import { HITS_MAX, hitsIn, textOf } from './search.ts'

const HEADER = '{"version":3,"term":{"cols":80,"rows":24},"timestamp":0}'
const castOf = (...lines: unknown[]): string =>
  [HEADER, ...lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))].join('\n') + '\n'

describe('a recording', () => {
  it('is read with the time since its beginning, without comments and what is not known', () => {
    const cast = parseCast(castOf([0.5, 'o', 'a'], '#@ 1 500', [0.25, 'q', '?'], [0.25, 'x', '0'], 'junk', '[1,'))
    expect(cast).toEqual({
      cols: 80,
      rows: 24,
      events: [
        { at: 500, code: 'o', data: 'a' },
        { at: 1000, code: 'x', data: '0' },
      ],
      durationMs: 1000,
    })
  })

  it('that was cut off is read up to its last whole line', () => {
    const whole = castOf([0, 'o', 'a'], [1, 'o', 'b'])
    expect(parseCast(whole.slice(0, -3)).events).toHaveLength(1)
    expect(parseCast(HEADER).events).toEqual([])
  })

  it.each([
    '',
    'nonsense',
    '{"version":2,"width":80,"height":24}',
    '{"version":3,"term":{"cols":1e9,"rows":1}}',
    'null',
  ])('is refused where it is none: %s', (text) => expect(() => parseCast(text)).toThrow(CastError))

  it('can be played without its long pauses', () => {
    const cast = parseCast(castOf([0, 'o', 'a'], [60, 'o', 'b'], [0.5, 'x', '0']))
    const short = shortened(cast, 2000)
    expect(short.events.map(({ at }) => at)).toEqual([0, 2000, 2500])
    expect(short.durationMs).toBe(2500)
    expect(shortened(cast, null)).toBe(cast)
    expect(forPlayer(short)).toEqual([{ version: 2, width: 80, height: 24 }, [0, 'o', 'a'], [2, 'o', 'b']])
  })

  it('has marks, and of sizes that follow one another the last', () => {
    const cast = parseCast(
      castOf([0, 'm', 'Bash was started'], [1, 'r', '90x20'], [0.1, 'r', '91x20'], [5, 'r', '80x24']),
    )
    expect(marksOf(cast).map(({ at, text }) => [at, text])).toEqual([
      [0, 'Bash was started'],
      [1100, 'Resized to 91 × 20'],
      [6100, 'Resized to 80 × 24'],
    ])
  })
})

const textsOf = (...data: string[]): string[] => {
  const plain = new PlainText()
  data.forEach((one, index) => plain.feed(one, index))
  plain.finish(data.length)
  return plain.pieces.map(({ text }) => text)
}

describe('the text of a recording', () => {
  it('is what is left without looks, titles and links, wherever an event ends', () => {
    const output =
      '\u001b]0;a title\u0007\u001b[1;32mgreen\u001b[0m \u001b]8;;https://x\u001b\\link\u001b]8;;\u001b\\\u001b(B\r\nnext'
    expect(textsOf(output)).toEqual(['green link', 'next'])
    for (let cut = 0; cut <= output.length; cut += 1)
      expect(textsOf(output.slice(0, cut), output.slice(cut))).toEqual(['green link', 'next'])
  })

  it('is cut where the cursor goes elsewhere, and has the blanks that were skipped', () => {
    expect(textsOf('one\u001b[5;1Htwo\u001b[1Cthree\u001b[2K four')).toEqual(['one', 'two three four'])
  })

  it('is what stands after something was taken back', () => {
    expect(textsOf('lx\bs -l\tsrc')).toEqual(['ls -l src'])
  })
})

describe('the search', () => {
  const search = async (needle: string, ...lines: unknown[]) => {
    const pieces = await textOf(parseCast(castOf(...lines)), new AbortController().signal)
    return hitsIn(pieces ?? [], needle)
  }

  it('finds what came in several events, where it is complete', async () => {
    expect(await search('HELLO', [0, 'o', 'say hel'], [1, 'o', '\u001b[1mlo\u001b[0m you\r\n'])).toEqual([
      { event: 1, before: 'say ', match: 'hello', after: ' you' },
    ])
  })

  it('lists what is drawn again and again once', async () => {
    expect(await search('busy', ...Array.from({ length: 9 }, () => [0, 'o', '\rbusy']))).toHaveLength(1)
  })

  it('lists no more than a person looks through', async () => {
    const lines = Array.from({ length: HITS_MAX + 10 }, (_, line) => [0, 'o', `line ${line}\r\n`])
    expect(await search('line', ...lines)).toHaveLength(HITS_MAX)
  })

  it('does not look at what was typed', async () => {
    expect(await search('secret', [0, 'i', 'secret\r'])).toEqual([])
  })
})
