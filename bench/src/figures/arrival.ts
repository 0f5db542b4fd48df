/**
 * Measures the time from opening an address to what the user wants to see. The browser's cache is empty, and the
 * network is a slow mobile one.
 */
import type { SignedIn } from '@slipway/protocol'
import type { Browser, BrowserContext, Page } from 'playwright'
import { startBrowser } from '../harness/browser.ts'
import type { Cleanup } from '../harness/cleanup.ts'
import { type Findings, milliseconds, type Row } from '../harness/report.ts'
import { median } from '../harness/statistics.ts'
import type { World } from '../harness/world.ts'
import type { Stage } from '../stage.ts'

/** "Slow 4G" of Chromium's developer tools: bytes in a second, and milliseconds before each answer. */
const BYTES_PER_S = 1_300_000 / 8
const LATENCY_MS = 560
const SAMPLES = 5
const VIEWPORT = { width: 1280, height: 800 }
const SIGN_IN_TARGET_MS = 3_000
const TERMINAL_TARGET_MS = 6_000
const TERMINAL = '[data-testid="terminal-panel"] [data-testid="terminal"]'

interface Sample {
  readonly ms: number
  readonly bytes: number
  readonly requests: number
}

/** Opens `path` in a page of `context`, and waits for `there`. */
const arrive = async (context: BrowserContext, path: string, there: (page: Page) => Promise<void>): Promise<Sample> => {
  const page = await context.newPage()
  const client = await context.newCDPSession(page)
  await client.send('Network.enable')
  const line = { downloadThroughput: BYTES_PER_S, uploadThroughput: BYTES_PER_S, latency: LATENCY_MS }
  await client.send('Network.emulateNetworkConditions', { offline: false, ...line })
  let bytes = 0
  let requests = 0
  client.on('Network.requestWillBeSent', () => void (requests += 1))
  client.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength))
  const started = performance.now()
  await page.goto(path, { waitUntil: 'commit' })
  await there(page)
  const ms = performance.now() - started
  await context.close()
  return { ms, bytes, requests }
}

const atForm = async (page: Page): Promise<void> => page.getByRole('button', { name: 'Sign in' }).waitFor()

/** Resolves when output of the program is on the screen. */
const atPrompt = async (page: Page): Promise<void> => {
  await page.locator(`${TERMINAL}[data-state="connected"]`).waitFor()
  await page.waitForFunction((selector) => {
    type Shown = HTMLElement & {
      readonly xterm?: {
        buffer: { active: { getLine(y: number): { translateToString(trim: boolean): string } | undefined } }
      }
    }
    const { xterm } = document.querySelector<Shown>(selector)!
    return xterm?.buffer.active.getLine(0)?.translateToString(true) !== ''
  }, TERMINAL)
}

/** A context of a user who has signed in, with an empty cache. */
const signedIn = async (browser: Browser, { backend, admin }: World): Promise<BrowserContext> => {
  const context = await browser.newContext({ baseURL: backend.url, viewport: VIEWPORT })
  const answer = await context.request.post('/api/auth/login', { data: admin })
  const { refreshKey } = (await answer.json()) as SignedIn
  const { cookies } = await context.storageState()
  const localStorage = [{ name: 'slipway-refresh-key', value: refreshKey }]
  await context.setStorageState({ cookies, origins: [{ origin: backend.url, localStorage }] })
  return context
}

export const arrival = async ({ world, api }: Stage, cleanup: Cleanup): Promise<Findings> => {
  const agent = 'arrival'
  await world.addAgent(api, agent, { runtime: 'bash' })
  const browser: Browser = await startBrowser(cleanup)
  const options = { baseURL: world.backend.url, viewport: VIEWPORT }
  const guests: Sample[] = []
  const users: Sample[] = []
  for (let sample = 0; sample < SAMPLES; sample++) {
    guests.push(await arrive(await browser.newContext(options), '/login', atForm))
    users.push(await arrive(await signedIn(browser, world), `/agents/${agent}`, atPrompt))
  }
  await browser.close()
  const row = (figure: string, samples: readonly Sample[], target: number): Row => {
    const ms = median(samples.map((sample) => sample.ms))
    const atOnce = LATENCY_MS + (median(samples.map(({ bytes }) => bytes)) / BYTES_PER_S) * 1000
    return {
      figure: `${figure} on Slow 4G, cold`,
      median: milliseconds(ms, 0),
      limit: `${milliseconds(atOnce, 0)} its bytes in one answer`,
      ratio: (ms / atOnce).toFixed(2),
      target: `< ${target} ms`,
      met: ms < target,
    }
  }
  return {
    rows: [row('sign-in page', guests, SIGN_IN_TARGET_MS), row('terminal', users, TERMINAL_TARGET_MS)],
    raw: { unit: 'ms', latencyMs: LATENCY_MS, bytesPerSecond: BYTES_PER_S, guests, users },
  }
}
