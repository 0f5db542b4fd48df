/**
 * Measures the way of a line from the CLI of a task to a page's socket, with one task and with fifty, and the growth of
 * the backend's memory with fifty.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Cleanup } from '../../harness/cleanup.ts'
import { Client } from '../../harness/client.ts'
import { collectedMemory, INSPECTOR_FLAGS } from '../../harness/heap.ts'
import { residentBytes } from '../../harness/raw.ts'
import { type Findings, milliseconds, type Row } from '../../harness/report.ts'
import { median, percentile, ROUNDS } from '../../harness/statistics.ts'
import { MANY_TASKS, type Order, TaskTeam } from '../../harness/tasks/team.ts'
import { World } from '../../harness/world.ts'

const TASKS = 50
const AGENTS = 5
/** One task alone, of ten seconds. */
const ALONE: Order = { lines: 500, everyMs: 20 }
/** Fifty tasks, of a minute. */
const PACED: Order = { lines: 2_000, everyMs: 30 }
/** Fifty tasks, as fast as they can. */
const FLOOD: Order = { lines: 2_000 }
/** The first tasks make Node's space for new objects grow, once. */
const WARM_UP: Order = { lines: 100 }
const SAMPLE_MS = 250

const ALONE_MS = 50
const TOGETHER_MS = 150
const GROWTH_BYTES = 100_000_000

interface Together {
  readonly p50: number
  readonly p95: number
  readonly max: number
  readonly seconds: number
  /** Resident bytes before, with the heap collected, and then until the end. */
  readonly before: number
  readonly resident: number[]
  /** Bytes of the heap and outside of it, collected before and after. */
  readonly heap: readonly [number, number]
}

export const tasks = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'k', MANY_TASKS, INSPECTOR_FLAGS)
  const admin = await world.signIn()
  await world.settled(admin)
  const team = await TaskTeam.make(world, admin, { tasks: TASKS, agents: AGENTS })
  // The next backend has not done all this, so its heap has not grown.
  await world.stop()
  await world.start()
  await world.settled(await world.signIn())
  const client = new Client(cleanup)
  let gates = 0

  const delaysOf = async (order: Order, count: number): Promise<number[]> => {
    const gate = `/home/developer/gate-${(gates += 1)}`
    const started = await team.start({ ...order, gate }, count)
    await client.call('follow', team.targets(started))
    await team.open(gate)
    const delays = await client.call('delaysOfFollowed')
    await team.ended(started)
    if (delays.length !== count * order.lines) throw new Error(`${delays.length} lines came`)
    return delays
  }

  const together = async (order: Order): Promise<Together> => {
    const used = async (): Promise<number> => {
      const { heapBytes, externalBytes } = await collectedMemory(world.backend)
      return heapBytes + externalBytes
    }
    const heapBefore = await used()
    const before = await residentBytes(world.backend.pid)
    const resident: number[] = []
    const watching = new AbortController()
    const watched = (async () => {
      for (; !watching.signal.aborted; await pause(SAMPLE_MS)) resident.push(await residentBytes(world.backend.pid))
    })()
    const began = performance.now()
    const delays = await delaysOf(order, TASKS)
    const seconds = (performance.now() - began) / 1000
    watching.abort()
    await watched
    const [p50, p95, max] = [median(delays), percentile(delays, 0.95), percentile(delays, 1)]
    return { p50, p95, max, seconds, before, resident, heap: [heapBefore, await used()] }
  }

  await delaysOf(WARM_UP, TASKS)
  const alone: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) alone.push(percentile(await delaysOf(ALONE, 1), 0.95))
  const paced = await together(PACED)
  const flood = await together(FLOOD)
  return {
    rows: [
      delayRow('a line of a task to a socket, p95', median(alone), ALONE_MS),
      delayRow(`the same, with ${TASKS} tasks of ${PACED.lines} events in a minute`, paced.p95, TOGETHER_MS),
      growthRow(`backend memory with ${TASKS} tasks, peak`, paced),
      growthRow(`the same, tasks as fast as they can (${flood.seconds.toFixed(0)} s)`, flood),
    ],
    raw: { unit: 'ms, bytes', alone, paced, flood },
  }
}

const delayRow = (figure: string, value: number, target: number): Row => ({
  figure,
  median: milliseconds(value, 1),
  limit: '',
  ratio: '-',
  target: `< ${target} ms`,
  met: value < target,
})

const growthRow = (figure: string, { before, resident, heap: [heapBefore, heapAfter] }: Together): Row => {
  const grown = Math.max(...resident) - before
  return {
    figure,
    median: `+${(grown / 1e6).toFixed(1)} MB`,
    limit: `${(before / 1e6).toFixed(0)} MB before, ${((heapAfter - heapBefore) / 1e6).toFixed(1)} MB kept`,
    ratio: '-',
    target: `≤ +${GROWTH_BYTES / 1e6} MB`,
    met: grown <= GROWTH_BYTES,
  }
}
