/** Measures lists with a growing number of agents, for a user with some of them and for an admin who sees all. */
import { pause } from '../client/channel.ts'
import type { Api } from '../harness/api.ts'
import type { Cleanup } from '../harness/cleanup.ts'
import { makeAgents, nameOf } from '../harness/many-agents.ts'
import { addReader } from '../harness/reader.ts'
import { type Findings, milliseconds, type Row } from '../harness/report.ts'
import { inTurns, median, percentile, ROUNDS } from '../harness/statistics.ts'
import { World } from '../harness/world.ts'

const COUNTS = [100, 1_000, 10_000]
const REQUESTS = 40
/** Few requests for whole lists, because they take far longer. */
const WHOLE_REQUESTS = 4
const PAGE = 100
const LARGEST_PAGE = 500
const TARGET_MS = 50

interface Page {
  readonly items: readonly unknown[]
  readonly nextCursor: string | null
}

type Ask = (query: string) => Promise<Page>

const asker =
  (base: string, token: string): Ask =>
  async (query) => {
    const response = await fetch(`${base}/api/agents?${query}`, { headers: { authorization: `Bearer ${token}` } })
    if (!response.ok) throw new Error(`the list was answered with ${response.status}`)
    return (await response.json()) as Page
  }

const cursorAfter = (name: string): string => Buffer.from(name).toString('base64url')

/** Reads the whole list, as the front end does before it searches in it. */
const wholeList = async (ask: Ask): Promise<number> => {
  let read = 0
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page = await ask(`limit=${LARGEST_PAGE}${cursor === '' ? '' : `&cursor=${cursor}`}`)
    read += page.items.length
    cursor = page.nextCursor
  }
  return read
}

/**
 * If no query waits for so many checks in a row, the server has written everything that a start writes about each
 * agent.
 */
const QUIET_LOOKS = 20

const quiet = async ({ base, token }: Api): Promise<void> => {
  for (let looks = 0; looks < QUIET_LOOKS; looks++) {
    const headers = { authorization: `Bearer ${token}` }
    const text = await (await fetch(`${base}/api/metrics`, { headers })).text()
    if (/^slipway_database_waiting 0$/m.exec(text) === null) looks = -1
    await pause(50)
  }
}

const p95 = async (count: number, work: () => Promise<unknown>): Promise<number> => {
  const samples: number[] = []
  for (let done = 0; done < count; done++) {
    const started = performance.now()
    await work()
    samples.push(performance.now() - started)
  }
  return percentile(samples, 0.95)
}

const measureAt = async (world: World, count: number, readerToken: string) => {
  const api = await world.signIn()
  await quiet(api)
  const { base, token } = api
  const [admin, reader] = [asker(base, token), asker(base, readerToken)]
  if ((await wholeList(admin)) !== count) throw new Error('the list is not whole')
  const middle = cursorAfter(nameOf(Math.floor(count / 2)))
  const ways: Record<string, () => Promise<number>> = {
    [`${PAGE} agents, by an admin`]: () => p95(REQUESTS, () => admin(`limit=${PAGE}`)),
    [`${PAGE} agents, by a user`]: () => p95(REQUESTS, () => reader(`limit=${PAGE}`)),
    [`${PAGE} agents from the middle, by an admin`]: () => p95(REQUESTS, () => admin(`limit=${PAGE}&cursor=${middle}`)),
    [`${PAGE} agents from the middle, by a user`]: () => p95(REQUESTS, () => reader(`limit=${PAGE}&cursor=${middle}`)),
    [`${LARGEST_PAGE} agents, by an admin`]: () => p95(REQUESTS, () => admin(`limit=${LARGEST_PAGE}`)),
    'all of them, to search in, by an admin': () => p95(WHOLE_REQUESTS, () => wholeList(admin)),
    'all of theirs, to search in, by a user': () => p95(WHOLE_REQUESTS, () => wholeList(reader)),
  }
  const found: Record<string, number[]> = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
  for (let round = -1; round < ROUNDS; round++)
    await inTurns(Object.entries(ways), round + 1, async ([name, measure]) => {
      const value = await measure()
      if (round >= 0) found[name]?.push(value)
    })
  return found
}

export const growth = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'g')
  await world.settled(await world.signIn())
  const { token } = await addReader(await world.signIn())
  const found: { count: number; values: Record<string, number[]> }[] = []
  for (const count of COUNTS) {
    await world.stop()
    await makeAgents(world.dataDir, count)
    await world.start()
    found.push({ count, values: await measureAt(world, count, token) })
  }
  const rows = Object.keys(found[0]?.values ?? {}).map((name): Row => {
    const medians = found.map(({ values }) => median(values[name] ?? []))
    const last = medians.at(-1) ?? Number.NaN
    const isPage = !name.startsWith('all')
    return {
      figure: `list of ${name}, p95`,
      median: milliseconds(last, 1),
      limit: medians.map((value, index) => `${milliseconds(value, 1)} at ${COUNTS[index] ?? 0}`).join(', '),
      ratio: (last / (medians[0] ?? Number.NaN)).toFixed(1),
      target: isPage ? `< ${TARGET_MS} ms` : '-',
      met: isPage ? last < TARGET_MS : null,
    }
  })
  return { rows, raw: { unit: 'ms', found } }
}
