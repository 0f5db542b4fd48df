import { describe, expect, it } from 'vitest'
import { newRelayPace, OPEN_COST } from './pace.ts'

const scene = () => {
  let now = 0
  const pace = newRelayPace(() => now)
  return { pace, pass: (ms: number) => (now += ms) }
}

describe('the pace of a relay', () => {
  it('lets all its connections open at once, twice', () => {
    expect(scene().pace.spend(64 * OPEN_COST)).toBe(0)
  })

  it('lets 20 connections open in each second after that', () => {
    const { pace, pass } = scene()
    pace.spend(64 * OPEN_COST)
    for (let second = 0; second < 5; second += 1) {
      pass(1000)
      expect(pace.spend(20 * OPEN_COST)).toBe(0)
    }
    expect(pace.spend(20 * OPEN_COST)).toBe(1000)
  })

  it('makes a flood of small frames wait for as long as it is too fast', () => {
    const { pace, pass } = scene()
    // A chunk of 64 KiB has up to 9,362 frames without a payload.
    expect(pace.spend(9362)).toBe(1481)
    pass(1481)
    expect(pace.spend(2000)).toBe(1000)
  })

  it('forgets a pause: nothing is saved beyond the first burst', () => {
    const { pace, pass } = scene()
    pass(3_600_000)
    expect(pace.spend(64 * OPEN_COST + 2)).toBe(1)
  })
})
