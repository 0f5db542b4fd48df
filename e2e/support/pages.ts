/** Pages in the shared browser. Each is watched for console messages and for requests to other origins. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@slipway/testing'
import {
  type APIResponse,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright'
import type { SignedIn } from '@slipway/protocol'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { type Client, passwordOf } from './api.ts'
import { graveOn } from './page/axe.ts'
import { type Launch, launchOptions } from './page/chromium.ts'

/** Longest time that a page may take on two busy cores, in milliseconds. */
export const PATIENCE_MS = 120_000
/** Folder for screenshots of failed tests. */
const RESULTS = join(import.meta.dirname, '../results')

export interface ContextOptions extends BrowserContextOptions {
  /** The pages' server, if it is not the shared one. */
  readonly baseURL?: string
  /** Console messages that the test provokes. */
  readonly provoked?: readonly RegExp[]
  /**
   * Draws terminals with WebGL, as most users' browsers do. Without it they use canvas. The emulated GPU takes both
   * cores, so use it only for tests of drawing, and for a few of each kind of program and of flood.
   */
  readonly webgl?: boolean
  /**
   * Loads parts of the page before they are needed, as every page does unless its user saves data. That takes a fifth of
   * the browser's CPU time. By default, a page does so that has a proxy or a server of its own, which the test may stop.
   */
  readonly preloads?: boolean
}

interface Watched {
  readonly context: BrowserContext
  readonly baseURL: string
  readonly complaints: string[]
}

let browser: Browser | undefined
const open: Watched[] = []

/** Messages that the machine causes, not the page. */
const ENVIRONMENT = [
  // The emulator's warning after a slow frame, as on two busy cores without a GPU.
  /^warning: task queue exceeded allotted deadline/,
  // A terminal's WebGL picture is read back from the emulated GPU, because the page is composited without it.
  /^warning: .* GPU stall due to ReadPixels/,
  // An admin's page has the agents of other tests, which delete them meanwhile.
  /status of 404 \(Not Found\) http:\/\/[^/]+\/api\/agents\/t[\da-f]{8}\/(?:approval-rules|connectors|skills|skill-settings|cli-access)/,
]

/** Chromium's own message about an error response. A page cannot suppress it. */
export const answered = (status: number): RegExp =>
  new RegExp(`^error: Failed to load resource: the server responded with a status of ${status} `)

const CONFLICT = answered(409)

/**
 * Call it once in each file that opens pages. It connects to the browser, and checks the pages' messages after each
 * test. All contexts of a browser share one clipboard, so a file that reads it needs a browser of its own. So does a
 * file that launches it in another way.
 */
export const useBrowser = ({
  ownClipboard = false,
  ...launch
}: Launch & { readonly ownClipboard?: boolean } = {}): void => {
  beforeAll(async () => {
    browser =
      ownClipboard || Object.keys(launch).length > 0
        ? await chromium.launch(launchOptions(launch))
        : await chromium.connect(inject('browser'))
  })
  afterEach(async ({ task }) => {
    const hasFailed = task.result?.state === 'fail'
    if (hasFailed) await photograph(task.name)
    const complaints = open.flatMap((watched) => watched.complaints)
    const grave = hasFailed ? [] : await graveOnOpenPages()
    await closePages()
    expect(complaints.join('\n'), 'console, page errors and requests to other origins').toBe('')
    expect(grave, 'serious violations that axe finds in the pages that the test leaves open').toEqual([])
  })
  afterAll(() => browser?.close())
}

/** Closes all open contexts of the test, as if a user closed the windows. */
export const closePages = async (): Promise<void> => {
  await Promise.all(open.splice(0).map(({ context }) => context.close()))
}

/**
 * Without a GPU, drawing transitions costs a tenth of the CPU time, and no test looks at them. A page starts in the
 * system's theme, which is dark here.
 */
const PAGE = {
  viewport: { width: 1280, height: 800 },
  colorScheme: 'dark',
  reducedMotion: 'reduce',
} as const satisfies BrowserContextOptions

/** A phone's screen, in CSS pixels. */
const PHONE = { width: 390, height: 844 } as const

/** A separate context: another user, or another computer. */
export const newContext = async ({
  provoked = [],
  webgl = false,
  preloads,
  ...options
}: ContextOptions = {}): Promise<BrowserContext> => {
  const baseURL = options.baseURL ?? inject('baseUrl')
  const context = await browser!.newContext({ ...PAGE, ...options, baseURL })
  context.setDefaultTimeout(PATIENCE_MS)
  if (!webgl) await withoutWebgl(context)
  if (!(preloads ?? (options.proxy ?? options.baseURL) !== undefined)) await withoutPreloading(context)
  const complaints: string[] = []
  const complain = (what: string): void => {
    if (![...ENVIRONMENT, ...provoked].some((pattern) => pattern.test(what))) complaints.push(what)
  }
  const { host, port } = new URL(baseURL)
  // Links of the server contain its own host name.
  const own = [host, `slipway.localhost:${port}`]
  const watchUrl = (url: string): void => {
    if (/^(https?|wss?):/.test(url) && !own.includes(new URL(url).host)) complain(`request: ${url}`)
  }
  context.on('console', (message) => {
    const text = `${message.type()}: ${message.text()}`
    // A page that closed during a renewal never got the response. The server refuses the next page once, and that page
    // retries.
    if (message.location().url.endsWith('/api/auth/refresh') && CONFLICT.test(text)) return
    // Chromium's message about a failed request does not name it.
    if (/^(error|warning)/.test(text))
      complain(/^error: Failed to load/.test(text) ? `${text} ${message.location().url}` : text)
  })
  context.on('weberror', (error) => complain(`page error: ${error.error().message}`))
  context.on('request', (request) => watchUrl(request.url()))
  context.on('page', (page) => page.on('websocket', (socket) => watchUrl(socket.url())))
  open.push({ context, baseURL, complaints })
  return context
}

