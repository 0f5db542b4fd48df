/** Measures requests a second, beside a route that makes only the same query, and beside one that does nothing. */
import { cp } from 'node:fs/promises'
import type { Endpoint } from '../client/saturate.ts'
import type { Cleanup } from '../harness/cleanup.ts'
import { Client } from '../harness/client.ts'
import { startLimitServer } from '../harness/limit-server.ts'
import { makeAgents, nameOf } from '../harness/many-agents.ts'
import type { Findings, Row } from '../harness/report.ts'
import { inTurns, median, pairedMedian, ROUNDS } from '../harness/statistics.ts'
import { addReader } from '../harness/reader.ts'
import { World } from '../harness/world.ts'

const AGENTS = 1_000
const LIMIT = 100
const TARGET = 0.7
/** Time for each way in each round, in milliseconds. */
const FOR_MS = 1_000

export const requests = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'r')
  await world.settled(await world.signIn())
  const { token, userId } = await addReader(await world.signIn())
  await world.stop()
  await makeAgents(world.dataDir, AGENTS)
  const copy = `${world.dataDir}-copy`
  await cp(world.dataDir, copy, { recursive: true, filter: (path) => !path.endsWith('.lock') })
  await world.start()
  const { url: product } = world.backend
  const limit = await startLimitServer(cleanup, 'queries', copy)
  const { items } = await ask<{ items: { name: string }[] }>({
    base: product,
    path: `/api/agents?limit=${LIMIT}`,
    token,
  })
  const one = items[0]?.name ?? nameOf(1)

  const client = new Client(cleanup)
  const measure = async (figure: string, path: string, query: string): Promise<Findings> => {
    const body = await ask({ base: product, path, token })
    const put = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    await (await fetch(`${limit}/bare`, put)).arrayBuffer()
    const ways: Record<'product' | 'query' | 'bare', Endpoint> = {
      product: { base: product, path, token },
      query: { base: limit, path: query, token: '' },
      bare: { base: limit, path: '/bare', token: '' },
    }
    const rates = { product: [] as number[], query: [] as number[], bare: [] as number[] }
    const names = Object.keys(ways) as (keyof typeof ways)[]
    for (let round = -1; round < ROUNDS; round++)
      await inTurns(names, round + 1, async (name) => {
        const rate = await client.call('saturate', ways[name], FOR_MS)
        if (round >= 0) rates[name].push(rate)
      })
    const row = (limitName: 'query' | 'bare', label: string, target: number | null): Row => {
      const ratio = pairedMedian(rates.product, rates[limitName], (our, their) => our / their)
      return {
        figure,
        median: perSecond(median(rates.product)),
        limit: `${perSecond(median(rates[limitName]))} ${label}`,
        ratio: ratio.toFixed(2),
        target: target === null ? '-' : `≥ ${target}`,
        met: target === null ? null : ratio >= target,
      }
    }
    return { rows: [row('query', 'the same query alone', TARGET), row('bare', 'same bytes, bare', null)], raw: rates }
  }

  const list = await measure(
    `list of ${LIMIT} agents`,
    `/api/agents?limit=${LIMIT}`,
    `/query/agents?limit=${LIMIT}&userId=${userId}`,
  )
  const single = await measure('one agent', `/api/agents/${one}`, `/query/agents/${one}?userId=${userId}`)
  return {
    rows: [...list.rows, ...single.rows],
    raw: { unit: 'requests per second', agents: AGENTS, list: list.raw, one: single.raw },
  }
}

const perSecond = (rate: number): string => `${rate.toFixed(0)}/s`

const ask = async <T>({ base, path, token }: Endpoint): Promise<T> => {
  const response = await fetch(`${base}${path}`, { headers: { connection: 'close', authorization: `Bearer ${token}` } })
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}`)
  return (await response.json()) as T
}
