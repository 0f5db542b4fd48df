/** Prompt templates: saved in the dialog and from a task, filled in for a new task, managed in the settings. */
// In the short form the tests of the front end have the fields, and the database tests the rest.
import '@slipway/testing/long'
import type { PromptTemplate } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { answered, useBrowser, visit } from '../../support/pages.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithStub, quicken } from '../../support/tasks/stub.ts'

const SETTINGS = '/settings/coding-agents'
const BASE = '/prompt-templates'

useBrowser()
let admin: Client
let owner: Client
let agent: string
beforeAll(async () => {
  admin = await signInAdmin()
  owner = await newUser(admin)
  agent = await agentWithStub(owner, 'claude-code')
  await quicken(owner, agent)
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))
afterEach(async () => {
  for (const { id } of await mine()) await owner.ok('DELETE', `${BASE}/${id}`)
})

const mine = async (): Promise<PromptTemplate[]> =>
  (await owner.ok<PromptTemplate[]>('GET', BASE)).filter(({ of }) => of === 'user')
const add = (name: string, prompt: string): Promise<PromptTemplate> => owner.ok('POST', BASE, { name, prompt })
const openForm = async (page: Page): Promise<void> => {
  await page.getByTestId('new-task').click()
  await page.getByTestId('task-form').waitFor()
}
const choose = async (page: Page, name: string): Promise<void> => {
  await page.getByTestId('task-template').click()
  await page.getByRole('option', { name }).click()
}
const isWider = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

