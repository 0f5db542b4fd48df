import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Signal } from '../../lib/emitter.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import { aCaller } from '../../../test/support/people/callers.ts'
import { Followers } from '../access/followers.ts'
import { byUnsharing, type Loss } from '../access/loss.ts'
import { LiveRun } from '../runs/conduct/follow.ts'
import { TaskWaits, type WaitDeps, type Waiter } from './waits.ts'

const WAIT_MS = 50_000
const caller = aCaller()
const losses = new Signal<Loss>()

/** A task that has not ended, in an agent that is shared with the caller. */
const scene = (perUser = 2) => {
  const live = new LiveRun('run')
  const state = { ended: false, unshared: false }
  const require = async () => {
    if (state.unshared) throw notFound()
    const run = { id: 'run', ended: state.ended }
    return { run, live: state.ended ? null : live, found: { caller, row: { id: 'agent' }, relation: 'sharee' } }
  }
  const followers = new Followers(losses, { perUser, what: 'tasks' })
  const waits = new TaskWaits({ runs: { require }, followers, waitMs: WAIT_MS } as unknown as WaitDeps)
  const wait = (waiter: Partial<Waiter> = {}) =>
    waits.ended(caller, 'run', { left: new AbortController().signal, ...waiter })
  const end = (): void => {
    state.ended = true
    live.over()
  }
  return { live, state, followers, wait, end }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a tool that waits for the end of a task', () => {
  it('answers when the task ends', async () => {
    const { wait, end, followers } = scene()
    const waiting = wait()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(followers.size).toBe(1)
    end()
    expect(await waiting).toMatchObject({ ended: true })
    expect([followers.size, vi.getTimerCount()]).toEqual([0, 0])
  })

  it('answers at once for a task that has ended', async () => {
    const { wait, end } = scene()
    end()
    expect(await wait()).toMatchObject({ ended: true })
  })

  it('answers after 50 seconds while the task goes on', async () => {
    const { wait, followers } = scene()
    let answered = false
    const waiting = wait().finally(() => (answered = true))
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1)
    expect(answered).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await waiting).toMatchObject({ ended: false })
    expect([followers.size, vi.getTimerCount()]).toEqual([0, 0])
  })

  it('tells every 5 seconds that the task goes on, each time with a higher number', async () => {
    const { wait, end, live } = scene()
    const told: [number, number][] = []
    const waiting = wait({ tell: (seconds, events) => told.push([seconds, events]) })
    await vi.advanceTimersByTimeAsync(0)
    live.stored([{ at: 0, raw: null, events: [{ seq: 3, at: 0, type: 'text', text: 'x' }] } as never])
    await vi.advanceTimersByTimeAsync(11_000)
    end()
    await waiting
    await vi.advanceTimersByTimeAsync(20_000)
    expect(told).toEqual([
      [0, 0],
      [5, 3],
      [10, 3],
    ])
  })

  it('stops when its client leaves, also if that was before', async () => {
    const { wait, followers } = scene()
    const left = new AbortController()
    const waiting = wait({ left: left.signal })
    await vi.advanceTimersByTimeAsync(1000)
    left.abort()
    await waiting
    await wait({ left: left.signal })
    expect([followers.size, vi.getTimerCount()]).toEqual([0, 0])
  })

  it('answers when the server stops', async () => {
    const { wait, followers } = scene()
    const waiting = wait()
    await vi.advanceTimersByTimeAsync(1000)
    followers.stop()
    expect(await waiting).toMatchObject({ ended: false })
  })

  it('is refused when its user loses the right', async () => {
    const { wait, state } = scene()
    const refused = expect(wait()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await vi.advanceTimersByTimeAsync(1000)
    state.unshared = true
    losses.emit(byUnsharing('agent', caller.userId))
    await refused
  })

  it('is refused beyond the number that one user may have', async () => {
    const { wait, end } = scene(2)
    const waiting = [wait(), wait()]
    await vi.advanceTimersByTimeAsync(0)
    await expect(wait()).rejects.toBeInstanceOf(AppError)
    end()
    await Promise.all(waiting)
  })
})
