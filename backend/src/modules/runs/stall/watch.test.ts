import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MINUTE_MS, SECOND_MS } from '../../../lib/time/clock.ts'
import { silentLog } from '../../../lib/log.ts'
import type { ContainerProcess } from '../../../runtime/port.ts'
import type { Outcome } from '../end.ts'
import { IDLE_SHARE, LOOKS, StallWatch, type WatchedRun } from './watch.ts'

const STALL_MS = 10 * MINUTE_MS
const EVERY_MS = STALL_MS / LOOKS
const STALLED: Outcome = { kind: 'stalled', seconds: STALL_MS / SECOND_MS }
const pass = (ms: number): unknown => vi.advanceTimersByTime(ms)

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** Agents in which each session has one process. */
const newWatch = () => {
  /** The CPU time of each session, in milliseconds. */
  const used = new Map<string, number>()
  const looks: string[] = []
  const container = { isRunning: true, answers: true, whileLooking: (): unknown => undefined }
  const processes = (id: string): Promise<ContainerProcess[]> => {
    looks.push(id)
    container.whileLooking()
    if (!container.answers) return Promise.reject(new Error('the engine does not answer'))
    return Promise.resolve(
      [...used].map(([terminalSession, cpuMs], index) => ({
        ...{ pid: index + 2, ppid: 1, session: index + 2, startTicks: 1, cpuMs, terminalSession },
        ...{ memoryBytes: 0, ignoresHangup: false, command: '', startedAt: null },
      })),
    )
  }
  const watch = new StallWatch({
    runtime: { processes },
    running: (agentId) => (container.isRunning ? `container of ${agentId}` : null),
    stallMs: STALL_MS,
    log: silentLog,
  })
  const begin = (sessionId: string, more: Partial<WatchedRun> = {}) => {
    const ends: Outcome[] = []
    used.set(sessionId, 1_000)
    const run = { agentId: 'a', sessionId, leader: '0:0', isHeldUp: () => false, ...more }
    return { ...watch.watch({ ...run, over: (outcome) => ends.push(outcome) }), ends }
  }
  const burn = (sessionId: string, ms: number): unknown => used.set(sessionId, (used.get(sessionId) ?? 0) + ms)
  /** Looks again and again for some time, as the server does. */
  const go = async (ms: number, each: () => unknown = () => undefined): Promise<void> => {
    for (let left = ms; left > 0; left -= EVERY_MS) {
      pass(EVERY_MS)
      each()
      await watch.look()
    }
  }
  return { watch, begin, burn, go, looks, container }
}

/** Beside the time in which nothing happens: until the first look, which only begins the comparison. */
const LONGEST_MS = STALL_MS + EVERY_MS

describe('a silent run', () => {
  it('is stalled when its processes have used no CPU for the whole time, and not before', async () => {
    const { begin, go } = newWatch()
    const run = begin('one')
    await go(STALL_MS)
    expect(run.ends).toEqual([])
    await go(EVERY_MS)
    expect(run.ends).toEqual([STALLED])
  })

  it('is told to be stalled once', async () => {
    const { begin, go } = newWatch()
    const run = begin('one')
    await go(3 * LONGEST_MS)
    expect(run.ends).toEqual([STALLED])
  })

  it('goes on while its processes use CPU', async () => {
    const { begin, burn, go } = newWatch()
    const run = begin('one')
    await go(3 * LONGEST_MS, () => burn('one', EVERY_MS * IDLE_SHARE + 10))
    expect(run.ends).toEqual([])
  })

  it('is stalled although it uses the little that a waiting program uses', async () => {
    const { begin, burn, go } = newWatch()
    const run = begin('one')
    await go(LONGEST_MS, () => burn('one', EVERY_MS * IDLE_SHARE - 10))
    expect(run.ends).toEqual([STALLED])
  })

  it('has the whole time anew after it used CPU', async () => {
    const { begin, burn, go } = newWatch()
    const run = begin('one')
    await go(STALL_MS)
    burn('one', MINUTE_MS)
    await go(STALL_MS)
    expect(run.ends).toEqual([])
    await go(EVERY_MS)
    expect(run.ends).toEqual([STALLED])
  })

  it('has the whole time anew after it printed something, also during a look', async () => {
    const { begin, go, watch, container } = newWatch()
    const run = begin('one')
    await go(STALL_MS)
    container.whileLooking = () => run.heard()
    pass(EVERY_MS)
    await watch.look()
    container.whileLooking = () => undefined
    await go(STALL_MS)
    expect(run.ends).toEqual([])
    await go(EVERY_MS)
    expect(run.ends).toEqual([STALLED])
  })

  it('is not stalled while its output is not read, and has the whole time after that', async () => {
    const { begin, go } = newWatch()
    let isHeldUp = true
    const run = begin('one', { isHeldUp: () => isHeldUp })
    await go(3 * LONGEST_MS)
    isHeldUp = false
    await go(STALL_MS)
    expect(run.ends).toEqual([])
    await go(LONGEST_MS)
    expect(run.ends).toEqual([STALLED])
  })

  it('is not stalled because this server slept', async () => {
    const { begin, go, watch } = newWatch()
    const run = begin('one')
    await go(2 * EVERY_MS)
    pass(100 * STALL_MS)
    await watch.look()
    expect(run.ends).toEqual([])
  })

  it.each<[what: string, fault: 'isRunning' | 'answers']>([
    ['its agent does not run', 'isRunning'],
    ['the engine does not answer', 'answers'],
  ])('is not stalled while %s', async (_what, fault) => {
    const { begin, go, container } = newWatch()
    const run = begin('one')
    await go(STALL_MS)
    container[fault] = false
    await go(3 * LONGEST_MS)
    container[fault] = true
    await go(STALL_MS)
    expect(run.ends).toEqual([])
  })

  it('is forgotten when it has left', async () => {
    const { begin, go, looks } = newWatch()
    const run = begin('one')
    run.leave()
    await go(LONGEST_MS)
    expect({ ends: run.ends, looks }).toEqual({ ends: [], looks: [] })
  })
})

describe('the looks', () => {
  it('are one for all silent runs of an agent', async () => {
    const { begin, go, looks } = newWatch()
    for (const id of ['one', 'two']) begin(id)
    begin('three', { agentId: 'b' })
    await go(EVERY_MS)
    expect(looks.toSorted()).toEqual(['container of a', 'container of b'])
  })

  it('are none at an agent whose runs print something', async () => {
    const { begin, go, looks } = newWatch()
    const run = begin('one')
    await go(LONGEST_MS, () => run.heard())
    expect(looks).toEqual([])
  })

  it('tell a stalled run from a busy one beside it', async () => {
    const { begin, burn, go } = newWatch()
    const [idle, busy] = [begin('idle'), begin('busy')]
    await go(LONGEST_MS, () => burn('busy', EVERY_MS))
    expect([idle.ends, busy.ends]).toEqual([[STALLED], []])
  })
})
