import { expect, it } from 'vitest'
import { isQuiet } from './notifications.ts'

const at = (time: string): number => Date.parse(`2026-11-26T${time}:00.000Z`)
const NIGHT = { from: '22:00', to: '07:00', timezone: 'UTC' }

it.each([
  ['21:59', false],
  ['22:00', true],
  ['00:00', true],
  ['06:59', true],
  ['07:00', false],
])('quiet hours over midnight: at %s it is %s', (time, quiet) => expect(isQuiet(NIGHT, at(time))).toBe(quiet))

it('hold within a day, end before their end, and are none if they end as they begin', () => {
  const noon = { from: '12:00', to: '13:30', timezone: 'UTC' }
  expect(['11:59', '12:00', '13:29', '13:30'].map((time) => isQuiet(noon, at(time)))).toEqual([
    false,
    true,
    true,
    false,
  ])
  expect(isQuiet({ ...noon, to: '12:00' }, at('12:00'))).toBe(false)
  expect(isQuiet(null, at('03:00'))).toBe(false)
})

it('follow the clock of their time zone, also when it changes', () => {
  const here = { ...NIGHT, timezone: 'Europe/Stockholm' }
  expect([isQuiet(here, at('21:00')), isQuiet(here, at('20:59'))]).toEqual([true, false])
  // In summer the same clock is an hour further.
  expect(isQuiet(here, Date.parse('2026-07-01T20:00:00.000Z'))).toBe(true)
  expect(isQuiet({ ...NIGHT, timezone: 'Nowhere/Else' }, at('23:00'))).toBe(false)
})
