/** Measures how soon a conversation of 500 turns is seen on its page, beside one of few turns. */
import type { Conversation } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Page } from 'playwright'
import type { Api } from '../../harness/api.ts'
import { openTerminalPage, startBrowser } from '../../harness/browser.ts'
import type { Cleanup } from '../../harness/cleanup.ts'
import { type Findings, milliseconds } from '../../harness/report.ts'
import { inTurns, median, ROUNDS } from '../../harness/statistics.ts'
import { addProvider, installCli, taskBody } from '../../harness/tasks/team.ts'
import { World } from '../../harness/world.ts'

const AGENT = 'talks'
const TURNS = { long: 500, short: 5 } as const
/** Events of one turn. */
const ORDER = { lines: 20 }
/** Messages that wait at the same time; the platform takes 50. */
const WAITING = 40
const TARGET_MS = 500
/** Longest time of {@link WAITING} turns on a busy machine, in milliseconds. */
const TURNS_MS = 600_000

/** A conversation with so many turns, all of which have ended. */
const talk = async (api: Api, turns: number): Promise<string> => {
  const body = taskBody(AGENT, ORDER) as { readonly prompt: string }
  const { id } = await api.post<Conversation>('/conversations', body)
  const now = (): Promise<Conversation> => api.get<Conversation>(`/conversations/${id}`)
  for (let sent = 1; sent < turns; sent += 1) {
    if (sent % WAITING === 0) await until('room for messages', async () => (await now()).queued === 0, TURNS_MS)
    await api.post(`/conversations/${id}/messages`, { text: body.prompt })
  }
  const done = await until(
    'the last turn',
    async () => {
      const one = await now()
      return one.activity === 'idle' && one.queued === 0 && one
    },
    TURNS_MS,
  )
  if (done.turns !== turns) throw new Error(`there are ${done.turns} turns: ${done.error ?? ''}`)
  return id
}

/** From a click on the conversation until an answer of its last turn is painted, in milliseconds. */
const openMs = async (page: Page, id: string): Promise<number> => {
  await page.goto('/conversations')
  const link = page.getByTestId(`conversation-${id}`)
  await link.waitFor()
  return link.evaluate(
    (element) =>
      new Promise<number>((resolve) => {
        const began = performance.now()
        const look = (): void => {
          const last = [...document.querySelectorAll('[data-testid="turn"]')].at(-1)
          // The CLI's answer, and not the message alone.
          if (last?.textContent.includes('Done.') === true) setTimeout(() => resolve(performance.now() - began))
          else requestAnimationFrame(look)
        }
        ;(element as HTMLElement).click()
        requestAnimationFrame(look)
      }),
  )
}

export const conversationPage = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'cp')
  const admin = await world.signIn()
  await installCli(await world.addAgent(admin, AGENT, { runtime: 'bash' }))
  await addProvider(admin)
  await world.settled(admin)
  const ids = { long: await talk(admin, TURNS.long), short: await talk(await world.signIn(), TURNS.short) }
  const browser = await startBrowser(cleanup)
  const page = await openTerminalPage(browser, world, AGENT)
  const opened: Record<keyof typeof TURNS, number[]> = { long: [], short: [] }
  for (let round = 0; round < ROUNDS; round += 1)
    await inTurns(['long', 'short'] as const, round, async (which) => {
      opened[which].push(await openMs(page, ids[which]))
    })
  await browser.close()
  return {
    rows: [
      {
        figure: `a conversation of ${TURNS.long} turns is seen`,
        median: milliseconds(median(opened.long), 0),
        limit: `${milliseconds(median(opened.short), 0)} with ${TURNS.short} turns`,
        ratio: (median(opened.long) / median(opened.short)).toFixed(2),
        target: `< ${TARGET_MS} ms`,
        met: median(opened.long) < TARGET_MS,
      },
    ],
    raw: { unit: 'ms', ...opened },
  }
}
