import { expect, test } from 'vitest'
import { bytes, cpus, megabytes, progressWords } from './size.ts'
import { dayName, duration, relativeTime, timeToSecond } from './time.ts'

test('sizes have three figures at most, and a unit', () => {
  expect([bytes(0), bytes(1023), bytes(1536), bytes(183e6), megabytes(4096)]).toEqual([
    '0 B',
    '1023 B',
    '1.5 KiB',
    '175 MiB',
    '4 GiB',
  ])
  expect([cpus(1), cpus(2.5)]).toEqual(['1 CPU', '2.5 CPUs'])
})

test('a transfer shows its progress out of its size, where the size is known', () => {
  expect(progressWords({ loaded: 1536, total: 183e6 })).toBe('1.5 KiB of 175 MiB')
  expect(progressWords({ loaded: 1536, total: null })).toBe('1.5 KiB')
})

test('a span is told in its two largest units', () => {
  expect([4_200, 125_000, 11_520_000, 200 * 3_600_000].map(duration)).toEqual([
    '4 s',
    '2 min 5 s',
    '3 h 12 min',
    '8 d 8 h',
  ])
  expect(duration(-500)).toBe('0 s')
})

test('a moment is told from now', () => {
  const now = Date.parse('2026-01-02T00:00:00Z')
  expect(relativeTime('2026-01-01T23:59:40Z', now)).toBe('just now')
  expect(relativeTime('2026-01-01T23:57:00Z', now)).toBe('3 min. ago')
  expect(relativeTime('2026-01-05T00:00:00Z', now)).toBe('in 3 days')
})

test('a moment more than a day away is told as a count, which no day of the calendar contradicts', () => {
  const now = Date.parse('2026-01-02T22:00:00Z')
  expect(relativeTime('2026-01-04T09:00:00Z', now)).toBe('in 1 day')
  expect(relativeTime('2026-01-01T01:00:00Z', now)).toBe('1 day ago')
})

test('a day has its name, by the calendar of the reader and not by hours', () => {
  const at = (text: string): string => new Date(text).toISOString()
  const now = new Date('2026-03-01T00:30:00').getTime()
  expect(
    ['2026-03-01T00:00:00', '2026-02-28T23:59:59', '2026-02-28T00:00:00', '2026-02-27T23:59:59'].map((text) =>
      dayName(at(text), now),
    ),
  ).toEqual(['Today', 'Yesterday', 'Yesterday', 'Friday, February 27, 2026'])
  expect(dayName(at('2025-03-01T12:00:00'), now)).toBe('Saturday, March 1, 2025')
  expect(timeToSecond(at('2026-03-01T00:00:09'))).toBe('00:00:09')
  expect(timeToSecond(at('2026-03-01T23:59:59.900'))).toBe('23:59:59')
})
