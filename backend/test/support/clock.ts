import type { Clock } from '../../src/lib/clock.ts'

/** A time that moves only when a test says so. */
export class TestClock implements Clock {
  #now: number

  constructor(now = Date.UTC(2030, 0, 1)) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds
  }
}
