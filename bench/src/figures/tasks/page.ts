/**
 * Measures the page of a task: how soon a long one is seen, the way of a line from the CLI to the screen, and the tab's memory
 * over a very long task.
 */
import type { CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Browser, CDPSession, Page } from 'playwright'
import type { Api } from '../../harness/api.ts'
import { openTerminalPage, startBrowser } from '../../harness/browser.ts'
import type { Cleanup } from '../../harness/cleanup.ts'
import { type Findings, milliseconds, type Row } from '../../harness/report.ts'
import { median, percentile, ROUNDS } from '../../harness/statistics.ts'
import { addProvider, installCli, type Order, taskBody } from '../../harness/tasks/team.ts'
import { World } from '../../harness/world.ts'

const AGENT = 'page'
const SESSIONS = '/coding-agents/sessions'
/** A long task, and one that any page shows at once. */
const LONG = 10_000
const SHORT = 10
/** A task of ten seconds whose lines are watched. */
const WATCHED: Order = { lines: 500, everyMs: 20 }
/** A very long task, whose lines are short so that all of them are stored, and after how many events the memory is read. */
const ENDLESS: Order = { lines: 100_000, everyMs: 2, length: 1 }
const READ_EVERY = 20_000
const ANSWERS = 100
const ENDED_WITHIN_MS = 600_000

const SEEN_MS = 500
const ANSWER_MS = 100
const PIXEL_MS = 100
const GROWTH_BYTES = 30_000_000

/** The times that the CLI wrote into its lines, in milliseconds since 1970. */
const TIME = String.raw`\b1\d{12}\.\d\b`

/** Notes for each time that comes into sight how long ago it was printed. Runs in the page. */
const watchTimes = (pattern: string): void => {
  const seen = new Set<string>()
  const delays: number[] = []
  Object.assign(window, { delays })
  const read = (): void => {
    const text = document.querySelector('[data-testid="run-events"]')?.textContent ?? ''
    const now = performance.timeOrigin + performance.now()
    for (const [time] of text.matchAll(new RegExp(pattern, 'g'))) {
      if (seen.has(time)) continue
      seen.add(time)
      delays.push(now - Number(time))
    }
  }
  // A task after the frame: by then it is painted.
  const painted = (): number => requestAnimationFrame(() => setTimeout(read))
  new MutationObserver(painted).observe(document, { subtree: true, childList: true, characterData: true })
}

const delaysIn = (page: Page): Promise<number[]> =>
  page.evaluate(() => (window as unknown as { delays: number[] }).delays)

/** The heap of the tab after a collection, in bytes. */
const heapOf = async (session: CDPSession): Promise<number> => {
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}

class TaskPages {
  readonly #api: Api
  readonly #page: Page

  constructor(api: Api, page: Page) {
    this.#api = api
    this.#page = page
  }

  async start(order: Order): Promise<string> {
    return (await this.#api.post<CodingSession>(SESSIONS, taskBody(AGENT, order))).id
  }

  /** A task with so many lines that has ended. */
  async ended(order: Order): Promise<string> {
    const id = await this.start(order)
    const isOver = async (): Promise<boolean> => (await this.get(id)).completedAt !== null
    await until('the end of a task', isOver, ENDED_WITHIN_MS)
    return id
  }

  get(id: string): Promise<CodingSession> {
    return this.#api.get<CodingSession>(`${SESSIONS}/${id}`)
  }

  /** How long it takes from a click on the task until one of its events is painted, in milliseconds. */
  async openMs(id: string): Promise<number> {
    const page = this.#page
    await page.goto('/coding-agents')
    const link = page.getByTestId(`task-${id}`)
    await link.waitFor()
    return link.evaluate(
      (element) =>
        new Promise<number>((resolve) => {
          const began = performance.now()
          const look = (): void => {
            if (document.querySelector('[data-testid="run-events"] [data-entry]'))
              setTimeout(() => resolve(performance.now() - began))
            else requestAnimationFrame(look)
          }
          ;(element as HTMLElement).click()
          requestAnimationFrame(look)
        }),
    )
  }

  async show(id: string): Promise<void> {
    await this.#page.goto(`/coding-agents/${id}`)
    await this.#page.getByTestId('run-events').waitFor()
  }
}

export const taskPage = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'tp')
  const admin = await world.signIn()
  await installCli(await world.addAgent(admin, AGENT, { runtime: 'bash' }))
  await addProvider(admin)
  await world.settled(admin)
  const browser: Browser = await startBrowser(cleanup)
  const page = await openTerminalPage(browser, world, AGENT)
  const tasks = new TaskPages(admin, page)
  const [long, short] = [await tasks.ended({ lines: LONG }), await tasks.ended({ lines: SHORT })]

  const opened: number[] = []
  const openedShort: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    opened.push(await tasks.openMs(long))
    openedShort.push(await tasks.openMs(short))
  }
  const answers: number[] = []
  for (let count = 0; count < ANSWERS; count += 1) {
    const began = performance.now()
    await tasks.get(long)
    answers.push(performance.now() - began)
  }

  await page.addInitScript(watchTimes, TIME)
  const pixels: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await tasks.start(WATCHED)
    await tasks.show(id)
    await until('the end of a task', async () => (await tasks.get(id)).completedAt !== null, ENDED_WITHIN_MS)
    // Lines from before the page was open are no sample.
    pixels.push(percentile((await delaysIn(page)).slice(WATCHED.lines / 5), 0.95))
  }

  // Without the watch, which remembers every line.
  const storageState = await page.context().storageState()
  await page.close()
  const quiet = await (await browser.newContext({ storageState, baseURL: world.backend.url })).newPage()
  const session = await quiet.context().newCDPSession(quiet)
  const id = await tasks.start(ENDLESS)
  await quiet.goto(`/coding-agents/${id}`)
  const heap: number[] = []
  for (let events = READ_EVERY; events <= ENDLESS.lines; events += READ_EVERY) {
    await until(`${events} events`, async () => (await tasks.get(id)).lastSeq >= events, ENDED_WITHIN_MS)
    heap.push(await heapOf(session))
  }
  await browser.close()

  const [first = 0, ...later] = heap
  const grown = Math.max(...later) - first
  return {
    rows: [
      row(
        `a task of ${LONG} events is seen`,
        median(opened),
        SEEN_MS,
        `${milliseconds(median(openedShort), 0)} with ${SHORT} events`,
      ),
      row("the server's answer about it, p95", percentile(answers, 0.95), ANSWER_MS),
      row('a line of the CLI to the screen, p95', median(pixels), PIXEL_MS),
      {
        figure: `memory of the tab from ${READ_EVERY} to ${ENDLESS.lines} events`,
        median: `+${(grown / 1e6).toFixed(1)} MB`,
        limit: `${(first / 1e6).toFixed(0)} MB at ${READ_EVERY}`,
        ratio: '-',
        target: `≤ +${GROWTH_BYTES / 1e6} MB`,
        met: grown <= GROWTH_BYTES,
      },
    ],
    raw: { unit: 'ms, bytes', opened, openedShort, answers, pixels, heap },
  }
}

const row = (figure: string, value: number, target: number, limit = ''): Row => ({
  figure,
  median: milliseconds(value, 1),
  limit,
  ratio: '-',
  target: `< ${target} ms`,
  met: value < target,
})
