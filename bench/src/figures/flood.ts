/**
 * Output without end in a page in Chromium. Measures the time from Ctrl+C to the prompt, the page's longest task, the
 * growth of the backend's memory, and another user's keys meanwhile.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright'
import { FLOODS, frames, interrupt, longestTask, watchTasks } from '../../../e2e/support/terminal/flood.ts'
import { openTerminalPage, startBrowser } from '../harness/browser.ts'
import type { Cleanup } from '../harness/cleanup.ts'
import { residentBytes } from '../harness/raw.ts'
import { type Findings, milliseconds, type Row } from '../harness/report.ts'
import { median, percentile, ROUNDS } from '../harness/statistics.ts'
import type { Stage } from '../stage.ts'

const AGENT = 'flooded'
/** How long the memory is watched after the warm-up, in milliseconds. */
const WATCHED_MS = 60_000
const WARM_UP_MS = 10_000
const SAMPLE_MS = 1_000
/** Keys that another user types meanwhile, with a pause before each in milliseconds. */
const KEYS = 1_000
const KEY_REST_MS = 20
/** Frames that the page must have drawn before Ctrl+C is pressed. Then the flood is on. */
const FRAMES = 60

const PROMPT_MS = 1_000
const TASK_MS = 200
const GROWTH_BYTES = 20_000_000
const ECHO_MS = 50

interface Flood {
  readonly name: string
  /** Milliseconds, one value for each round. */
  readonly toPrompt: number[]
  readonly longestTaskMs: number
  /** Resident bytes, every second after the warm-up. */
  readonly resident: number[]
  readonly echo: { readonly p50: number; readonly p95: number }
}

const samplesOf = async (pid: number): Promise<number[]> => {
  const samples: number[] = []
  for (const until = performance.now() + WATCHED_MS; performance.now() < until; await pause(SAMPLE_MS))
    samples.push(await residentBytes(pid))
  return samples
}

const floodBy = async (name: keyof typeof FLOODS, page: Page, { client, terminal, world }: Stage): Promise<Flood> => {
  const start = (): Promise<void> => page.keyboard.type(`${FLOODS[name].line}\n`)
  await start()
  await pause(WARM_UP_MS)
  await watchTasks(page)
  const [resident, [typed = []]] = await Promise.all([
    samplesOf(world.backend.pid),
    client.call('echo', [terminal], KEYS, KEY_REST_MS),
  ])
  const toPrompt = [await interrupt(page)]
  while (toPrompt.length < ROUNDS) {
    await start()
    await frames(page, FRAMES)
    toPrompt.push(await interrupt(page))
  }
  const echo = { p50: median(typed), p95: percentile(typed, 0.95) }
  return { name, toPrompt, longestTaskMs: await longestTask(page), resident, echo }
}

/** How much the last quarter of the samples lies above the first. A garbage collection in between is not growth. */
const growthOf = (samples: readonly number[]): number => {
  const quarter = Math.floor(samples.length / 4)
  return median(samples.slice(-quarter)) - median(samples.slice(0, quarter))
}

const rowsOf = ({ name, toPrompt, longestTaskMs, resident, echo }: Flood, idle: number): Row[] => {
  const row = (figure: string, value: number, target: number, limit = ''): Row => ({
    figure: `${name}: ${figure}`,
    median: milliseconds(value, 0),
    limit,
    ratio: '-',
    target: `≤ ${milliseconds(target, 0)}`,
    met: value <= target,
  })
  const grown = growthOf(resident)
  return [
    row('Ctrl+C to the prompt, the longest of five', Math.max(...toPrompt), PROMPT_MS),
    row('longest task of the page', longestTaskMs, TASK_MS),
    { ...row('echo of another session, p95', echo.p95, ECHO_MS, `${milliseconds(idle)} without it`) },
    {
      figure: `${name}: growth of the backend in a minute`,
      median: `${(grown / 1e6).toFixed(1)} MB`,
      limit: `${(median(resident) / 1e6).toFixed(0)} MB resident`,
      ratio: '-',
      target: `≤ ${GROWTH_BYTES / 1e6} MB`,
      met: grown <= GROWTH_BYTES,
    },
  ]
}

/** The browser runs on the server's cores, and draws on an emulated graphics card. This is the worst case. */
export const flood = async (stage: Stage, cleanup: Cleanup): Promise<Findings> => {
  const { world, api, client, terminal } = stage
  await world.addAgent(api, AGENT, { runtime: 'bash' })
  const [quiet = []] = await client.call('echo', [terminal], KEYS, KEY_REST_MS)
  const page = await openTerminalPage(await startBrowser(cleanup), world, AGENT)
  const floods: Flood[] = []
  for (const name of Object.keys(FLOODS) as (keyof typeof FLOODS)[]) floods.push(await floodBy(name, page, stage))
  await page.close()
  const idle = percentile(quiet, 0.95)
  return { rows: floods.flatMap((one) => rowsOf(one, idle)), raw: { unit: 'ms, bytes', idleEchoP95: idle, floods } }
}
