/** The dashboard: loading, failed, quiet, and on a busy day. */
import type { Dashboard, DashboardTask, Dialog } from '@slipway/protocol'
import { intercept } from '../../support/network/intercept.ts'
import { goTo, reload } from '../../support/pages.ts'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'

const DASHBOARD = String.raw`*/api/dashboard\?*`
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()

/** What the page is told of a user with this id, whose agent has this name. */
const busyDay = (userId: string, agent: string): Dashboard => {
  const task = (at: number, prompt: string, more: Partial<DashboardTask>): DashboardTask => ({
    ...{ id: `task-${at}`, agent, provider: 'claude-code', displayName: 'Claude Code', state: 'running', mode: 'auto' },
    ...{ waitsFor: null, prompt, userId, createdAt: ago(at), startedAt: ago(at), completedAt: null, reason: null },
    ...{ error: null, costUsd: null, costEstimated: false, ...more },
  })
  const ended = (at: number, prompt: string, more: Partial<DashboardTask> = {}): DashboardTask =>
    task(at, prompt, { state: 'completed', reason: 'completed', completedAt: ago(at - 3), costUsd: 0.4217, ...more })
  return {
    at: ago(0),
    needsYou: { items: [], total: 0 },
    active: {
      items: [
        task(1, 'Fix the parser, which drops the last token of a file without a final newline', {}),
        task(4, 'Deploy the preview', { state: 'waiting', waitsFor: 'person' }),
        task(90, 'Translate the guide', { state: 'waiting', waitsFor: 'usage_limit', provider: 'codex' }),
        task(120, 'Summarize the commits of the week', { state: 'queued', startedAt: null, userId: 'another' }),
      ],
      total: 4,
    },
    ended: {
      items: [
        ended(10, 'Update the dependencies that have a new minor version'),
        ended(35, 'Explain src/lexer.ts', {
          ...{ state: 'failed', reason: 'not_signed_in', costUsd: null, provider: 'gemini-cli' },
          error: 'Gemini CLI is not signed in. Add a key under Settings, or sign in inside a terminal of this agent.',
        }),
        ended(180, 'Look at the moorings of every berth in the harbour, and report', { costEstimated: true }),
        ended(240, 'Write release notes', { state: 'terminated', reason: 'terminated', agent: null, costUsd: 0.0031 }),
      ],
      total: 23,
      since: ago(900),
    },
    agents: null,
    today: { from: ago(600), tasks: 17, tasksWithoutCost: 2, costUsd: 12.4, estimatedUsd: 0.3 },
    schedules: {
      items: [
        { id: 'one', name: 'Nightly dependency update', agent, nextRun: ago(-95), timezone: 'Europe/Stockholm' },
        {
          ...{ id: 'two', name: 'Look at the moorings of every berth in the harbour, and report', agent },
          ...{ nextRun: ago(-3000), timezone: 'UTC' },
        },
      ],
      total: 2,
    },
  }
}
const quietDay = (busy: Dashboard): Dashboard => ({
  ...busy,
  active: { items: [], total: 0 },
  ended: { ...busy.ended, items: [], total: 0 },
  today: { ...busy.today, tasks: 0, tasksWithoutCost: 0, costUsd: null, estimatedUsd: 0 },
  schedules: { items: [], total: 0 },
})
const questions = (userId: string, agent: string): Dialog[] =>
  (['Deploy to staging now?', 'Which port should the preview use?'] as const).map((title, at) => ({
    ...{ id: `dialog-${at}`, agent, sessionId: at === 0 ? null : 'task-4', userId, requestId: null, folder: null },
    ...{ title, message: at === 0 ? 'The tests are green. Staging has version 2.3 of last week.' : null },
    question: at === 0 ? { kind: 'confirm' } : { kind: 'input', placeholder: 'For example 3000' },
    ...{ state: 'open', openedAt: ago(9 - at), expiresAt: null, closedAt: null, answer: null, closedBy: null },
  }))

export const dashboard = async (visitor: Visitor, { owner, running }: Pick<FurnishedServer, 'owner' | 'running'>) => {
  const page = await visitor.open(owner, '/account')
  const busy = busyDay(owner.userId, running.name)
  const held = await intercept(page, DASHBOARD, () => undefined)
  await goTo(page, '/')
  await page.getByLabel('Loading the dashboard').waitFor()
  await page.getByTestId(`agent-row-${running.name}`).waitFor()
  await visitor.see(page, 'dashboard-loading')
  await held.stop()
  const failing = await intercept(page, DASHBOARD, (request) => request.fulfill({ status: 503, body: '<html>' }))
  await reload(page)
  await page.getByTestId('dashboard-failed').waitFor()
  await visitor.see(page, 'dashboard-failed')
  await failing.stop()
  const quiet = await intercept(page, DASHBOARD, (request) => request.fulfill({ json: quietDay(busy) }))
  await reload(page)
  await page.getByTestId('dashboard-none-ended').waitFor()
  await visitor.pass(page, 'dashboard-quiet')
  await quiet.stop()
  await intercept(page, DASHBOARD, (request) => request.fulfill({ json: busy }))
  await intercept(page, String.raw`*/api/dialogs\?*`, (request) =>
    request.fulfill({ json: questions(owner.userId, running.name) }),
  )
  await reload(page)
  await page.getByTestId('dialog-card').nth(1).waitFor()
  await page.getByTestId('dashboard-error').waitFor()
  await visitor.see(page, 'dashboard')
  await visitor.further(page, 'dashboard-ended', 'dashboard-further')
  await visitor.further(page, 'dashboard-agents', 'dashboard-agents')
}