describe('a template of a prompt', () => {
  it('is saved in the dialog of a new task, and becomes inputs that fill the prompt of the next', async () => {
    const page = await visit(owner, '/coding-agents')
    await openForm(page)
    expect(await page.getByTestId('task-template').count()).toBe(0)
    await page.getByTestId('task-prompt').fill('@cost Fix {{ticket}} on {{branch}}, then close {{ticket}}')
    await page.getByTestId('task-save-template').click()
    await page.getByTestId('template-fields').getByText('branch').waitFor()
    expect(await graveOn(page)).toEqual([])
    await page.getByTestId('template-save').click()
    await page.getByText('Enter a name.').waitFor()
    await page.getByTestId('template-name').fill('Fix a ticket')
    await page.keyboard.press('Enter')
    await page.getByTestId('template-form').waitFor({ state: 'detached' })
    expect(await mine()).toMatchObject([{ name: 'Fix a ticket', of: 'user' }])

    await page.getByTestId('task-prompt').fill('Something else')
    await choose(page, 'Fix a ticket')
    const [ticket, branch] = [page.getByTestId('task-field-of-ticket'), page.getByTestId('task-field-of-branch')]
    await until('the focus on the first field', () => ticket.evaluate((field) => field === document.activeElement))
    await page.keyboard.type('SLIP-7')
    const prompt = page.getByTestId('task-prompt')
    expect(await prompt.inputValue()).toBe('@cost Fix SLIP-7 on {{branch}}, then close SLIP-7')
    await page.getByTestId('task-start').click()
    await page.getByText('Fill in this field.').waitFor()
    expect(await branch.evaluate((field) => field === document.activeElement)).toBe(true)
    expect(await graveOn(page)).toEqual([])
    await branch.fill('main')

    await prompt.fill('@cost By hand')
    await page.getByText('You have changed the prompt').waitFor()
    expect(await ticket.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Fill it in again' }).click()
    await page.getByTestId('task-start').click()
    await page.waitForURL((url) => /coding-agents\/.+/.test(url.pathname))
    const task = await endedTask(owner, page.url().split('/').at(-1)!.split('?')[0]!)
    expect(task.prompt).toBe('@cost Fix SLIP-7 on main, then close SLIP-7')
  })

  it('gives the prompt back if no template is chosen again', async () => {
    await add('Review', 'Review {{branch}}')
    const page = await visit(owner, '/coding-agents')
    await openForm(page)
    const prompt = page.getByTestId('task-prompt')
    await prompt.fill('Mine')
    await choose(page, 'Review')
    await page.getByTestId('task-field-of-branch').fill('main')
    expect(await prompt.inputValue()).toBe('Review main')
    await choose(page, 'No template')
    expect(await prompt.inputValue()).toBe('Mine')
    expect(await page.getByTestId('task-fields').count()).toBe(0)
  })

  it('is saved from a task that has ended', async () => {
    const { id } = await startTask(owner, { agent, provider: 'claude-code', prompt: '@cost Fix SLIP-9' })
    await endedTask(owner, id)
    const page = await visit(owner, `/coding-agents/${id}`)
    await page.getByTestId('run-actions').click()
    await page.getByRole('menuitem', { name: 'Save as a template' }).click()
    expect(await page.getByTestId('template-prompt').inputValue()).toBe('@cost Fix SLIP-9')
    await page.getByTestId('template-name').fill('From a task')
    await page.getByTestId('template-prompt').fill('@cost Fix {{ticket}}')
    await page.getByTestId('template-save').click()
    await page.getByTestId('template-form').waitFor({ state: 'detached' })
    expect(await mine()).toMatchObject([{ name: 'From a task', prompt: '@cost Fix {{ticket}}' }])
  })

  it('is edited whole and deleted in the settings, and one for all users by admins only', async () => {
    const prompt = `Fix {{ticket}}: ${'and more '.repeat(1_000)}`
    const { id } = await add('Long', prompt)
    const shared = await admin.ok<PromptTemplate>('POST', `/platform${BASE}`, { name: `Shared ${id}`, prompt: 'Go' })
    try {
      const page = await visit(owner, SETTINGS, { provoked: [answered(409)] })
      const [long, ofAll] = [page.getByTestId('template-Long'), page.getByTestId(`template-${shared.name}`)]
      // The rules above move the templates down when they arrive, maybe in the middle of a click.
      await page.getByText(`For all tasks in ${agent}`).waitFor()
      await ofAll.getByText('For all users').waitFor()
      expect(await ofAll.getByTestId('template-edit').count()).toBe(0)
      await add('Other', 'Go')
      await long.getByTestId('template-edit').click()
      expect(await page.getByTestId('template-prompt').inputValue()).toBe(prompt)
      expect(await page.getByTestId('template-for-all').count()).toBe(0)
      await page.getByTestId('template-name').fill('Other')
      await page.getByTestId('template-save').click()
      await page.getByText('There is a template of this name already.').waitFor()
      await page.getByTestId('template-name').fill('Longer')
      await page.getByTestId('template-save').click()
      await page.getByTestId('template-Longer').getByTestId('template-delete').click()
      await page.getByTestId('confirm-action').click()
      await page.getByTestId('template-Longer').waitFor({ state: 'detached' })
      expect((await mine()).map(({ name }) => name)).toEqual(['Other'])

      const ofAdmin = await visit(admin, SETTINGS)
      await ofAdmin.getByTestId(`template-${shared.name}`).getByTestId('template-edit').click()
      await ofAdmin.getByTestId('template-prompt').fill('Go on')
      await ofAdmin.getByTestId('template-save').click()
      await ofAdmin.getByTestId(`template-${shared.name}`).getByText('Go on').waitFor()
      expect(await owner.ok<PromptTemplate>('GET', `${BASE}/${shared.id}`)).toMatchObject({ prompt: 'Go on' })
    } finally {
      await admin.ok('DELETE', `/platform${BASE}/${shared.id}`)
    }
  })

  it('works on a phone, without scrolling sideways', async () => {
    await add('Fix a ticket of a name that is much longer than a phone is wide, so that it is cut', 'Fix {{ticket}}')
    const page = await visit(owner, '/coding-agents', {
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    })
    await page.getByTestId('new-task').tap()
    await page.getByTestId('task-template').tap()
    await page.getByRole('option', { name: 'Fix a ticket' }).tap()
    await page.getByTestId('task-field-of-ticket').fill('SLIP-7')
    expect(await isWider(page)).toBe(false)
    expect(await graveOn(page)).toEqual([])
    await page.getByTestId('task-save-template').tap()
    await page.getByTestId('template-form').waitFor()
    expect(await isWider(page)).toBe(false)
    expect(await graveOn(page)).toEqual([])
  })
})
