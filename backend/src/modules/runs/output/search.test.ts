import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Search, type Span, SOUGHT_MIN } from './search.ts'

/** Few different characters, so that the sought texts repeat, overlap and nearly match. */
const text = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', 'ü'), { minLength, maxLength }).map((units) => units.join(''))
const sought = fc.array(text(SOUGHT_MIN, 12), { maxLength: 6 })

/** The same by looking at each place for each text. */
const slowly = (all: readonly string[], searched: string): Span[] => {
  const covered = Array.from<number>({ length: searched.length + 1 }).fill(0)
  // A place is joined to the one before it if one text covers both.
  for (const one of all)
    for (let at = searched.indexOf(one); at !== -1; at = searched.indexOf(one, at + 1))
      for (let place = at; place < at + one.length; place += 1)
        covered[place] = Math.max(covered[place]!, place === at ? 1 : 2)
  const spans: { start: number; end: number }[] = []
  for (const [place, kind] of covered.entries())
    if (kind === 1) spans.push({ start: place, end: place + 1 })
    else if (kind === 2) spans.at(-1)!.end = place + 1
  return spans
}

describe('a search for many texts', () => {
  it('finds each of them where it is, and those that overlap as one', () => {
    fc.assert(
      fc.property(sought, text(0, 60), (all, searched) => {
        expect(new Search(all).spans(searched)).toEqual(slowly(all, searched))
      }),
      { numRuns: 1000 },
    )
  })

  it('knows where an incomplete one begins at the end', () => {
    fc.assert(
      fc.property(sought, text(0, 30), (all, searched) => {
        const ends = Array.from(searched, (_, at) => at)
        const isBegun = (at: number): boolean =>
          all.some((one) => one.startsWith(searched.slice(at)) && one.length > searched.length - at)
        expect(new Search(all).begun(searched)).toBe(ends.find(isBegun) ?? searched.length)
      }),
      { numRuns: 1000 },
    )
  })

  it('finds nothing where nothing is sought', () => {
    expect(new Search([]).spans('anything at all')).toEqual([])
    expect(new Search([]).begun('anything at all')).toBe(15)
  })
})
