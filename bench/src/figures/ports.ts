/** Measures an app in an agent at its port's host name, beside a connection to the container's own address. */
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import type { PortTicket } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Browser, BrowserContext } from 'playwright'
import type { PortTarget } from '../client/ports.ts'
import { startBrowser } from '../harness/browser.ts'
import type { Cleanup } from '../harness/cleanup.ts'
import { Client } from '../harness/client.ts'
import { docker, runInside } from '../harness/engine.ts'
import { measureRates, rateRow } from '../harness/rates.ts'
import { type Findings, milliseconds, type Row } from '../harness/report.ts'
import { inTurns, median, pairedMedian, percentile, ROUNDS } from '../harness/statistics.ts'
import { World } from '../harness/world.ts'

const AGENT = 'ports'
const PORT = 5173
/** Scripts of the page, which is one more request. */
const FILES = 199
const FILE_BYTES = 10_000
const DOWNLOAD_BYTES = 64 * 1024 * 1024
const SMALL_REQUESTS = 500
const SOCKETS = 20
const ECHO_ROUNDS = 200
const TARGET_RATIO = 0.5
const TARGET_ADDED_MS = 3
const APP = readFileSync(new URL('../harness/ports-app.mjs', import.meta.url))
const DIRECT = 'directly to the container'

const startApp = async (containerId: string): Promise<void> => {
  await runInside(containerId, ['sh', '-c', 'printf %s "$1" > "$HOME/app.mjs"', 'sh', APP.toString()])
  const argv = ['node', '/home/developer/app.mjs', PORT, FILES, FILE_BYTES, DOWNLOAD_BYTES].join(' ')
  await runInside(containerId, ['sh', '-c', `setsid -f ${argv} >/dev/null 2>&1`])
}

/** The container's address in the agents' network. */
const addressOf = async (containerId: string): Promise<string> => {
  const { NetworkSettings } = await docker.getContainer(containerId).inspect()
  const address = Object.values(NetworkSettings.Networks)[0]?.IPAddress
  if (!address) throw new Error('the container has no address')
  return address
}

/** Milliseconds from the navigation to the end of the page's last script. The page has no cache. */
const loadPage = async (context: BrowserContext, origin: string): Promise<number> => {
  const page = await context.newPage()
  await page.goto(`${origin}/page`, { waitUntil: 'load' })
  const { ms, files } = await page.evaluate(() => ({
    ms: (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).loadEventStart,
    // Without the icon, which the browser asks for by itself.
    files: performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).length,
  }))
  if (files !== FILES) throw new Error(`${files} scripts came instead of ${FILES}`)
  await page.close()
  return ms
}

const added = (figure: string, ours: number[], theirs: number[], target: number | null): Row => {
  const more = pairedMedian(ours, theirs, (our, their) => our - their)
  return {
    figure,
    median: milliseconds(median(ours)),
    limit: `${milliseconds(median(theirs))} ${DIRECT}`,
    ratio: `+${milliseconds(more)}`,
    target: target === null ? '-' : `≤ +${milliseconds(target)}`,
    met: target === null ? null : more <= target,
  }
}

const measurePages = async (browser: Browser, ticket: () => Promise<string>, direct: string) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(await ticket())
  const { origin } = new URL(page.url())
  await page.close()
  const pages: Record<'port' | 'direct', number[]> = { port: [], direct: [] }
  // The first round does not count.
  for (let round = -1; round < ROUNDS; round += 1)
    await inTurns(['port', 'direct'] as const, round + 1, async (way) => {
      const ms = await loadPage(context, way === 'port' ? origin : direct)
      if (round >= 0) pages[way].push(ms)
    })
  await context.close()
  return pages
}

export const ports = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'po')
  const api = await world.signIn()
  await world.settled(api)
  const containerId = await world.addAgent(api, AGENT, { runtime: 'bash' })
  await startApp(containerId)
  const address = await addressOf(containerId)
  const ticket = async (): Promise<string> =>
    (await api.post<PortTicket>(`/agents/${AGENT}/ports/${PORT}/tickets`, { path: '/small' })).url
  const direct: PortTarget = { address, port: PORT, headers: {} }
  const port = await targetOf(await ticket())
  const client = new Client(cleanup)
  await until('the app', () =>
    client.call('askPort', port, '/small', 1).then(
      () => true,
      () => false,
    ),
  )

  const rates = await measureRates({
    port: () => client.call('downloadPort', port, '/download', DOWNLOAD_BYTES),
    direct: () => client.call('downloadPort', direct, '/download', DOWNLOAD_BYTES),
  })
  const small: Record<'port' | 'direct', number[][]> = { port: [], direct: [] }
  const echoes: Record<'port' | 'direct', number[][]> = { port: [], direct: [] }
  const targets = { port, direct }
  for (let round = -1; round < ROUNDS; round += 1)
    await inTurns(['port', 'direct'] as const, round + 1, async (way) => {
      const asked = await client.call('askPort', targets[way], '/small', SMALL_REQUESTS)
      const echoed = await client.call('echoPort', targets[way], SOCKETS, ECHO_ROUNDS)
      if (round < 0) return
      small[way].push(asked)
      echoes[way].push(echoed)
    })
  await client.stop()
  const browser = await startBrowser(cleanup)
  const pages = await measurePages(browser, ticket, `http://${address}:${PORT}`)
  await browser.close()

  const at = (samples: readonly number[][], share: number): number[] => samples.map((one) => percentile(one, share))
  const pageRatio = pairedMedian(pages.direct, pages.port, (their, our) => their / our)
  return {
    rows: [
      {
        figure: `a page of ${FILES + 1} requests in Chromium`,
        median: milliseconds(median(pages.port), 0),
        limit: `${milliseconds(median(pages.direct), 0)} ${DIRECT}`,
        ratio: pageRatio.toFixed(2),
        target: `≥ ${TARGET_RATIO}`,
        met: pageRatio >= TARGET_RATIO,
      },
      rateRow('a download of 64 MiB', rates.port, { theirs: rates.direct, limit: DIRECT, target: TARGET_RATIO }),
      added('a small request, p50', at(small.port, 0.5), at(small.direct, 0.5), TARGET_ADDED_MS),
      added('a small request, p95', at(small.port, 0.95), at(small.direct, 0.95), null),
      added(
        `a message through each of ${SOCKETS} WebSockets at once, p50`,
        at(echoes.port, 0.5),
        at(echoes.direct, 0.5),
        TARGET_ADDED_MS,
      ),
      added(
        `a message through each of ${SOCKETS} WebSockets at once, p95`,
        at(echoes.port, 0.95),
        at(echoes.direct, 0.95),
        null,
      ),
    ],
    raw: { unit: 'ms, and bytes a second', pages, rates, small, echoes },
  }
}

/** Exchanges the ticket, as a browser does. Names below localhost lead to this machine. */
const targetOf = async (ticket: string): Promise<PortTarget> => {
  const { host, port, pathname, search } = new URL(ticket)
  const cookie = await new Promise<string>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: pathname + search, headers: { host } }, ({ headers }) =>
      resolve(headers['set-cookie']?.[0]?.split(';')[0] ?? ''),
    ).on('error', reject)
  })
  return { address: '127.0.0.1', port: Number(port), headers: { host, cookie } }
}
