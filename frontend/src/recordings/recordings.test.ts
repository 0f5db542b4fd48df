import { describe, expect, it } from 'vitest'
import { CastError, castOf, firstDrawn, forPlayer, lengthOf, marksOf, playerSeconds, timeOf } from './cast.ts'
import { PlainText } from './plainText.ts'
import { HITS_MAX, hitsIn, textOf } from './search.ts'

const HEADER = '{"version":3,"term":{"cols":80,"rows":24},"timestamp":0}'
const castText = (...lines: unknown[]): string =>
  [HEADER, ...lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))].join('\n') + '\n'

const never = new AbortController().signal
/** Reads the lines as one chunk. */
const read = (...lines: unknown[]) => castOf([castText(...lines)], never)

describe('a recording', () => {
  it('is read with the time since its beginning, without comments and what is not known', async () => {
    const cast = await read([0.5, 'o', 'a'], '#@ 1 500', [0.25, 'q', '?'], [0.25, 'x', '0'], 'junk', '[1,')
    expect(cast).toEqual({
      cols: 80,
      rows: 24,
      events: [
        { at: 500, skippedAt: 500, code: 'o', data: 'a' },
        { at: 1000, skippedAt: 1000, code: 'x', data: '0' },
      ],
      places: [],
      durationMs: 1000,
      skippedMs: 1000,
    })
  })

  it('that was cut off is read up to its last whole line', async () => {
    const whole = castText([0, 'o', 'a'], [1, 'o', 'b'])
    expect((await castOf([whole.slice(0, -3)], never)).events).toHaveLength(1)
    expect((await castOf([HEADER], never)).events).toEqual([])
  })

  it.each([
    '',
    'nonsense',
    '{"version":2,"width":80,"height":24}',
    '{"version":3,"term":{"cols":1e9,"rows":1}}',
    'null',
  ])('is refused where it is none: %s', (text) => expect(castOf([text], never)).rejects.toThrow(CastError))

  it('is the same in however many pieces it comes', async () => {
    const text = castText([0.5, 'o', 'a\r\n'], [9, 'm', 'A mark'], '#@ 1 500', [0.1, 'r', '90x20'], [0, 'o', '文'])
    const whole = await castOf([text], never)
    expect(whole.events).toHaveLength(4)
    for (let cut = 0; cut <= text.length; cut += 1)
      expect(await castOf([text.slice(0, cut), text.slice(cut)], never)).toEqual(whole)
    expect(await castOf(text, never)).toEqual(whole)
  })

  it('is read in slices with pauses in between, which change nothing of it', async () => {
    const count = 200_000
    const lines = Array.from({ length: count }, (_, line) => `[0.001,"o","line ${line}"]\n`)
    let pauses = 0
    const timer = setInterval(() => (pauses += 1))
    const cast = await castOf([`${HEADER}\n${lines.join('')}`], never)
    clearInterval(timer)
    expect(pauses).toBeGreaterThan(0)
    expect(cast.durationMs).toBe(count)
    expect(cast.events.every(({ at, data }, line) => at === line + 1 && data === `line ${line}`)).toBe(true)
  })

  it('is read no further after the user stops it', async () => {
    const stop = new AbortController()
    function* pieces() {
      yield `${HEADER}\n`
      stop.abort()
      for (let line = 0; line < 500_000; line += 1) yield '[0,"o","a"]\n'
    }
    await expect(castOf(pieces(), stop.signal)).rejects.toThrow('aborted')
  })

  it('can be played without its long pauses', async () => {
    const cast = await read([0, 'o', 'a'], [60, 'o', 'b'], [0.5, 'x', '0'])
    expect(cast.events.map((event) => timeOf(event, true))).toEqual([0, 2000, 2500])
    expect(cast.events.map((event) => timeOf(event, false))).toEqual([0, 60_000, 60_500])
    expect([lengthOf(cast, true), lengthOf(cast, false)]).toEqual([2500, 60_500])
    const { events, ...size } = forPlayer(cast, true)
    expect(size).toEqual({ cols: 80, rows: 24 })
    expect([...events]).toEqual([
      [0, 'o', 'a'],
      [2000, 'o', 'b'],
    ])
  })

  it('has marks, and of sizes that follow one another the last', async () => {
    const cast = await read([0, 'm', 'Bash was started'], [1, 'r', '90x20'], [0.1, 'r', '91x20'], [5, 'r', '80x24'])
    const marks = (skipsPauses: boolean) => marksOf(cast, skipsPauses).map(({ at, text }) => [at, text])
    expect(marks(false)).toEqual([
      [0, 'Bash was started'],
      [1100, 'Resized to 91 × 20'],
      [6100, 'Resized to 80 × 24'],
    ])
    expect(marks(true).at(-1)).toEqual([3100, 'Resized to 80 × 24'])
  })
})

