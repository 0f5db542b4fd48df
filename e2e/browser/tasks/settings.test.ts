/** The page of coding agent settings: CLIs, custom providers, connectors, budgets. */
import type { CliProvider, Connector } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import { beforeAll, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { answered, useBrowser, visit } from '../../support/pages.ts'
import { agentWithStub, BINARY, quicken } from '../../support/tasks/stub.ts'

const PAGE = '/settings/coding-agents'

/** Longest time in which the server asks every CLI for its version, on a busy machine. */
const LOOK_MS = 150_000

useBrowser()
let owner: Client
let agent = ''

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = await agentWithStub(owner)
  await quicken(owner, agent)
})

it('says which coding CLIs the agent has, tests one, and has the command to install another', async () => {
  const page = await visit(owner, `${PAGE}?agent=${agent}`)
  const claude = page.getByTestId('cli-claude-code')
  await claude.getByText('No key, not signed in').waitFor({ timeout: LOOK_MS })
  await claude.getByRole('button', { name: 'Test Claude Code' }).click()
  await claude.getByTestId('cli-tested').getByText('It runs: version').waitFor()
  const missing = page.getByTestId('cli-cursor-agent')
  await missing.getByText('Not installed').waitFor()
  expect(await missing.getByRole('button', { name: /^Copy/ }).count()).toBe(1)
  expect(await graveOn(page)).toEqual([])
})

it('describes a custom provider with a dry run, tests it in the agent, changes it and deletes it', async () => {
  const page = await visit(owner, `${PAGE}?agent=${agent}`, { provoked: [answered(400)] })
  const section = page.getByTestId('providers')
  await section.getByTestId('add-provider').click()
  await page.getByTestId('provider-name').fill('stub')
  await page.getByTestId('provider-label').fill('Stub')
  await page.getByTestId('provider-binary').fill(BINARY)
  await page.getByTestId('provider-args').fill('--yes\n--in a folder')
  await page.getByTestId('provider-template').fill('-m {model} --message={prompt}')
  const argv = page.getByTestId('dry-run-argv').getByRole('listitem')
  expect(await argv.allTextContents()).toEqual([
    ...[BINARY, '--yes', '--in a folder', '--message=Fix the "failing" test'],
  ])
  await page.getByTestId('dry-run-model').fill('big')
  expect((await argv.allTextContents()).slice(3, 5)).toEqual(['-m', 'big'])
  await page.getByTestId('provider-template').fill('--message')
  await page.getByTestId('provider-save').click()
  await section.getByText('Must contain {prompt}, or prompt_via must be stdin or file.').waitFor()
  expect(await page.getByTestId('provider-template').getAttribute('aria-invalid')).toBe('true')
  expect(await graveOn(page)).toEqual([])
  await page.getByTestId('provider-template').fill('--message={prompt}')
  await page.getByTestId('provider-save').click()

  const row = section.getByTestId('provider-stub')
  await row.getByRole('button', { name: `Test Stub in ${agent}` }).click()
  await row.getByTestId('provider-tested').getByText(`${agent} has ${BINARY}`).waitFor()
  await row.getByTestId('provider-edit').click()
  await page.getByTestId('provider-label').fill('Stub 2')
  await page.getByTestId('provider-save').click()
  await row.getByText('Stub 2').waitFor()
  const [stored] = await owner.ok<CliProvider[]>('GET', '/cli-providers')
  expect(stored).toMatchObject({
    displayName: 'Stub 2',
    defaultArgs: ['--yes', '--in a folder'],
    promptVia: 'argument',
  })
  await row.getByRole('button', { name: 'Delete Stub 2' }).click()
  await page.getByTestId('confirm-action').click()
  await row.waitFor({ state: 'detached' })
})

it('adds a connector with a secret, switches it off and removes it', async () => {
  const page = await visit(owner, `${PAGE}?agent=${agent}`, { provoked: [answered(400)] })
  await page.getByRole('button', { name: 'Add connector: Mine' }).click()
  await page.getByTestId('connector-save').click()
  await page.getByText('Fill in this field.').nth(1).waitFor()
  expect(await page.getByTestId('connector-name').evaluate((field) => field === document.activeElement)).toBe(true)
  await page.getByTestId('connector-name').fill('tracker')
  await page.getByTestId('connector-url').fill('https://mcp.example.org/mcp')
  await page.getByTestId('connector-headers').fill('no separator')
  await page.getByTestId('connector-save').click()
  await page.getByText('Write each header as Name: value.').waitFor()
  await page.getByTestId('connector-headers').fill('X-Key: ${secret:KEY}')
  await page.getByTestId('connector-save').click()
  await page.getByText('X-Key there is no secret KEY in "secrets".').waitFor()
  expect(await graveOn(page)).toEqual([])
  await page.getByTestId('connector-secrets').fill('KEY=very-secret-4711')
  await page.getByTestId('connector-save').click()
  const row = page.getByTestId('connector-tracker')
  await row.getByText('secrets: KEY').waitFor()
  await row.getByRole('switch').click()
  await row.locator('[role="switch"][aria-checked="false"]').waitFor()
  const { items } = await owner.ok<{ items: Connector[] }>('GET', '/users/me/connectors')
  expect(items).toMatchObject([{ name: 'tracker', enabled: false, headers: { 'X-Key': '${secret:KEY}' } }])
  await row.getByRole('button', { name: 'Remove tracker' }).click()
  await page.getByTestId('confirm-action').click()
  await row.waitFor({ state: 'detached' })
})

// Without a page: `backend/src/modules/runs/ledger/budgets.test.ts`. The walk has a budget on the page of usage
// (`usage`).
longIt('shows the budget to its user, and lets an admin set and remove it', async () => {
  const admin = await newUser(await signInAdmin(), 'admin')
  const page = await visit(admin, PAGE)
  // What comes later moves an open list of choices out of sight.
  await page.getByTestId('skill-settings').waitFor()
  await page.getByTestId('budget-user').click()
  await page.getByRole('option', { name: owner.email }).click()
  await page.getByRole('button', { name: `Edit the budget: ${owner.email}` }).click()
  await page.getByTestId('budget-limit').fill('12.5')
  await page.getByTestId('budget-save').click()
  await page.getByText('$0 of $12.50 used this month').waitFor()
  expect(await graveOn(page)).toEqual([])
  const theirs = await visit(owner, PAGE)
  await theirs.getByTestId('budget').getByText('$0 of $12.50 used this month').waitFor()
  expect(await theirs.getByTestId('budget-edit').count()).toBe(0)
  await page.getByRole('button', { name: `Edit the budget: ${owner.email}` }).click()
  await page.getByTestId('budget-limit').fill('')
  await page.getByTestId('budget-save').click()
  // The budget of all users together may have the same text.
  const own = page.getByTestId('budget').filter({ hasText: owner.email })
  await own.getByText('No limit · $0 used this month').waitFor()
})
