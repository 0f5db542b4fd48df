/** Measures how soon a folder of 100,000 entries is seen in the page of files, beside a folder of ten. */
import type { Page } from 'playwright'
import { openTerminalPage, startBrowser } from '../harness/browser.ts'
import type { Cleanup } from '../harness/cleanup.ts'
import { runInside } from '../harness/engine.ts'
import { type Findings, milliseconds } from '../harness/report.ts'
import { inTurns, median, ROUNDS } from '../harness/statistics.ts'
import { World } from '../harness/world.ts'

const AGENT = 'folder'
const ENTRIES = 100_000
const TARGET_MS = 500

const MAKE = `cd && mkdir large small && (cd large && seq -f 'entry-%06g.txt' 1 ${ENTRIES} | xargs touch) && touch small/entry-{01..10}.txt`
/** The same listing in the container alone. Its time is that of the commands: starting the exec is no part of it. */
const LIST = `cd ~/large && started=$(date +%s%N) && find . -mindepth 1 -maxdepth 1 -printf '%y%f\\0' | LC_ALL=C sort -z >/dev/null &&
  echo $((($(date +%s%N) - started) / 1000))`

/** From the click on a folder until one of its entries is painted, and until all are known, in milliseconds. */
const openMs = async (page: Page, folder: string): Promise<{ first: number; all: number }> => {
  // A page that has read the folder before shows what it knows.
  await page.goto(`/agents/${AGENT}/files`)
  const row = page.locator(`[role="treeitem"][data-path="/home/developer/${folder}"]`)
  await row.waitFor()
  return row.evaluate(
    (element) =>
      new Promise<{ first: number; all: number }>((resolve) => {
        const tree = element.closest<HTMLElement>('[role="tree"]')
        const path = element.getAttribute('data-path') ?? ''
        const began = performance.now()
        let first = 0
        const look = (): void => {
          const isSeen = document.querySelector(`[data-path^="${path}/"]`) !== null
          const isWhole = isSeen && tree?.getAttribute('aria-busy') === 'false'
          // A task after the frame: by then it is painted.
          setTimeout(() => {
            if (isSeen && first === 0) first = performance.now() - began
            if (isWhole) resolve({ first, all: performance.now() - began })
            else requestAnimationFrame(look)
          })
        }
        ;(element as HTMLElement).click()
        requestAnimationFrame(look)
      }),
  )
}

export const folder = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'fo')
  const admin = await world.signIn()
  const containerId = await world.addAgent(admin, AGENT, { runtime: 'bash' })
  await world.settled(admin)
  await runInside(containerId, ['bash', '-c', MAKE])
  const browser = await startBrowser(cleanup)
  const page = await openTerminalPage(browser, world, AGENT)

  const samples: Record<'large' | 'small', { first: number; all: number }[]> = { large: [], small: [] }
  const listed: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await inTurns(['large', 'small'] as const, round, async (which) => {
      samples[which].push(await openMs(page, which))
    })
    listed.push(Number(await runInside(containerId, ['bash', '-c', LIST])) / 1000)
  }
  await browser.close()
  const first = median(samples.large.map((sample) => sample.first))
  const small = median(samples.small.map((sample) => sample.first))
  const all = median(samples.large.map((sample) => sample.all))
  return {
    rows: [
      {
        figure: 'a folder of 100,000 entries, first paint',
        median: milliseconds(first, 0),
        limit: `${milliseconds(small, 0)} a folder of ten`,
        ratio: (first / small).toFixed(2),
        target: `< ${TARGET_MS} ms`,
        met: first < TARGET_MS,
      },
      {
        figure: 'a folder of 100,000 entries, all of them',
        median: milliseconds(all, 0),
        limit: `${milliseconds(median(listed), 0)} find and sort in the container`,
        ratio: (all / median(listed)).toFixed(2),
        target: '-',
        met: null,
      },
    ],
    raw: { unit: 'ms', ...samples, listed },
  }
}
