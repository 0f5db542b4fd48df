import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ECHO_MS, PAUSE_MS, Work, WORKS_AFTER_MS } from './work.ts'

let changes: boolean[]
let work: Work
beforeEach(() => {
  vi.useFakeTimers()
  changes = []
  work = new Work(() => changes.push(work.is))
})
afterEach(() => {
  work.stop()
  vi.useRealTimers()
})
/** Prints ten times a second. */
const prints = (ms: number): void => {
  for (let at = 0; at < ms; at += 100) {
    work.printed()
    vi.advanceTimersByTime(100)
  }
}

it('a program works once it has printed for a while, until it pauses', () => {
  prints(WORKS_AFTER_MS)
  expect(work.is).toBe(false)
  prints(2 * PAUSE_MS)
  expect([work.is, changes]).toEqual([true, [true]])
  vi.advanceTimersByTime(PAUSE_MS)
  expect([work.is, changes]).toEqual([false, [true, false]])
})

it('the output of single commands is no work', () => {
  for (let at = 0; at < 5; at += 1) {
    prints(WORKS_AFTER_MS / 2)
    vi.advanceTimersByTime(PAUSE_MS + 1)
  }
  expect(changes).toEqual([])
})

it('the echo of what a user types is no work', () => {
  for (let at = 0; at < 2 * WORKS_AFTER_MS; at += ECHO_MS / 4) {
    work.typed()
    work.printed()
    vi.advanceTimersByTime(ECHO_MS / 4)
  }
  expect(changes).toEqual([])
})

it('a terminal that is over tells nothing', () => {
  prints(2 * WORKS_AFTER_MS)
  work.stop()
  vi.advanceTimersByTime(2 * PAUSE_MS)
  expect([work.is, changes]).toEqual([false, [true]])
})
