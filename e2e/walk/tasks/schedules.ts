/** The pages beside the tasks, and of these the schedules and the usage in each state: empty, loading, failed, one, and several with every kind of result. */
import type { CodingSession, Schedule } from '@slipway/protocol'
import type { Page } from 'playwright'
import type { Client } from '../../support/api.ts'
import { intercept } from '../../support/network/intercept.ts'
import { goTo, reload } from '../../support/pages.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { putStub, stubProvider } from '../../support/tasks/stub.ts'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'

/** The text of a skill. */
const SKILL = '---\nname: taken\ndescription: How a changelog is written.\n---\nOne line for each change.\n'
const SCHEDULES = '/coding-agents/schedules'
const USAGE = '/coding-agents/usage'
/** The other pages beside the tasks, as a new user finds them. */
const BESIDE = [
  ['/coding-agents/comparisons', 'comparisons', 'no-comparisons'],
  ['/coding-agents/webhooks', 'webhooks', 'webhooks'],
  ['/settings/coding-agents', 'settings', 'coding-agent-settings'],
] as const

/** Schedules of a user, one of them with results. Call it once for each server. */
const plan = async (owner: Client, agent: string): Promise<void> => {
  await putStub(owner, agent, 'codex')
  const name = 'reviewer'
  const stub = await stubProvider(owner, { name, display_name: 'Reviewer' })
  const add = (body: object): Promise<Schedule> =>
    owner.ok('POST', SCHEDULES, { agent, timezone: 'Europe/Stockholm', provider: `custom:${stub.name}`, ...body })
  const nightly = await add({
    ...{ name: 'Nightly dependency update', cron: '30 2 * * 1-5', missed: 'run_once', max_budget_usd: 1.5 },
    prompt: 'Update the dependencies that have a new minor version. Run the tests, and commit what passes. @cost',
  })
  const moorings = await add({
    ...{ name: 'Look at the moorings of every berth in the harbour, and report', cron: '0 1,2,3,5,7 * * *' },
    prompt: '@mute',
  })
  await add({
    name: 'Weekly summary',
    cron: '0 16 * * 5',
    prompt: 'Summarize the commits of the week.',
    enabled: false,
  })
  const run = async (task: CodingSession): Promise<CodingSession> => endedTask(owner, task.id)
  const runNow = async ({ id }: Schedule): Promise<CodingSession> =>
    run(await owner.ok('POST', `${SCHEDULES}/${id}/run`))
  await Promise.all([
    runNow(nightly).then(() => runNow(nightly)),
    runNow(moorings),
    startTask(owner, { agent, provider: 'codex', model: 'gpt-5', prompt: '@cost' }).then(run),
  ])
}

/** On the settings: a skill with a further file, whose name another one has. */
const takenSkill = async (visitor: Visitor, page: Page, user: Client): Promise<void> => {
  await user.ok('PUT', '/users/me/skills/taken', { text: SKILL, replace: true })
  await page.getByTestId('new-skill').first().click()
  await page.getByTestId('skill-text').fill(SKILL)
  await page.getByTestId('skill-file-add').click()
  await page.getByTestId('skill-save').click()
  await page.getByTestId('skill-taken').waitFor()
  await visitor.see(page, 'skill-taken')
  await visitor.further(page, 'skill-save', 'skill-taken-end')
  await page.getByTestId('skill-form').getByRole('button', { name: 'Cancel' }).click()
  await page.getByTestId('skill-form').waitFor({ state: 'detached' })
  await user.ok('DELETE', '/users/me/skills/taken')
}

export const schedules = async (
  visitor: Visitor,
  { owner, admin, newcomer, running }: FurnishedServer,
): Promise<void> => {
  const first = await visitor.open(newcomer, SCHEDULES)
  await first.getByTestId('no-schedules').waitFor()
  await visitor.see(first, 'schedules-no-agent')
  await goTo(first, USAGE)
  await first.getByText('No task has ended in this time').waitFor()
  await visitor.see(first, 'usage-empty')

  for (const [path, name, seen] of BESIDE) {
    await goTo(first, path)
    await first.getByTestId(seen).first().waitFor()
    await visitor.see(first, `tasks-${name}`)
  }
  await takenSkill(visitor, first, newcomer)

  const isPlanned = (await owner.ok<Schedule[]>('GET', SCHEDULES)).length > 0
  if (!isPlanned) {
    const empty = await visitor.open(owner, SCHEDULES)
    await empty.getByTestId('schedule-example').first().waitFor()
    await visitor.pass(empty, 'schedules-empty')
    await plan(owner, running.name)
  }
  const page = await visitor.open(owner, SCHEDULES)
  await page.getByTestId('schedules').waitFor()
  await visitor.see(page, 'schedules')
  await page.getByTestId('schedule-open').first().click()
  await page.getByTestId('schedule-history').waitFor()
  await visitor.see(page, 'schedule-open')
  await visitor.choose(page, 'schedule-edit')
  await page.getByTestId('schedule-form').getByTestId('next-runs').waitFor()
  await visitor.see(page, 'schedule-edit')
  await visitor.further(page, 'schedule-save', 'schedule-edit-end')
  await page.keyboard.press('Escape')
  await page.getByTestId('schedule-form').waitFor({ state: 'detached' })

  await page.getByTestId('new-schedule').click()
  await page.getByTestId('schedule-cron').fill('* * * * *')
  await page.getByText('every 5 minutes at most').first().waitFor()
  await page.getByTestId('schedule-save').click()
  await page.getByText('Enter a name.').waitFor()
  await visitor.see(page, 'schedule-refused')
  await visitor.further(page, 'schedule-save', 'schedule-refused-end')

  const held = await intercept(page, '*/api/coding-agents/schedules', () => undefined)
  await reload(page)
  await page.getByLabel('Loading the schedules').waitFor()
  await visitor.see(page, 'schedules-loading')
  await held.stop()
  await intercept(page, '*/api/coding-agents/*', (request) => request.fulfill({ status: 503, body: '<html>' }))
  await reload(page)
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await visitor.see(page, 'schedules-error')
  await goTo(page, USAGE)
  await page.getByText('Could not load the usage').waitFor()
  await visitor.pass(page, 'usage-error')

  await admin.ok('PUT', `/users/${admin.userId}/budget`, { limitUsd: 20 })
  const theirs = await visitor.open(admin, `${USAGE}?by=provider&range=30`)
  await theirs.getByTestId('chart-tokens').locator('canvas').waitFor()
  await theirs.getByTestId('usage-groups').waitFor()
  await visitor.see(theirs, 'usage')
  await visitor.further(theirs, 'usage-groups', 'usage-table')
  if (!visitor.isThorough) return
  const loading = await intercept(theirs, '*/api/coding-agents/usage*', () => undefined)
  await reload(theirs)
  await theirs.getByLabel('Loading the usage').waitFor()
  await visitor.see(theirs, 'usage-loading')
  await loading.stop()
}
