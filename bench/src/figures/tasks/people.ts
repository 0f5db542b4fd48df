/**
 * Measures people in the loop: the way of a question from the CLI to its card, the way of the answer back, a list of a
 * thousand questions, and the grading of commands.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Agent, CodingSession, Dialog } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Page } from 'playwright'
import type { Api } from '../../harness/api.ts'
import { openTerminalPage, startBrowser } from '../../harness/browser.ts'
import type { Cleanup } from '../../harness/cleanup.ts'
import { type Findings, milliseconds, type Row } from '../../harness/report.ts'
import { median, percentile, ROUNDS } from '../../harness/statistics.ts'
import { installAskingCli } from '../../harness/tasks/asking.ts'
import { makeDialogs } from '../../harness/tasks/many-dialogs.ts'
import { World } from '../../harness/world.ts'

const AGENT = 'asking'
const SESSIONS = '/coding-agents/sessions'
/** Questions of one task, one after the other. */
const QUESTIONS = 100
const OPEN = 1_000
const REQUESTS = 40
const COMMANDS = 10_000
/** A program of the backend's tests, because this package imports nothing of the backend. */
const GRADING = fileURLToPath(new URL('../../../../backend/test/limits/grading.ts', import.meta.url))

const TARGETS = { card: 100, answer: 100, list: 50, grading: 50 } as const

/** Notes when each question comes into sight, and when it was printed. Runs in the page. */
const watchCards = (): void => {
  const cards: { id: string; delay: number }[] = []
  Object.assign(window, { cards })
  const read = (): void => {
    const now = performance.timeOrigin + performance.now()
    for (const card of document.querySelectorAll<HTMLElement>('[data-testid="dialog-card"][data-state="open"]')) {
      const [, printed] = /echo (\d+\.\d)/.exec(card.textContent) ?? []
      const id = card.dataset['dialog'] ?? ''
      if (printed !== undefined && !cards.some((one) => one.id === id)) cards.push({ id, delay: now - Number(printed) })
    }
  }
  // A task after the frame: by then it is painted.
  const painted = (): number => requestAnimationFrame(() => setTimeout(read))
  new MutationObserver(painted).observe(document, { subtree: true, childList: true, characterData: true })
}

interface Card {
  readonly id: string
  readonly delay: number
}
const cardsIn = (page: Page): Promise<Card[]> => page.evaluate(() => (window as unknown as { cards: Card[] }).cards)

/** The delays of the cards and of the answers of one task, in milliseconds. */
const askedOnce = async (api: Api, page: Page): Promise<{ cards: number[]; answers: number[] }> => {
  const body = { agent: AGENT, provider: 'claude-code', prompt: String(QUESTIONS), policy: 'ask' }
  const { id } = await api.post<CodingSession>(SESSIONS, body)
  await page.goto(`/coding-agents/${id}`)
  const sent: number[] = []
  const answered: number[] = []
  for (let question = 0; question < QUESTIONS; question += 1) {
    const card = await until('the next card', async () => (await cardsIn(page))[question] ?? false)
    const { question: asked } = await api.get<Dialog>(`/dialogs/${card.id}`)
    if (asked.kind !== 'approval') throw new Error(`a question of the kind ${asked.kind}`)
    if (question > 0) answered.push(Number(/after-(\S+)/.exec(asked.command ?? '')?.[1]))
    sent.push(Date.now())
    await api.post(`/dialogs/${card.id}/answer`, { decision: 'allow' })
  }
  const ended = await until('the end of the task', async () => {
    const task = await api.get<CodingSession>(`${SESSIONS}/${id}`)
    return task.completedAt === null ? false : task
  })
  answered.push(Number(ended.result))
  // The page was not open yet when the first question came.
  const cards = (await cardsIn(page)).slice(1).map(({ delay }) => delay)
  return { cards, answers: answered.map((at, index) => at - (sent[index] ?? Number.NaN)) }
}

/** The times of requests for all open questions, in milliseconds. */
const listed = async (api: Api): Promise<number[]> => {
  const samples: number[] = []
  for (let sent = 0; sent < REQUESTS; sent += 1) {
    const began = performance.now()
    const { length } = await api.get<Dialog[]>('/dialogs?state=open')
    samples.push(performance.now() - began)
    if (length !== OPEN) throw new Error(`${length} questions were listed`)
  }
  return samples
}

export const people = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'pl')
  const admin = await world.signIn()
  await installAskingCli(await world.addAgent(admin, AGENT, { runtime: 'bash' }))
  await world.settled(admin)
  const browser = await startBrowser(cleanup)
  const page = await openTerminalPage(browser, world, AGENT)
  await page.addInitScript(watchCards)
  const cards: number[] = []
  const answers: number[] = []
  // The first round does not count.
  for (let round = -1; round < ROUNDS; round += 1) {
    const found = await askedOnce(admin, page)
    if (round < 0) continue
    cards.push(percentile(found.cards, 0.95))
    answers.push(percentile(found.answers, 0.95))
  }
  await browser.close()

  const { id: agentId } = await admin.get<Agent>(`/agents/${AGENT}`)
  const { id: userId } = await admin.get<{ id: string }>('/users/me')
  await world.stop()
  await makeDialogs(world.dataDir, { userId, agentId, count: OPEN })
  await world.start()
  const again = await world.signIn()
  const lists: number[] = []
  for (let round = -1; round < ROUNDS; round += 1) {
    const value = percentile(await listed(again), 0.95)
    if (round >= 0) lists.push(value)
  }

  const { stdout } = await promisify(execFile)(process.execPath, [GRADING, String(COMMANDS), String(ROUNDS)])
  const times = JSON.parse(stdout) as { readonly grading: number[]; readonly parsing: number[] }
  const parsing = median(times.parsing)
  return {
    rows: [
      row("a CLI's question to its card, p95", median(cards), TARGETS.card),
      row('an answer to the CLI, p95', median(answers), TARGETS.answer),
      row(`${OPEN} open questions listed, p95`, median(lists), TARGETS.list),
      {
        ...row(`${COMMANDS} commands graded`, median(times.grading), TARGETS.grading),
        limit: `${milliseconds(parsing, 1)} to parse them`,
        ratio: (median(times.grading) / parsing).toFixed(2),
      },
    ],
    raw: { unit: 'ms', questions: QUESTIONS, cards, answers, lists, ...times },
  }
}

const row = (figure: string, value: number, target: number): Row => ({
  figure,
  median: milliseconds(value, 1),
  limit: '',
  ratio: '-',
  target: `< ${target} ms`,
  met: value < target,
})
