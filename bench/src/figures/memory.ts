/**
 * Measures what an open, idle terminal costs the backend, beside what its bare exec socket costs a Node process.
 * Opening a terminal makes garbage, which Node collects at any time. The cost of a session is what is left after the
 * collection.
 */
import { pause } from '../client/channel.ts'
import type { HoldTarget } from '../client/hold.ts'
import type { TerminalTarget } from '../client/terminal.ts'
import type { Cleanup } from '../harness/cleanup.ts'
import { Client } from '../harness/client.ts'
import { addMember } from '../harness/member.ts'
import { collectedMemory, INSPECTOR_FLAGS } from '../harness/heap.ts'
import { residentBytes } from '../harness/raw.ts'
import { type Findings, kilobytes } from '../harness/report.ts'
import { median, ROUNDS } from '../harness/statistics.ts'
import { World } from '../harness/world.ts'

/** A user has one session with each agent. 60 shells fit several times into a container's limit of processes. */
const AGENTS = 4
const USERS = 60
/** Sessions that exist before the measurement. Node's reserve for new objects grows with the first ones, once. */
const WARM_UP = 40
/** Bare sockets need no users. Half as many are enough to tell the cost of one. */
const BARE_AGENTS = 2
const TARGET_BYTES = 200_000
/** Time in which the work after an opening ends, in milliseconds. */
const SETTLE_MS = 4_000

interface Resident {
  readonly uncollected: number
  readonly bytes: number
}

export const memory = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'm', {}, INSPECTOR_FLAGS)
  let api = await world.signIn()
  await world.settled(api)
  const members = await Promise.all(Array.from({ length: USERS }, (_, index) => addMember(api, index)))
  const names = Array.from({ length: AGENTS }, (_, index) => `bench-${index}`)
  const containers = await Promise.all(names.map((name) => world.addAgent(api, name)))
  for (const name of names) for (const { email } of members) await api.post(`/agents/${name}/shares`, { email })

  // The next backend has not done all this, so its heap has not grown.
  await world.stop()
  await world.start()
  api = await world.signIn()
  await world.settled(api)
  const targets = names.flatMap((name) =>
    members.map(({ token }): TerminalTarget => ({ url: api.terminalUrl(name), token, version: 2 })),
  )
  const ours = await grow(
    new Client(cleanup),
    [targets.slice(0, WARM_UP), ...inSteps(targets.slice(WARM_UP))],
    async () => {
      const uncollected = await residentBytes(world.backend.pid)
      return { uncollected, bytes: (await collectedMemory(world.backend)).residentBytes }
    },
  )
  const execs = containers.slice(0, BARE_AGENTS).flatMap((containerId) => members.map(() => ({ containerId })))
  const bare = new Client(cleanup)
  const theirs = await grow(bare, [execs.slice(0, 1), execs], async () => {
    const uncollected = await residentBytes(bare.pid)
    return { uncollected, bytes: uncollected }
  })

  const sessions = AGENTS * USERS - WARM_UP
  const each = (totals: readonly number[], count: number): number => ((totals.at(-1) ?? 0) - (totals[0] ?? 0)) / count
  const our = each(bytesOf(ours), sessions)
  const their = each(bytesOf(theirs), execs.length)
  return {
    rows: [
      {
        figure: `backend memory for each of ${sessions} idle sessions`,
        median: kilobytes(our),
        limit: `${kilobytes(their)} bare exec socket in Node`,
        ratio: (our / their).toFixed(2),
        target: `≤ ${kilobytes(TARGET_BYTES)}`,
        met: our <= TARGET_BYTES,
      },
    ],
    raw: {
      unit: 'bytes resident',
      sessions,
      bareSockets: execs.length,
      ours,
      theirs,
      medianStep: median(steps(bytesOf(ours))),
    },
  }
}

const bytesOf = (all: readonly Resident[]): number[] => all.map(({ bytes }) => bytes)

const steps = (totals: readonly number[]): number[] =>
  totals.slice(1).map((total, index) => total - (totals[index] ?? 0))

const inSteps = <T>(items: readonly T[]): T[][] => {
  const step = items.length / ROUNDS
  return Array.from({ length: ROUNDS }, (_, round) => items.slice(round * step, (round + 1) * step))
}

/** Opens one group after another, and measures after each. The first group is the warm-up. */
const grow = async (
  client: Client,
  groups: readonly HoldTarget[][],
  measure: () => Promise<Resident>,
): Promise<Resident[]> => {
  const totals: Resident[] = []
  for (const group of groups) {
    await client.call('hold', group)
    await pause(SETTLE_MS)
    totals.push(await measure())
  }
  return totals
}
