/** Measures the cost of the audit log: the same change of an agent with its row and without. */
import type { Cleanup } from '../harness/cleanup.ts'
import { startLimitServer } from '../harness/limit-server.ts'
import { makeAgents } from '../harness/many-agents.ts'
import { type Findings, milliseconds } from '../harness/report.ts'
import { inTurns, median, pairedMedian, ROUNDS } from '../harness/statistics.ts'
import { World } from '../harness/world.ts'

const ACTS = 100
/** Changes of one way before the other way's turn. */
const ACTS_IN_A_ROW = 10
const WAYS = ['with', 'without'] as const

export const audit = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'a')
  await world.settled(await world.signIn())
  await world.stop()
  const id = await makeAgents(world.dataDir, 1)
  const limit = await startLimitServer(cleanup, 'queries', world.dataDir)
  const act = async (way: (typeof WAYS)[number]): Promise<number> => {
    const started = performance.now()
    const response = await fetch(`${limit}/act/${way}/${id}`, { method: 'POST' })
    if (!response.ok) throw new Error(`an act was answered with ${response.status}`)
    await response.arrayBuffer()
    return performance.now() - started
  }
  const rounds = { with: [] as number[], without: [] as number[] }
  for (let round = -1; round < ROUNDS; round++) {
    const samples = { with: [] as number[], without: [] as number[] }
    for (let done = 0; done < ACTS; done += ACTS_IN_A_ROW)
      await inTurns(WAYS, done / ACTS_IN_A_ROW, async (way) => {
        for (let row = 0; row < ACTS_IN_A_ROW; row++) samples[way].push(await act(way))
      })
    if (round >= 0) for (const way of WAYS) rounds[way].push(median(samples[way]))
  }
  const added = pairedMedian(rounds.with, rounds.without, (our, their) => our - their)
  return {
    rows: [
      {
        figure: 'change of an agent with its audit row, p50',
        median: milliseconds(median(rounds.with)),
        limit: `${milliseconds(median(rounds.without))} without the row`,
        ratio: `+${milliseconds(added)}`,
        target: '-',
        met: null,
      },
    ],
    raw: { unit: 'ms', acts: ACTS, ...rounds },
  }
}
