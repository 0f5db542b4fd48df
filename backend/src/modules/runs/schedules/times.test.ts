import { CronDate, CronExpressionParser } from 'cron-parser'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/time/clock.ts'
import { advance, timesAfter, type Times } from './times.ts'

const BERLIN = 'Europe/Berlin'
const utc = (cron: string): Times => ({ cron, timezone: 'UTC' })
const berlin = (cron: string): Times => ({ cron, timezone: BERLIN })
const after = (times: Times, at: string): string[] =>
  timesAfter(times, Date.parse(at)).map((time) => time.toISOString().slice(0, 16))

describe('the next times of a schedule', () => {
  it('are the five after a time, which is not among them', () => {
    expect(after(utc('0 9 * * 1-5'), '2026-11-26T09:00:00Z')).toEqual([
      '2026-11-27T09:00',
      '2026-11-30T09:00',
      '2026-12-01T09:00',
      '2026-12-02T09:00',
      '2026-12-03T09:00',
    ])
    expect(after(utc('*/5 * * * *'), '2026-11-26T08:59:59.999Z')[0]).toBe('2026-11-26T09:00')
    expect(after(berlin('0 9 * * *'), '2026-11-26T00:00:00Z')[0]).toBe('2026-11-26T08:00')
    expect(after(utc('0 0 29 2 *'), '2026-11-26T00:00:00Z')[4]).toBe('2044-02-29T00:00')
  })

  it('come an hour later in the hour that a clock change skips', () => {
    const [day, changed, next] = after(berlin('30 2 * * *'), '2026-03-27T12:00:00Z')
    expect([day, changed, next]).toEqual(['2026-03-28T01:30', '2026-03-29T01:30', '2026-03-30T00:30'])
  })

  it('count the first of a doubled hour, and both with a star', () => {
    const [changed, next] = after(berlin('30 2 * * *'), '2026-10-24T12:00:00Z')
    expect([changed, next]).toEqual(['2026-10-25T00:30', '2026-10-26T01:30'])
    expect(after(berlin('30 * * * *'), '2026-10-24T23:45:00Z')).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-25T02:30',
      '2026-10-25T03:30',
      '2026-10-25T04:30',
    ])
  })

  it.each([
    ['* * * * *', 'every 5 minutes at most'],
    ['0,4 3 * * *', 'every 5 minutes at most'],
    ['1,57 * * * *', 'every 5 minutes at most'],
    ['2,58 23,0 * * *', 'every 5 minutes at most'],
    ['0 0 * *', 'must have 5 fields'],
    ['0 0 0 * * *', 'must have 5 fields'],
    ['@daily', 'must have 5 fields'],
    ['H 0 * * *', 'may only have numbers, names'],
    ['0 0,h * * *', 'may only have numbers, names'],
    ['0 0 ? * *', 'may only have numbers, names'],
    ['0 0 L * *', 'may only have numbers, names'],
    ['0 0 LLL * *', 'may only have numbers, names'],
    ['0 0 15W * *', 'may only have numbers, names'],
    ['0 0 * * 5L', 'may only have numbers, names'],
    ['0 0 * 2 1#5', 'may only have numbers, names'],
    ['0 0 31 2,4,6,9,11 *', 'none of its months has this day'],
    ['0 0 30,31 2 *', 'day of month'],
    ['61 0 * * *', '61'],
    ['a b c d e', 'body.cron'],
    ['0 0 30 2 *', 'day of month'],
  ])('do not exist of %s', (cron, sentence) => {
    expect(() => timesAfter(utc(cron), 0)).toThrow(expect.objectContaining({ code: 'VALIDATION' }))
    expect(() => timesAfter(utc(cron), 0)).toThrow(sentence)
  })

  it.each(['Nowhere/City', 'Europe', '___', 'Australia/LHI'])('do not exist in %s', (timezone) => {
    expect(() => timesAfter({ cron: '0 0 * * *', timezone }, 0)).toThrow('body.timezone')
  })

  it.each(['0,5 3 * * *', '2,57 * * * *', '1,58 1,3 * * *', '0 0 * MAR THU', '*/5 * * * *'])('exist of %s', (cron) => {
    expect(timesAfter(utc(cron), 0)).toHaveLength(5)
  })
})

/** Random expressions that are rare enough, and moments around the clock changes of a year and a half. */
const minute = fc.oneof(fc.constantFrom('*/5', '*/15', '0,30', '7'), fc.integer({ min: 0, max: 59 }).map(String))
const hour = fc.oneof(fc.constantFrom('*', '*/2', '1-3', '2'), fc.integer({ min: 0, max: 23 }).map(String))
const weekday = fc.constantFrom('*', '1-5', 'SUN')
const someTimes = fc
  .tuple(minute, hour, weekday, fc.constantFrom('UTC', BERLIN, 'America/New_York', 'Antarctica/Troll'))
  .map(([m, h, day, timezone]): Times => ({ cron: `${m} ${h} * * ${day}`, timezone }))
