import { describe, expect, it } from 'vitest'
import { combined, inLongForm } from './forms.ts'

describe('two dimensions', () => {
  it('are combined in every way in the long form', () => {
    expect(combined([1, 2], ['a', 'b'], true)).toEqual([
      [1, 'a'],
      [1, 'b'],
      [2, 'a'],
      [2, 'b'],
    ])
  })

  it.each([
    [['a'], [1]],
    [
      ['a', 'b'],
      [1, 2, 3, 4, 5],
    ],
    [
      ['a', 'b', 'c', 'd', 'e'],
      [1, 2],
    ],
    [
      ['a', 'b', 'c'],
      [1, 2, 3],
    ],
  ])('keep each value in the short form, in as few pairs as can be: %j and %j', (first, second) => {
    const pairs = combined(first, second, false)
    expect([...new Set(pairs.map(([one]) => one))]).toEqual(first)
    expect([...new Set(pairs.map(([, other]) => other))].sort()).toEqual(second)
    expect(pairs).toHaveLength(Math.max(first.length, second.length))
  })

  it('are refused where one has no value', () => {
    expect(() => combined([], [1])).toThrow(RangeError)
  })
})

describe('cases of the long form', () => {
  it('are there in it, and not in the short one', () => {
    expect(inLongForm([1, 2], true)).toEqual([1, 2])
    expect(inLongForm([1, 2], false)).toEqual([])
  })
})
