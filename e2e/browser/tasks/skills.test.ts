/** Skills in the settings: written with a check of each field, previewed, imported, switched. */
// In the short form `e2e/tasks/skills/skills.test.ts` has the skills, and the walk opens the page (`tasks-settings`).
import '@slipway/testing/long'
import type { Skill, WholeSkill } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { answered, useBrowser, visit } from '../../support/pages.ts'
import { sh } from '../../support/tasks/model.ts'

const SETTINGS = '/settings/coding-agents'
const MINE = '/users/me/skills'
const textOf = (name: string): string =>
  `---\nname: ${name}\ndescription: How a changelog is written.\ntriggers: [changelog]\npriority: 100\n---\nOne line.\n`

useBrowser()
let owner: Client
let agent: string
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await owner.agent({ runtime: 'bash' })).name
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const mine = async (): Promise<Skill[]> => (await owner.ok<{ items: Skill[] }>('GET', MINE)).items
const isWider = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

describe('the skills in the settings', () => {
  it('are written with a message for each wrong field, and previewed with what they cost', async () => {
    const page = await visit(owner, SETTINGS)
    const skills = page.getByTestId('skills')
    await skills.getByTestId('new-skill').first().click()
    await page.getByTestId('skill-text').fill('---\nname: A B\n---\nDo it.\n')
    await page.getByTestId('skill-check').click()
    await page.getByTestId('skill-problems').waitFor()
    expect(await page.getByTestId('skill-problems').locator('code').allTextContents()).toEqual(['name', 'description'])
    expect(await graveOn(page)).toEqual([])
    await page.getByTestId('skill-text').fill(textOf('changelog'))
    await page.getByTestId('skill-check').click()
    await page.getByTestId('skill-valid').waitFor()
    await page.getByTestId('skill-save').click()
    await page.getByTestId('skill-changelog').waitFor()
    expect(await mine()).toMatchObject([{ name: 'changelog', triggers: ['changelog'], priority: 100, enabled: true }])

    await page.getByTestId('skill-preview-prompt').fill('Write the changelog')
    await page.getByTestId('skill-preview-run').click()
    const choice = page.getByTestId('skill-choice-changelog')
    await choice.getByText('the prompt has “changelog”').waitFor()
    expect(await choice.textContent()).toMatch(/Gets.*changelog.*user/)
    await page.getByTestId('skill-changelog').getByTestId('skill-switch').click()
    await until('the switch', async () => (await mine())[0]?.enabled === false)
    await page.getByTestId('skill-preview-run').click()
    await choice.getByText('switched off').waitFor()

    await sh(owner, agent, 'mkdir -p repo/.git repo/.agents/skills/brought')
    await owner.upload(agent, 'repo/.agents/skills/brought/SKILL.md', textOf('brought'))
    await owner.ok('PUT', `/agents/${agent}/skill-settings`, { repository: true, maxPromptTokens: 4000 })
    await page.getByTestId('skill-preview').getByTestId('task-folder').fill('~/repo')
    await page.getByTestId('skill-preview-run').click()
    await page.getByTestId('skill-choice-brought').getByText('repository').waitFor()
    expect(await graveOn(page)).toEqual([])
  })

  it('have further files, which are added, renamed, edited and removed', async () => {
    const [kept, old] = [
      { path: 'kept.md', text: 'As it was.' },
      { path: 'old.sh', text: '#!/bin/sh\n' },
    ]
    await owner.ok('PUT', `${MINE}/filed`, { text: textOf('filed'), files: [kept, old] })
    const page = await visit(owner, SETTINGS)
    const open = async (): Promise<void> => page.getByTestId('skill-filed').getByTestId('skill-edit').click()
    const save = async (): Promise<void> => {
      await page.getByTestId('skill-save').click()
      await page.getByTestId('skill-form').waitFor({ state: 'detached' })
    }
    const file = (path: string) => page.getByTestId('skill-file').filter({ hasText: path })
    const stored = async () => (await owner.ok<WholeSkill>('GET', `${MINE}/filed`)).files
    await open()
    await file('old.sh').getByTestId('skill-file-open').click()
    await page.getByTestId('skill-file-path').fill('scripts/run.sh')
    await page.getByTestId('skill-file-text').fill('#!/bin/sh\necho 1\n')
    await page.getByTestId('skill-file-add').click()
    expect(await page.getByTestId('skill-file-path').inputValue()).toBe('notes.md')
    expect(await page.getByTestId('skill-file-path').evaluate((input) => input === document.activeElement)).toBe(true)
    expect(await graveOn(page)).toEqual([])
    await page.getByTestId('skill-file-path').fill(' ')
    await page.getByTestId('skill-save').click()
    await page.getByTestId('skill-problems').getByText('has a file without a path').waitFor()
    await page.getByTestId('skill-file-path').fill('../escaped')
    await page.getByTestId('skill-save').click()
    await page.getByTestId('skill-problems').getByText('may not have the path').waitFor()
    expect(await stored()).toEqual([kept, old])
    await page.getByTestId('skill-file-path').fill('added.md')
    await save()
    const renamed = { path: 'scripts/run.sh', text: '#!/bin/sh\necho 1\n' }
    expect(await stored()).toEqual([kept, renamed, { path: 'added.md', text: '' }])
    await open()
    await file('added.md').getByTestId('skill-file-remove').click()
    await save()
    expect(await stored()).toEqual([kept, renamed])
  })

  it('take the place of another one of their name only after a question', async () => {
    const page = await visit(owner, SETTINGS, { provoked: [answered(409)] })
    const skills = page.getByTestId('skills')
    await skills.getByTestId('new-skill').first().click()
    await page.getByTestId('skill-text').fill(textOf('changelog').replace('One line.', 'Two lines.'))
    await page.getByTestId('skill-save').click()
    await page.getByTestId('skill-taken').waitFor()
    expect(await graveOn(page)).toEqual([])
    expect((await owner.ok<WholeSkill>('GET', `${MINE}/changelog`)).text).toContain('One line.')
    await page.getByTestId('skill-save').getByText('Replace skill').click()
    await page.getByTestId('skill-form').waitFor({ state: 'detached' })
    expect((await owner.ok<WholeSkill>('GET', `${MINE}/changelog`)).text).toContain('Two lines.')

    await sh(owner, agent, 'mkdir -p again/changelog')
    await owner.upload(agent, 'again/changelog/SKILL.md', textOf('changelog'))
    await page.getByTestId('skill-import-from').fill('again')
    await page.getByTestId('skill-import-find').click()
    await page.getByTestId('skill-import-add').click()
    await page.getByTestId('confirm-action').waitFor()
    await page.keyboard.press('Escape')
    await page.getByTestId('confirm-action').waitFor({ state: 'detached' })
    expect((await owner.ok<WholeSkill>('GET', `${MINE}/changelog`)).text).toContain('Two lines.')
    await page.getByTestId('skill-import-add').click()
    await page.getByTestId('confirm-action').click()
    await page.getByTestId('skill-import-add').getByText('Added, switched off').waitFor()
    expect(await owner.ok<WholeSkill>('GET', `${MINE}/changelog`)).toMatchObject({
      skill: { enabled: false },
      text: expect.stringContaining('One line.'),
    })
  })

  it('are imported from a folder, switched off, and one that is not valid says why; on a phone, too', async () => {
    await sh(owner, agent, `mkdir -p skills/good skills/bad && cp /dev/null skills/bad/SKILL.md`)
    await owner.upload(agent, 'skills/good/SKILL.md', textOf('imported'))
    const page = await visit(owner, SETTINGS, { viewport: { width: 390, height: 844 }, provoked: [answered(400)] })
    await page.getByTestId('skill-import-from').fill('skills')
    await page.getByTestId('skill-import-find').click()
    const found = page.getByTestId('skill-import-found')
    await found.getByText('must begin with front matter').waitFor()
    await found.getByTestId('skill-import-add').click()
    await page.getByTestId('skill-imported').waitFor()
    expect((await mine()).find(({ name }) => name === 'imported')).toMatchObject({ enabled: false })
    await page.getByTestId('skill-import-ref').waitFor({ state: 'detached' })
    await page.getByTestId('skill-import-from').fill('http://127.0.0.1:9/none')
    await page.getByTestId('skill-import-ref').fill('v1 .0')
    await page.getByTestId('skill-import-find').click()
    await page.getByTestId('skill-import').getByText('must be the name of a branch or a tag').waitFor()
    expect(await isWider(page)).toBe(false)
    expect(await graveOn(page)).toEqual([])
  })
})