const someMoment = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-06-01') })

/** The next five times by the library alone, which looks at each day in turn. */
const plain = ({ cron, timezone }: Times, moment: number): Date[] => {
  const expression = CronExpressionParser.parse(cron, { currentDate: new Date(moment), tz: timezone })
  return Array.from({ length: 5 }, () => expression.next().toDate())
}
/** Most steps of the library for five times. A step takes about 10 microseconds. */
const STEPS_MAX = 1000
const month = fc.oneof(
  fc.constantFrom('*', '*/3', '2', '2,4,6', 'MAR'),
  fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }).map((months) => months.join()),
)
const monthDay = fc.oneof(
  fc.constantFrom('*', '*/10', '29', '30,31', '31'),
  fc.integer({ min: 1, max: 31 }).map(String),
)
const someDays = fc
  .tuple(someTimes, monthDay, month, fc.constantFrom('*', '*', '0', '1-5', 'SUN', '5-7'))
  .map(([{ cron, timezone }, days, months, weekdays]): Times => {
    const [minutes, hours] = cron.split(' ')
    return { cron: [minutes, hours, days, months, weekdays].join(' '), timezone }
  })
/** Where the clocks go back by two hours, the library comes twice, and a schedule once. */
const isOrdinary = ({ timezone }: Times): boolean => timezone !== 'Antarctica/Troll'
const isPossible = (times: Times, moment = 0): boolean => {
  try {
    return timesAfter(times, moment).length > 0
  } catch {
    return false
  }
}

describe('the next times of any schedule', () => {
  it('are those of the library, although days on which it cannot run are left out', () => {
    fc.assert(
      fc.property(
        someDays.filter((times) => isOrdinary(times) && isPossible(times)),
        someMoment,
        (times, moment) => {
          expect(timesAfter(times, moment)).toEqual(plain(times, moment))
        },
      ),
      {
        numRuns: 100,
        examples: [
          [berlin('0 0 29 2 *'), Date.parse('2028-02-29T12:00:00Z')],
          // The clocks skip its only hour of that year.
          [berlin('*/5 2 28 MAR *'), Date.parse('2026-03-28T01:40:00Z')],
        ],
      },
    )
  })

  it('cost few steps of the library, also if there is none', () => {
    const steps = vi.spyOn(CronDate.prototype, 'applyDateOperation')
    try {
      fc.assert(
        fc.property(someDays, fc.integer({ min: 0, max: Date.parse('2110-01-01') }), (times, moment) => {
          steps.mockClear()
          isPossible(times, moment)
          expect(steps.mock.calls.length).toBeLessThan(STEPS_MAX)
        }),
        {
          numRuns: 300,
          examples: [
            [utc('0 0 31 2,4,6,9,11 *'), 0],
            [berlin('0 0 29 2 *'), Date.parse('2096-03-01')],
          ],
        },
      )
    } finally {
      steps.mockRestore()
    }
  })
})

describe('a schedule whose time has come', () => {
  it('has passed its last time until now, and goes on with the next ones', () => {
    const nine = new Date('2026-11-26T09:00:00Z')
    const now = nine.getTime() + 2 * HOUR_MS + MINUTE_MS
    const { last, next } = advance(utc('0 * * * *'), nine, now)
    expect(last.toISOString()).toBe('2026-11-26T11:00:00.000Z')
    expect(next[0]?.toISOString()).toBe('2026-11-26T12:00:00.000Z')
    expect(next).toHaveLength(5)
  })

  it('goes on after the first of a doubled hour on the next day, whenever it is looked at', () => {
    const first = new Date('2026-10-25T00:30:00Z')
    for (const minutes of [0, 10, 29, 30, 45, 59, 61])
      expect(advance(berlin('30 2 * * *'), first, first.getTime() + minutes * MINUTE_MS).next[0]?.toISOString()).toBe(
        '2026-10-26T01:30:00.000Z',
      )
  })

  it('never goes back, and passes each time once', () => {
    fc.assert(
      fc.property(someTimes, someMoment, fc.integer({ min: 0, max: DAY_MS }), (times, moment, late) => {
        const [from, second] = timesAfter(times, moment)
        const now = from!.getTime() + late
        const { last, next } = advance(times, from!, now)
        expect(last.getTime()).toBeGreaterThanOrEqual(from!.getTime())
        expect(last.getTime()).toBeLessThanOrEqual(now)
        expect(next[0]!.getTime()).toBeGreaterThan(now)
        next.slice(1).forEach((time, at) => expect(time.getTime()).toBeGreaterThan(next[at]!.getTime()))
        if (second!.getTime() > now) expect(next[0]).toEqual(second)
        // Passing the times one by one leads to the same.
        let one = { last: from!, next: [from!] as readonly Date[] }
        while (one.next[0]!.getTime() <= now) one = advance(times, one.next[0]!, one.next[0]!.getTime())
        expect(one).toEqual({ last, next })
      }),
      { numRuns: 50 },
    )
  })
})
