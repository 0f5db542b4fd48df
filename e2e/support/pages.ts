/** Pages in the shared browser, each watched: no complaint in the console, no request to another origin. */
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
import { launchOptions } from './page/chromium.ts'

/** Longest that a page may take for what a test waits for on two busy cores, in milliseconds. */
export const PATIENCE_MS = 45_000
/** Where a failed test leaves what its pages looked like. */
const RESULTS = join(import.meta.dirname, '../results')

export interface ContextOptions extends BrowserContextOptions {
  /** The server that the pages belong to, if it is another one than the shared one. */
  readonly baseURL?: string
  /** What the console may say in this test because the test provokes it. */
  readonly provoked?: readonly RegExp[]
  /**
   * Terminals are drawn by WebGL, as most people have it. Without it they are drawn by canvas: the emulated card takes both
   * cores, so it is for tests of what is drawn, and for a few of each kind of program and of flood.
   */
  readonly webgl?: boolean
}

interface Watched {
  readonly context: BrowserContext
  readonly complaints: string[]
}

let browser: Browser | undefined
const open: Watched[] = []

/** Each container brings a network interface of its own, and Chromium gives up what it is just connecting then. */
const NETWORK_CHANGED = /ERR_NETWORK_CHANGED/
/** What is no fault of the page's. */
const ENVIRONMENT = [
  // The emulator says so where a frame took long, as on two busy cores without a graphics card.
  /^warning: task queue exceeded allotted deadline/,
  // A terminal's WebGL picture is read from the emulated card for a page that is put together without it.
  /^warning: .* GPU stall due to ReadPixels/,
  NETWORK_CHANGED,
]

/** What Chromium itself reports of an answer that is an error, which a page cannot keep it from. */
export const answered = (status: number): RegExp =>
  new RegExp(`^error: Failed to load resource: the server responded with a status of ${status} `)

const CONFLICT = answered(409)

/**
 * Call once in a file that opens pages: connects to the browser, and looks after each test at what its pages said. A browser has
 * one clipboard for all of its contexts: a file that looks at it has a browser of its own. So has one that needs a browser `without`
 * something, by Blink's name of it, as others are.
 */
export const useBrowser = ({ ownClipboard = false, without = '' } = {}): void => {
  beforeAll(async () => {
    browser =
      ownClipboard || without !== ''
        ? await chromium.launch(launchOptions(without))
        : await chromium.connect(inject('browser'))
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await photograph(task.name)
    const complaints = open.flatMap((watched) => watched.complaints)
    await closePages()
    expect(complaints, 'console, page errors and requests to other origins').toEqual([])
  })
  afterAll(() => browser?.close())
}

/** Closes what the test has open, as a person closes a window. */
export const closePages = async (): Promise<void> => {
  await Promise.all(open.splice(0).map(({ context }) => context.close()))
}

/**
 * Every frame of a transition is drawn without a graphics card: a tenth of the CPU time, for what no test looks at. A page begins
 * in the theme of the system, which is dark here.
 */
const PAGE = {
  viewport: { width: 1280, height: 800 },
  colorScheme: 'dark',
  reducedMotion: 'reduce',
} as const satisfies BrowserContextOptions

/** A context of its own: another person, or another computer. */
export const newContext = async ({
  provoked = [],
  webgl = false,
  ...options
}: ContextOptions = {}): Promise<BrowserContext> => {
  const baseURL = options.baseURL ?? inject('baseUrl')
  const context = await browser!.newContext({ ...PAGE, ...options, baseURL })
  context.setDefaultTimeout(PATIENCE_MS)
  if (!webgl) await withoutWebgl(context)
  const complaints: string[] = []
  const complain = (what: string): void => {
    if (![...ENVIRONMENT, ...provoked].some((pattern) => pattern.test(what))) complaints.push(what)
  }
  const { host, port } = new URL(baseURL)
  // The server's links begin with its own name.
  const own = [host, `slipway.localhost:${port}`]
  const watchUrl = (url: string): void => {
    if (/^(https?|wss?):/.test(url) && !own.includes(new URL(url).host)) complain(`request: ${url}`)
  }
  context.on('console', (message) => {
    const text = `${message.type()}: ${message.text()}`
    // A page that was left while it renewed its sign-in was not heard: the next one is refused once, and asks again.
    if (message.location().url.endsWith('/api/auth/refresh') && CONFLICT.test(text)) return
    if (/^(error|warning)/.test(text)) complain(text)
  })
  context.on('weberror', (error) => complain(`page error: ${error.error().message}`))
  context.on('request', (request) => watchUrl(request.url()))
  context.on('page', (page) => page.on('websocket', (socket) => watchUrl(socket.url())))
  open.push({ context, complaints })
  return context
}

