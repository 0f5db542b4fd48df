import type { Clock } from '../../src/lib/time/clock.ts'

/** A clock that a test moves. */
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
