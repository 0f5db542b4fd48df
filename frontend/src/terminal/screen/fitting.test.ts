import { expect, test } from 'vitest'
import { FONT_SIZE_MIN, fittingFont } from './fitting.ts'

test('letters shrink until the narrower of both directions fits', () => {
  expect(fittingFont(14, { cols: 80, rows: 40 }, { cols: 100, rows: 40 }, 14)).toBe(11)
  expect(fittingFont(14, { cols: 100, rows: 30 }, { cols: 100, rows: 40 }, 14)).toBe(10.5)
})

test('letters grow again, and not beyond what the person has chosen', () => {
  expect(fittingFont(10, { cols: 120, rows: 60 }, { cols: 100, rows: 40 }, 14)).toBe(12)
  expect(fittingFont(10, { cols: 400, rows: 200 }, { cols: 100, rows: 40 }, 14)).toBe(14)
})

test('letters shrink neither below a readable size nor below the size that the user chose', () => {
  expect(fittingFont(14, { cols: 20, rows: 10 }, { cols: 200, rows: 60 }, 14)).toBe(FONT_SIZE_MIN)
  expect(fittingFont(6, { cols: 20, rows: 10 }, { cols: 200, rows: 60 }, 6)).toBe(6)
})