/** Once more where the network changed under it: nothing of the page is there yet that could ask again. */
const arrive = async (page: Page, ask: () => Promise<unknown>): Promise<void> => {
  try {
    await ask()
  } catch (error) {
    if (!NETWORK_CHANGED.test(String(error))) throw error
    // The browser's own page about it comes a little later, and would be taken for the answer.
    await until("the browser's page about it", () => page.url().startsWith('chrome-error:'), PATIENCE_MS)
    await ask()
  }
}
export const goTo = (page: Page, path: string): Promise<void> => arrive(page, () => page.goto(path))
export const reload = (page: Page): Promise<void> => arrive(page, () => page.reload())

/** Opens `path` as somebody who is not signed in yet and does so on the way. */
export const signInAt = async (page: Page, client: Client, path: string): Promise<void> => {
  await goTo(page, path)
  await page.getByLabel('E-mail').fill(client.email)
  await page.getByLabel('Password', { exact: true }).fill(passwordOf(client))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname === path)
}

/** A context in which `client` has signed in: the form has tests of its own. */
export const contextOf = async (client: Client, options: ContextOptions = {}): Promise<BrowserContext> => {
  const context = await newContext(options)
  const data = { email: client.email, password: passwordOf(client) }
  const answer = await context.request.post('/api/auth/login', { data })
  expect(answer.status(), 'signing in').toBe(200)
  await keepRefreshKey(context, answer)
  return context
}

/** Puts the half of the refresh secret that is not in the cookie where a page keeps it that has signed in. */
export const keepRefreshKey = async (context: BrowserContext, answer: APIResponse): Promise<void> => {
  const localStorage = [{ name: 'slipway-refresh-key', value: ((await answer.json()) as SignedIn).refreshKey }]
  const { cookies, origins } = await context.storageState()
  const { origin } = new URL(answer.url())
  const before = origins.find((one) => one.origin === origin)?.localStorage ?? []
  await context.setStorageState({ cookies, origins: [{ origin, localStorage: [...before, ...localStorage] }] })
}

/** A page at `path`, in a context of its own, of `client`. */
export const visit = async (client: Client, path: string, options: ContextOptions = {}): Promise<Page> => {
  const page = await (await contextOf(client, options)).newPage()
  await goTo(page, path)
  return page
}

/** From now on the context's pages have what a browser gives to those that came by plain http from another machine. */
export const withoutHttps = async (context: BrowserContext): Promise<void> => {
  await context.addInitScript(() => {
    Object.defineProperty(window, 'isSecureContext', { value: false })
    Reflect.deleteProperty(Navigator.prototype, 'clipboard')
  })
}

/** From now on the context's pages are in a browser that draws without a graphics card, and without an emulated one. */
const withoutWebgl = async (context: BrowserContext): Promise<void> => {
  await context.addInitScript(() => {
    const native = HTMLCanvasElement.prototype.getContext as (...args: unknown[]) => unknown
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...args: unknown[]) {
      return String(args[0]).startsWith('webgl') ? null : native.apply(this, args)
    } as typeof HTMLCanvasElement.prototype.getContext
  })
}

const photograph = async (test: string): Promise<void> => {
  mkdirSync(RESULTS, { recursive: true })
  const pages = open.flatMap(({ context }) => context.pages())
  for (const [index, page] of pages.entries()) {
    const name = `${test}-${index}`.replaceAll(/[^\w-]+/g, '-')
    // A page that hangs has no picture; the test's own failure says more.
    await page.screenshot({ path: join(RESULTS, `${name}.png`), timeout: 10_000 }).catch(() => undefined)
  }
}
