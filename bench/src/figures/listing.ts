/** Measures the list of 500 agents, and proves that the server does not ask the engine for it. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Agent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Api } from '../harness/api.ts'
import type { Cleanup } from '../harness/cleanup.ts'
import { CountingProxy } from '../harness/counting-proxy.ts'
import { type Findings, milliseconds } from '../harness/report.ts'
import { median, pairedMedian, percentile, ROUNDS } from '../harness/statistics.ts'
import { World } from '../harness/world.ts'

const AGENTS = 500
const REQUESTS = 40
const AT_ONCE = 8
/** Longest time in which the server fails to start all of them, in milliseconds. */
const MADE_WITHIN_MS = 60_000
/** The server's heartbeat to the engine, which it sends with lists or without. */
const HEARTBEAT = /^\w+ (\/v[\d.]+)?\/_ping$/
const PATH = `/api/agents?limit=${AGENTS}`

interface List {
  readonly items: Agent[]
}

/** Makes agents of an image that does not exist. Each is a row with a state and has no container. */
const makeAgents = async (api: Api): Promise<void> => {
  const names = Array.from({ length: AGENTS }, (_, index) => `bench-${String(index).padStart(3, '0')}`)
  const work = async (): Promise<void> => {
    for (let name = names.pop(); name; name = names.pop()) await api.post('/agents', { name, runtime: 'claude-code' })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const areThere = async (): Promise<boolean> => {
    const { items } = await api.get<List>(`/agents?limit=${AGENTS}`)
    return items.length === AGENTS && items.every(({ state }) => state === 'failed')
  }
  await until('the agents', areThere, MADE_WITHIN_MS)
}

const ask = async (base: string, token: string): Promise<string> => {
  const response = await fetch(`${base}${PATH}`, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok) throw new Error(`the list answered ${response.status}`)
  return response.text()
}

const p95 = async (base: string, token: string): Promise<number> => {
  const samples: number[] = []
  for (let sent = 0; sent < REQUESTS; sent++) {
    const started = performance.now()
    await ask(base, token)
    samples.push(performance.now() - started)
  }
  return percentile(samples, 0.95)
}

/** The limit: the same bytes from a server that does nothing else. */
const serveText = async (cleanup: Cleanup, text: string): Promise<string> => {
  const body = Buffer.from(text)
  const server = createServer((_request, response) => response.setHeader('content-type', 'application/json').end(body))
  cleanup.add(async () => void server.close().closeAllConnections())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export const listing = async (cleanup: Cleanup): Promise<Findings> => {
  const proxy = await CountingProxy.start(cleanup)
  const env = { DOCKER_HOST: proxy.address, SLIPWAY_IMAGES: 'slipway-bench-missing:none' }
  const world = await World.make(cleanup, 'l', env)
  const api = await world.signIn()
  await world.settled(api)
  await makeAgents(api)
  const bare = await serveText(cleanup, await ask(api.base, api.token))

  const before = proxy.requests.length
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await p95(api.base, api.token))
    theirs.push(await p95(bare, ''))
  }
  const all = proxy.requests.slice(before)
  const asked = all.filter((request) => !HEARTBEAT.test(request))
  // A start asks the engine, which shows that the counter counts.
  await api.post('/agents/bench-000/start?wait=true')
  if (proxy.requests.slice(before + all.length).every((request) => HEARTBEAT.test(request)))
    throw new Error('the proxy does not see the requests')
  return {
    rows: [
      {
        figure: `list of ${AGENTS} agents, p95`,
        median: milliseconds(median(ours), 1),
        limit: `${milliseconds(median(theirs), 1)} same bytes, bare server`,
        ratio: pairedMedian(ours, theirs, (our, their) => our / their).toFixed(1),
        target: '-',
        met: null,
      },
      {
        figure: `calls to Docker for ${ROUNDS * REQUESTS} lists`,
        median: String(asked.length),
        limit: '',
        ratio: '-',
        target: '0',
        met: asked.length === 0,
      },
    ],
    raw: { unit: 'ms', requests: REQUESTS, ours, theirs, asked, heartbeats: all.length - asked.length },
  }
}
