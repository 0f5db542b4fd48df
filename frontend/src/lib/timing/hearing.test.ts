import { expect, test } from 'vitest'
import { DOUBTFUL_MS, Hearing, LET_IN_MS, LOOK_EVERY_MS, SILENCE_MS } from './hearing.ts'
import { FakeClock } from '@/terminal/testing/fakes.ts'

const ALIVE_EVERY_MS = 15_000
/** Time between two timers in a tab that was hidden for minutes. */
const THROTTLED_MS = 60_000

function setUp({ throttledTo = 0 } = {}) {
  const clock = new FakeClock()
  const told: string[] = []
  const hearing = new Hearing({
    awaited: () => 0,
    onDoubt: (isInDoubt) => told.push(isInDoubt ? 'doubt' : 'no doubt'),
    onLost: () => {
      told.push('lost')
      hearing.stop()
    },
    schedule: (run, ms) => clock.schedule(run, Math.max(ms, throttledTo)),
    now: clock.now,
  })
  /** Time during which timers fire on schedule. */
  const pass = (ms: number) => clock.pass(ms / LET_IN_MS, LET_IN_MS)
  return { clock, told, hearing, pass }
}

test('silence is found after two missed signs of life, and not before', () => {
  const { told, pass } = setUp()
  pass(SILENCE_MS)
  expect(told).toEqual([])
  pass(LOOK_EVERY_MS + LET_IN_MS)
  expect(told).toEqual(['lost'])
})

test('what was heard in a hidden tab counts, though its timers run once a minute', () => {
  const { clock, told, hearing } = setUp({ throttledTo: THROTTLED_MS })
  for (let alive = 0; alive < 40; alive += 1) {
    clock.advance(ALIVE_EVERY_MS)
    hearing.heard()
  }
  expect(told).toEqual([])
  clock.pass(3, THROTTLED_MS)
  expect(told).toEqual(['lost'])
})

test('after sleep it is found at the first look, unless something comes in', () => {
  const { clock, told, hearing, pass } = setUp()
  clock.set(3_600_000)
  clock.advance(LOOK_EVERY_MS)
  hearing.heard()
  pass(LET_IN_MS)
  expect(told).toEqual([])
  clock.set(3_600_000)
  clock.advance(LOOK_EVERY_MS)
  expect(told).toEqual([])
  pass(LET_IN_MS)
  expect(told).toEqual(['lost'])
})

test('a clock that is set back hides no silence', () => {
  const { clock, told, pass } = setUp()
  clock.set(-3_600_000)
  pass(SILENCE_MS + 3 * LOOK_EVERY_MS)
  expect(told).toEqual(['lost'])
})

test('a returning user waits for no server that missed a sign of life, and disturbs none that is there', () => {
  const { told, hearing, pass } = setUp()
  pass(ALIVE_EVERY_MS)
  hearing.check()
  pass(DOUBTFUL_MS - ALIVE_EVERY_MS)
  expect(told).toEqual([])
  pass(LET_IN_MS)
  hearing.check()
  hearing.check()
  hearing.heard()
  pass(LET_IN_MS)
  expect(told).toEqual([])
  pass(DOUBTFUL_MS + LET_IN_MS)
  hearing.check()
  pass(LET_IN_MS)
  expect(told).toEqual(['lost'])
})

test('a lost network is told at once, and disproved by later messages than those already on their way', () => {
  const { told, hearing, pass } = setUp()
  hearing.networkLost()
  hearing.networkLost()
  hearing.heard()
  expect(told).toEqual(['doubt'])
  pass(LOOK_EVERY_MS)
  hearing.heard()
  expect(told).toEqual(['doubt', 'no doubt'])
  hearing.networkBack()
  expect(told).toEqual(['doubt', 'no doubt'])
  hearing.networkLost()
  hearing.networkBack()
  expect(told).toEqual(['doubt', 'no doubt', 'doubt', 'lost', 'no doubt'])
})

test('nothing is left when it ends', () => {
  const { clock, hearing, pass } = setUp()
  pass(DOUBTFUL_MS + LET_IN_MS)
  hearing.check()
  hearing.stop()
  expect(clock.pending).toBe(0)
})
