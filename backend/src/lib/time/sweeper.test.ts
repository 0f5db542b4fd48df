import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Sweeper } from './sweeper.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** A sweeper with a step that the test ends. */
const newSweeper = () => {
  const begun: { resolve(value: null): void; reject(error: unknown): void }[] = []
  const failures: unknown[] = []
  const after: number[] = []
  const sweeper = new Sweeper({
    steps: [
      async () => {
        const { promise, resolve, reject } = Promise.withResolvers<null>()
        begun.push({ resolve, reject })
        await promise
      },
      async () => {
        await Promise.resolve()
        after.push(begun.length)
      },
    ],
    everyMs: 1000,
    onFailure: (error) => failures.push(error),
  })
  return { sweeper, begun, failures, after }
}

describe('a sweeper', () => {
  it('sweeps at its start and at intervals, one round at a time', async () => {
    const { sweeper, begun, after } = newSweeper()
    sweeper.start()
    vi.advanceTimersByTime(5000)
    expect(begun).toHaveLength(1)
    begun[0]!.resolve(null)
    // All that was asked for meanwhile is one more round.
    await expect.poll(() => begun.length).toBe(2)
    begun[1]!.resolve(null)
    await expect.poll(() => after).toEqual([1, 2])
    await sweeper.stop()
    vi.advanceTimersByTime(5000)
    expect(begun).toHaveLength(2)
  })

  it('does the other steps, and further rounds, after a failure', async () => {
    const { sweeper, begun, failures, after } = newSweeper()
    const swept = sweeper.sweep()
    begun[0]!.reject(new Error('the disk is away'))
    await swept
    expect([failures, after]).toEqual([[new Error('the disk is away')], [1]])
    void sweeper.sweep()
    expect(begun).toHaveLength(2)
    begun[1]!.resolve(null)
    await sweeper.stop()
  })

  it('stops after the step that it is in', async () => {
    const { sweeper, begun, after } = newSweeper()
    void sweeper.sweep()
    const stopped = sweeper.stop()
    begun[0]!.resolve(null)
    await stopped
    expect(after).toEqual([])
    await sweeper.sweep()
    expect(begun).toHaveLength(1)
  })
})
