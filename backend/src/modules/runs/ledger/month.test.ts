import { describe, expect, it } from 'vitest'
import { monthOf } from './month.ts'

describe('the month of a budget', () => {
  it.each([
    ['2026-11-26T12:00:00.000Z', '2026-11-01', '2026-12-01'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01'],
    ['2027-01-01T00:00:00.000Z', '2027-01-01', '2027-02-01'],
  ])('of %s is in UTC', (now, from, to) => {
    expect(monthOf(Date.parse(now))).toEqual({ from: new Date(from), to: new Date(to) })
  })
})
