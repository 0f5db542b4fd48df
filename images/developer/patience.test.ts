import { expect, it } from 'vitest'
import { type Failure, patiently } from './slipway/patience.ts'

const AWAY: Failure = { isHung: false }
const MINUTE_MS = 60_000

/** Tries that take so long, in milliseconds, and end so. The last one repeats. Answers what came of it, and after how long. */
const trying = async (...tries: readonly (readonly [ms: number, outcome: { answer: string } | Failure])[]) => {
  let time = 0
  let count = 0
  const attempt = async () => {
    const [ms, outcome] = tries[Math.min(count, tries.length - 1)]!
    count += 1
    time += ms
    return outcome
  }
  const pause = async (ms: number) => void (time += ms)
  const answer = await patiently(attempt, { patienceMs: 45_000, heldPatienceMs: 600_000, now: () => time, pause })
  return { answer, count, time }
}

it('gives up a request that no server has had after its patience', async () => {
  const { answer, time } = await trying([0, AWAY])
  expect(answer).toBeNull()
  expect(time).toBeGreaterThan(45_000)
  expect(time).toBeLessThan(46_000)
})

it('waits for the next server from the moment in which the one that had the request went away', async () => {
  const restart = Array.from({ length: 200 }, () => [0, AWAY] as const)
  const { answer, time } = await trying([49_000, AWAY], ...restart, [0, { answer: 'yes' }])
  expect(answer).toBe('yes')
  expect(time).toBeGreaterThan(49_000 + MINUTE_MS)
})

it('gives up a request that a server has had after its longer patience', async () => {
  const { answer, time } = await trying([30_000, AWAY], [0, AWAY])
  expect(answer).toBeNull()
  expect(time).toBeGreaterThan(30_000 + 600_000)
  expect(time).toBeLessThan(30_000 + 601_000)
})

it('does not go on for ever with a server that never answers', async () => {
  expect(await trying([90_000, { isHung: true }])).toMatchObject({ answer: null, count: 1 })
})
