/** Reads asciicasts. */
import { expect } from 'vitest'

/** The events of an asciicast, as they are in its lines. */
export const events = (cast: string): [number, string, string][] =>
  cast
    .split('\n')
    .filter((line) => line.startsWith('['))
    .map((line) => JSON.parse(line) as [number, string, string])

/** Reads version 2 strictly: a header, then events whose times never decrease. */
export const readVersion2 = (cast: string): unknown[] => {
  const lines = cast.split('\n')
  expect(lines.pop(), 'the last line is whole').toBe('')
  let last = 0
  return lines.map((line, index) => {
    const value = JSON.parse(line) as unknown
    if (index === 0) {
      const { version, width, height } = value as Record<string, unknown>
      expect([version, Number.isInteger(width), Number.isInteger(height)]).toEqual([2, true, true])
      return value
    }
    const [at, code, data, ...more] = value as [number, string, string]
    expect([typeof at, typeof data, more]).toEqual(['number', 'string', []])
    expect(code).toMatch(/^[oirm]$/)
    expect(at).toBeGreaterThanOrEqual(last)
    last = at
    return value
  })
}

/** The data of all events with the code. */
export const told = (cast: string, code: string): string =>
  events(cast).reduce((all, event) => (event[1] === code ? all + event[2] : all), '')