const textsOf = (...data: string[]): string[] => {
  const plain = new PlainText()
  data.forEach((one, index) => plain.feed(one, index))
  plain.finish(data.length)
  return plain.pieces.map(({ text }) => text)
}

describe('a place in a recording', () => {
  it('is for the player never before the event that is meant, nor as late as the next', () => {
    const places = Array.from({ length: 100_000 }, (_, ms) => ms)
    // As the player computes it.
    const late = places.map((ms) => playerSeconds(ms) * 1000 - ms)
    expect(late[0]).toBe(0)
    expect(late.every((by) => by >= 0 && by < 1)).toBe(true)
  })

  it('has what was printed within its millisecond after it, and time does not go back', async () => {
    const { events, durationMs } = await read(
      [0.5, 'o', 'before'],
      [0, 'r', '90x20'],
      [0, 'o', 'after'],
      [0, 'o', 'more'],
      [0, 'm', 'A mark'],
      [0, 'm', 'another'],
      [0, 'i', 'y'],
      [0, 'o', 'last'],
      [0.001, 'i', 'x'],
    )
    expect(events.map(({ at, data }) => [at, data])).toEqual([
      [500, 'before'],
      [500, '90x20'],
      [501, 'after'],
      [501, 'more'],
      [501, 'A mark'],
      [501, 'another'],
      [501, 'y'],
      [502, 'last'],
      [502, 'x'],
    ])
    expect(durationMs).toBe(502)
  })
})

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
    const pieces = await textOf(await read(...lines), never)
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

describe('the first frame in which there is something to see', () => {
  it.each<[string, number, unknown[][]]>([
    ['is at once', 0, [[0, 'o', '$ ']]],
    [
      'comes after what draws nothing',
      900,
      [
        [0.1, 'o', '\x1b[2J\x1b[H\r\n  '],
        [0.4, 'o', '\x1b]0;title\x07'],
        [0.4, 'o', 'hi'],
      ],
    ],
    [
      'is not a sequence that was cut in two',
      300,
      [
        [0.1, 'o', '\x1b[?2'],
        [0.1, 'o', '5l'],
        [0.1, 'o', '\x1b[1mhi'],
      ],
    ],
    [
      'is not a title that was cut in two',
      200,
      [
        [0.1, 'o', '\x1b]0;my ti'],
        [0.1, 'o', 'tle\x1b\\hi'],
      ],
    ],
    [
      'has all of its pieces',
      250,
      [
        [0.1, 'o', '╭──'],
        [0.1, 'o', '──╮'],
        [0.05, 'o', '│'],
        [3, 'o', 'later'],
      ],
    ],
    ['ends where a program never stops drawing', 1100, Array.from({ length: 99 }, () => [0.1, 'o', 'x'])],
    [
      'is of what was printed, not of what was typed',
      400,
      [
        [0.1, 'i', 'ls'],
        [0.1, 'r', '90x20'],
        [0.2, 'o', 'a'],
      ],
    ],
    [
      'does not exist',
      0,
      [
        [0.5, 'o', '\x1b[H'],
        [1, 'x', '0'],
      ],
    ],
    [
      'is not looked for without end',
      0,
      [
        [0.5, 'o', '\x1b[H'.repeat(22_000)],
        [1, 'o', 'late'],
      ],
    ],
  ])('%s', async (_what, at, lines) => expect(firstDrawn(await read(...lines), false)).toBe(at))

  it('is found where pauses are skipped, too', async () => {
    expect(firstDrawn(await read([0.5, 'o', '\x1b[H'], [60, 'o', 'hi'], [60, 'o', 'ho']), true)).toBe(2_500)
  })
})
