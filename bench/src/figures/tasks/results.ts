/** Measures the list of ten thousand results of a user, and searches in it. */
import type { Agent, CodingResults } from '@slipway/protocol'
import type { Cleanup } from '../../harness/cleanup.ts'
import { addReader } from '../../harness/reader.ts'
import { type Findings, milliseconds, type Row } from '../../harness/report.ts'
import { inTurns, median, percentile, ROUNDS } from '../../harness/statistics.ts'
import { FREQUENT, makeResults, RARE } from '../../harness/tasks/many-results.ts'
import { World } from '../../harness/world.ts'

const RESULTS = 10_000
const REQUESTS = 40
const TARGET_MS = 50

/** What is asked for, and how many results match if the bench knows it. */
const WAYS: Readonly<Record<string, { readonly query: Record<string, string>; readonly total?: number }>> = {
  'the newest': { query: {}, total: RESULTS },
  'from the middle': { query: { page: String(RESULTS / 40) }, total: RESULTS },
  'with a rare word': { query: { q: RARE }, total: RESULTS / 500 },
  'with two frequent words': { query: { q: FREQUENT } },
  'with a word that begins with e': { query: { q: 'e' } },
  'with a word that is nowhere': { query: { q: 'nowhere' }, total: 0 },
}

export const results = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 's')
  const admin = await world.signIn()
  await world.settled(admin)
  const reader = await addReader(admin, ['tasks:read'])
  // Its image does not matter, and it need not run.
  const { id: agentId } = await admin.post<Agent>('/agents', { name: 'many', runtime: 'claude-code' })
  await admin.post('/agents/many/shares', { email: reader.email })
  await world.stop()
  await makeResults(world.dataDir, { userId: reader.userId, agentId, count: RESULTS })
  await world.start()
  const { base } = await world.signIn()

  const ask = async (query: Record<string, string>): Promise<CodingResults> => {
    const path = `${base}/api/coding-agents/results?${new URLSearchParams(query).toString()}`
    const response = await fetch(path, { headers: { authorization: `Bearer ${reader.token}` } })
    if (!response.ok) throw new Error(`the list was answered with ${response.status}`)
    return (await response.json()) as CodingResults
  }
  const p95 = async (query: Record<string, string>): Promise<number> => {
    const samples: number[] = []
    for (let sent = 0; sent < REQUESTS; sent += 1) {
      const started = performance.now()
      await ask(query)
      samples.push(performance.now() - started)
    }
    return percentile(samples, 0.95)
  }

  const totals: Record<string, number> = {}
  for (const [name, { query, total: wanted }] of Object.entries(WAYS)) {
    const { total } = await ask(query)
    if (wanted !== undefined && total !== wanted) throw new Error(`${total} results ${name}`)
    totals[name] = total
  }
  const found: Record<string, number[]> = Object.fromEntries(Object.keys(WAYS).map((name) => [name, []]))
  // The first round does not count.
  for (let round = -1; round < ROUNDS; round += 1)
    await inTurns(Object.entries(WAYS), round + 1, async ([name, { query }]) => {
      const value = await p95(query)
      if (round >= 0) found[name]?.push(value)
    })
  const rows = Object.entries(found).map(([name, values]): Row => {
    const value = median(values)
    return {
      figure: `20 of ${RESULTS} results, ${name}, p95`,
      median: milliseconds(value, 1),
      limit: `${totals[name] ?? 0} match`,
      ratio: '-',
      target: `< ${TARGET_MS} ms`,
      met: value < TARGET_MS,
    }
  })
  return { rows, raw: { unit: 'ms', requests: REQUESTS, totals, found } }
}