/**
 * A browser that hears of changes of the network loses navigations to them, several in a row. No page is loaded yet that
 * could try again.
 */
const NETWORK_CHANGED = /ERR_NETWORK_CHANGED|interrupted by another navigation to "chrome-error:/
const arrive = async (page: Page, ask: () => Promise<unknown>): Promise<void> => {
  await until('a navigation', async () => {
    try {
      await ask()
      return true
    } catch (error) {
      if (!NETWORK_CHANGED.test(String(error))) throw error
      // The browser's error page appears a little later, and would be taken for the response.
      await until("the browser's page about it", () => page.url().startsWith('chrome-error:'), PATIENCE_MS)
      return false
    }
  })
}
export const goTo = (page: Page, path: string): Promise<void> => arrive(page, () => page.goto(path))
export const reload = (page: Page): Promise<void> => arrive(page, () => page.reload())

/** Opens `path` without a sign-in, and signs in on the way. */
export const signInAt = async (page: Page, client: Client, path: string): Promise<void> => {
  await goTo(page, path)
  await page.getByLabel('E-mail').fill(client.email)
  await page.getByLabel('Password', { exact: true }).fill(passwordOf(client))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname === new URL(path, url).pathname)
}

/** A context in which `client` is signed in, without the form, which has tests of its own. */
export const contextOf = async (client: Client, options: ContextOptions = {}): Promise<BrowserContext> => {
  const context = await newContext(options)
  const data = { email: client.email, password: passwordOf(client) }
  const answer = await context.request.post('/api/auth/login', { data })
  expect(answer.status(), 'signing in').toBe(200)
  await keepRefreshKey(context, answer)
  return context
}

/** Stores the refresh key, as a page does after a sign-in. It is the half of the refresh secret outside the cookie. */
export const keepRefreshKey = async (context: BrowserContext, answer: APIResponse): Promise<void> => {
  const localStorage = [{ name: 'slipway-refresh-key', value: ((await answer.json()) as SignedIn).refreshKey }]
  const { cookies, origins } = await context.storageState()
  const { origin } = new URL(answer.url())
  const before = origins.find((one) => one.origin === origin)?.localStorage ?? []
  await context.setStorageState({ cookies, origins: [{ origin, localStorage: [...before, ...localStorage] }] })
}

/** Opens `path` as `client`, in a new context. */
export const visit = async (client: Client, path: string, options: ContextOptions = {}): Promise<Page> => {
  const page = await (await contextOf(client, options)).newPage()
  await goTo(page, path)
  return page
}

/** From now on the context's pages behave as on plain http from another machine. */
export const withoutHttps = async (context: BrowserContext): Promise<void> => {
  await context.addInitScript(() => {
    Object.defineProperty(window, 'isSecureContext', { value: false })
    Reflect.deleteProperty(Navigator.prototype, 'clipboard')
  })
}

/** From now on the context's pages have no WebGL, as in a browser without any GPU. */
const withoutWebgl = async (context: BrowserContext): Promise<void> => {
  await context.addInitScript(() => {
    const native = HTMLCanvasElement.prototype.getContext as (...args: unknown[]) => unknown
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...args: unknown[]) {
      return String(args[0]).startsWith('webgl') ? null : native.apply(this, args)
    } as typeof HTMLCanvasElement.prototype.getContext
  })
}

/** From now on the context's pages load each part when they need it, as for a user who saves data. */
const withoutPreloading = async (context: BrowserContext): Promise<void> => {
  await context.addInitScript(() => Object.defineProperty(navigator, 'connection', { value: { saveData: true } }))
}

/** How axe sees the pages at the end of their tests, by turns. */
const LOOKS = [
  { colorScheme: 'dark', viewport: null },
  { colorScheme: 'light', viewport: PHONE },
] as const
let seen = 0

/** The violations in the product's pages that are open now. */
const graveOnOpenPages = async (): Promise<unknown[]> => {
  const found: unknown[] = []
  for (const { context, baseURL } of open) {
    for (const page of context.pages()) {
      if (!page.url().startsWith(`${baseURL}/`)) continue
      const { colorScheme, viewport } = LOOKS[seen++ % LOOKS.length]!
      await page.emulateMedia({ colorScheme })
      if (viewport !== null) await page.setViewportSize(viewport)
      await page.evaluate(
        () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
      )
      const violations = await graveOn(page)
      if (violations.length > 0) found.push({ page: page.url(), colorScheme, viewport, violations })
    }
  }
  return found
}

const photograph = async (test: string): Promise<void> => {
  mkdirSync(RESULTS, { recursive: true })
  const pages = open.flatMap(({ context }) => context.pages())
  for (const [index, page] of pages.entries()) {
    const name = `${test}-${index}`.replaceAll(/[^\w-]+/g, '-')
    // A page that hangs gives no screenshot. The test's own failure says more.
    await page.screenshot({ path: join(RESULTS, `${name}.png`), timeout: 10_000 }).catch(() => undefined)
  }
}
