/** Pictures in the prompt of a new task: the real Claude Code reads one that was pasted. */
// In the short form `frontend/src/lib/tasks/new/draft.test.ts` has the path of a picture in a prompt, and
// `files/into-agent.test.ts` gives a pasted picture to Claude Code in its terminal.
import '@slipway/testing/long'
import type { CodingSession } from '@slipway/protocol'
import type { Page } from 'playwright'
import { beforeAll, expect, inject, it, vi } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { intercept } from '../../support/network/intercept.ts'
import { graveOn } from '../../support/page/axe.ts'
import { answered, useBrowser, visit } from '../../support/pages.ts'
import { endedTask } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'
import { quicken } from '../../support/tasks/stub.ts'
import { SCREENS } from '../../walk/visitor.ts'

vi.setConfig({ testTimeout: 300_000 })

/** Where the model looks for the picture. Its own path has a name by chance. */
const LINK = '/home/developer/linked.png'
const PATH = /\/home\/developer\/uploads\/\w{6}\/picture\.png/
const SCRIPT = {
  '@look': [{ tool: 'Read', input: { file_path: LINK } }],
  // The model gives this answer only if the request has a picture.
  '"media_type":"image/png"': [{ say: 'I see a harbour.' }],
}

useBrowser({ ownClipboard: true })
let owner: Client
let agent = ''
let other = ''
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, SCRIPT)).name
  other = (await owner.agent({ runtime: 'bash', memoryMb: 256 })).name
  for (const name of [agent, other]) await quicken(owner, name)
  return async () => {
    for (const name of [agent, other]) await owner.ok('DELETE', `/agents/${name}`)
  }
})

const opened = async (page: Page): Promise<void> => {
  await page.getByTestId('agent-new-task').click()
  await page.getByTestId('task-form').waitFor()
}
/** A picture of this size, in pixels. */
const copyPicture = async (page: Page, width: number): Promise<void> => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: inject('baseUrl') })
  await page.evaluate(async (size) => {
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = size
    const context = canvas.getContext('2d')!
    context.fillStyle = 'teal'
    context.fillRect(0, 0, size, size / 2)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob! })])
  }, width)
}
const pictures = (page: Page, state: string) => page.getByTestId('task-pictures').locator(`li[data-state="${state}"]`)
const png = async (page: Page): Promise<Buffer> =>
  Buffer.from(
    await page.evaluate(() => {
      const canvas = document.createElement('canvas')
      return canvas.toDataURL('image/png').split(',')[1] ?? ''
    }),
    'base64',
  )

it('is pasted with a key, and the model of the real Claude Code gets it', async () => {
  const page = await visit(owner, `/agents/${agent}/overview`)
  await opened(page)
  const prompt = page.getByTestId('task-prompt')
  await prompt.fill('@look at  and say what it is')
  for (let left = 0; left < ' and say what it is'.length; left += 1) await page.keyboard.press('ArrowLeft')
  await copyPicture(page, 240)
  await page.keyboard.press('Control+v')
  await pictures(page, 'done').waitFor()
  expect(await graveOn(page)).toEqual([])
  const text = await prompt.inputValue()
  expect(text).toMatch(new RegExp(`^@look at ${PATH.source} and say what it is$`))
  const path = PATH.exec(text)?.[0] ?? ''
  await sh(owner, agent, `ln -sf ${path} ${LINK}; head -c 4 ${path} | grep -q PNG`)
  await page.keyboard.press('Control+Enter')
  await page.getByTestId('task-form').waitFor({ state: 'detached' })
  const [task] = await owner.ok<CodingSession[]>('GET', '/coding-agents/sessions')
  expect(await endedTask(owner, task?.id ?? '')).toMatchObject({ prompt: text, result: 'I see a harbour.' })
})

it('comes by drag and drop, leaves with its path, and goes along to another agent', async () => {
  const page = await visit(owner, `/agents/${agent}/overview`)
  await opened(page)
  const prompt = page.getByTestId('task-prompt')
  await prompt.fill('Compare ')
  const base64 = (await png(page)).toString('base64')
  const dataTransfer = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer()
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
    for (const name of ['one', 'two']) transfer.items.add(new File([bytes], `${name}.png`, { type: 'image/png' }))
    return transfer
  }, base64)
  await prompt.dispatchEvent('dragover', { dataTransfer })
  await page.getByTestId('task-picture-drop').waitFor()
  await prompt.dispatchEvent('drop', { dataTransfer })
  await page.getByTestId('task-picture-drop').waitFor({ state: 'detached' })
  await pictures(page, 'done').nth(1).waitFor()
  const [first = '', second = ''] = (await prompt.inputValue()).match(new RegExp(PATH.source, 'g')) ?? []
  expect(await prompt.inputValue()).toBe(`Compare ${first} ${second} `)

  await page.getByTestId('task-picture-remove').first().click()
  expect(await prompt.inputValue()).toBe(`Compare ${second} `)
  await prompt.fill('Compare')
  await page.getByTestId('task-pictures').waitFor({ state: 'detached' })
  await prompt.fill(`Compare ${second}`)
  await pictures(page, 'done').waitFor()

  await page.getByTestId('task-agent').click()
  await page.getByRole('option', { name: other }).click()
  await expect.poll(() => sh(owner, other, `ls ${second} || true`)).toBe(`${second}\n`)
  expect(await prompt.inputValue()).toBe(`Compare ${second}`)
})

it('is refused if it is none, or too large, or one too many, and tried again after a failure', async () => {
  const page = await visit(owner, '/coding-agents', { ...SCREENS.narrow, provoked: [answered(507)] })
  await page.getByTestId('new-task').tap()
  await page.getByTestId('task-form').waitFor()
  await page.getByTestId('task-prompt').fill('See')
  const chooser = page.getByTestId('task-picture-chooser')
  const buffer = await png(page)
  await chooser.setInputFiles({ name: 'text.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
  await page.getByText('This is not a picture').first().waitFor()
  const large = Buffer.concat([buffer, Buffer.alloc(10 * 1024 * 1024)])
  await chooser.setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer: large })
  await page.getByText('A picture may have 10 MiB.').first().waitFor()

  const full = await intercept(page, String.raw`*/files\?path=*`, (request) =>
    request.fulfill({ status: 507, json: { code: 'DISK_FULL', message: 'The disk is full.' } }),
  )
  await chooser.setInputFiles({ name: 'one.png', mimeType: 'image/png', buffer })
  await pictures(page, 'failed').getByText('The disk is full.').waitFor()
  expect(await page.getByTestId('task-prompt').inputValue()).toBe('See')
  expect(await graveOn(page)).toEqual([])
  await full.stop()
  await page.getByTestId('task-picture-retry').tap()
  await pictures(page, 'done').waitFor()
  expect(await page.getByTestId('task-prompt').inputValue()).toMatch(new RegExp(`^See ${PATH.source} $`))

  const many = Array.from({ length: 5 }, (_, at) => ({ name: `${at}.png`, mimeType: 'image/png', buffer }))
  await chooser.setInputFiles(many)
  await page.getByText('A prompt takes 5. Remove one first.').first().waitFor()
  await expect.poll(() => pictures(page, 'done').count()).toBe(5)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(SCREENS.narrow.viewport.width)
})
