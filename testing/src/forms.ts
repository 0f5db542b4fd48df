/**
 * The two forms of the tests. `npm test` runs the short form: one case for each value of each dimension, and of several
 * tests of one behaviour the one that says most. `npm run test:long` runs all cases of the files that import this one.
 * Each file keeps a test in the short form, because a file without one fails.
 */
import { it } from 'vitest'

/** Set to `long` by `scripts/test.mjs --long`. */
const FORM_VARIABLE = 'SLIPWAY_TEST_FORM'
export const isLongForm = process.env[FORM_VARIABLE] === 'long'

/**
 * All combinations of two dimensions; in the short form as few as have each value once. The values of the longer
 * dimension take turns with those of the shorter one.
 *
 * @throws {RangeError} when a dimension has no value, because its tests would be gone unseen
 */
export const combined = <A, B>(first: readonly A[], second: readonly B[], form = isLongForm): [A, B][] => {
  const [{ length: rows }, { length: columns }] = [first, second]
  if (rows === 0 || columns === 0) throw new RangeError('a dimension has no value')
  const all = first.flatMap((one, row) =>
    second.map((other, column) => ({ row, column, pair: [one, other] satisfies [A, B] })),
  )
  const isTurn = ({ row, column }: { row: number; column: number }): boolean =>
    rows > columns ? column === row % columns : row === column % rows
  return all.filter((each) => form || isTurn(each)).map(({ pair }) => pair)
}

/** Cases of the long form only: nothing in the short one. */
export const inLongForm = <T>(cases: readonly T[], form = isLongForm): readonly T[] => (form ? cases : [])

type Test = () => Promise<void> | void
interface LongIt {
  (title: string, test: Test): void
  (title: string, options: { readonly timeout: number }, test: Test): void
}

/** A test of the long form only. A comment beside it says what the short form has instead. */
export const longIt: LongIt = isLongForm ? it : () => {}

/**
 * The values of a dimension for the test with this number; in the short form the one whose turn it is. The numbers of
 * tests that share a dimension count up from 0.
 */
export const inTurn = <T>(values: readonly T[], at: number, form = isLongForm): readonly T[] =>
  form ? values : values.slice(at % values.length).slice(0, 1)
