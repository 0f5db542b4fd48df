/** A validation on the page of a task: from its menu to the verdict, with the commands and their output. */
// In the short form e2e/tasks/validation has the verdicts.
import '@slipway/testing/long'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../../support/api.ts'
import { graveOn } from '../../../support/page/axe.ts'
import { useBrowser, visit } from '../../../support/pages.ts'
import { sh } from '../../../support/tasks/model.ts'
import { putStub } from '../../../support/tasks/stub.ts'
import { taskDone } from '../../../support/tasks/validations.ts'
import { SCREENS } from '../../../walk/visitor.ts'

/** Longest time of the commands on a busy machine, in milliseconds. */
const VERDICT_MS = 150_000
const MANIFEST = { scripts: { build: 'node --check sum.mjs', test: 'node --test' } }
const PROJECT = `mkdir app && cd app && echo '{}' >package-lock.json && echo '${JSON.stringify(MANIFEST)}' >package.json
  echo 'export const sum = (a, b) => a - b' >sum.mjs
  echo 'import { test } from "node:test"; import { equal } from "node:assert"; import { sum } from "./sum.mjs"
    test("adds", () => equal(sum(2, 3), 5)); test("is", () => undefined)' >sum.test.mjs`

useBrowser()
let owner: Client
let agent = ''
let id = ''
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await owner.agent({ runtime: 'bash', memoryMb: 512 })).name
  await putStub(owner, agent, 'claude-code')
  await sh(owner, agent, PROJECT)
  id = (await taskDone(owner, { agent, provider: 'claude-code', prompt: '@cost', cwd: 'app' })).id
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const bar = (page: Page) => page.getByTestId('run-validation')

describe('a validation', () => {
  it('is started from the menu, and shows its verdict, its commands and their output', async () => {
    const page = await visit(owner, `/coding-agents/${id}`)
    await page.getByTestId('run-actions').click()
    expect(await bar(page).count()).toBe(0)
    await page.getByRole('menuitem', { name: 'Validate' }).click()
    await bar(page).getByText('Failed', { exact: true }).waitFor({ timeout: VERDICT_MS })
    await bar(page).getByText('2 commands, 1 of 2 tests failed').waitFor()
    await page.getByTestId('validation-checks').locator('summary').first().click()
    const check = page.getByTestId('validation-check').last()
    await check.getByText('npm run test').click()
    await check.getByText('Failed with exit code 1.').waitFor()
    expect(await check.getByRole('region').textContent()).toContain('fail 1')
    expect(await graveOn(page)).toEqual([])
  })

  it('can be repeated and ended, on a phone', async () => {
    await sh(
      owner,
      agent,
      `mkdir -p .config/slipway && echo '{"commands":{"app":"echo begun; sleep 985"}}' >.config/slipway/validation.json`,
    )
    const page = await visit(owner, `/coding-agents/${id}`, SCREENS.narrow)
    await page.getByTestId('validation-again').click()
    await page.getByTestId('validation-now').getByText('begun').waitFor()
    await page.getByTestId('validation-checks').locator('summary').first().click()
    await page.getByTestId('validation-check').locator('summary').click()
    await page.getByTestId('validation-output').getByText('begun').waitFor()
    await page.getByTestId('validation-cancel').click()
    await page.getByTestId('validation-message').getByText('A user ended the validation.').waitFor()
    expect(await bar(page).getAttribute('data-state')).toBe('not_verified')
    expect(await graveOn(page)).toEqual([])
  })
})
