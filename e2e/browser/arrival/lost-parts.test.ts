/** A page that loses each of its files once. The user still sees all of it. */
// In the short form `arrival.test.ts` loses the first files of a page, `torn-page.test.ts` one that is loaded later, and
// `frontend/src/lib/browser/parts.test.ts` awaits any part that is lost.
import '@slipway/testing/long'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent, Conversation, Dialog } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signIn, signInAdmin, PASSWORD } from '../../support/api.ts'
import { loseEachToInterfaces, resetEach, Tunnels } from '../../support/network/losing.ts'
import { answered, type ContextOptions, goTo, newContext, signInAt, useBrowser } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { putStub } from '../../support/tasks/stub.ts'

const FILES = join(import.meta.dirname, '../../../frontend/dist/assets')
const ALL = readdirSync(FILES).filter((name) => /\.(js|css)$/.test(name))
/** A file with all that it loads. */
const withParts = (name: string, known = new Set<string>()): Set<string> => {
  if (known.has(name)) return known
  known.add(name)
  const source = readFileSync(join(FILES, name), 'utf8')
  for (const part of ALL) if (source.includes(part)) withParts(part, known)
  return known
}
/** Without these, code of a task has no colours. A worker loads them, and is started again for the next code. */
const OF_COLOURS = new Set(ALL.filter((name) => name.startsWith('worker-')).flatMap((name) => [...withParts(name)]))
const sourceOf = (name: string): string => readFileSync(join(FILES, name), 'utf8')
/** The languages of the editor, and what they alone load. Without one, a text is edited without colours. */
const OF_LANGUAGES = ((): ReadonlySet<string> => {
  const editor = ALL.find((name) => name.startsWith('editor-'))
  const source = editor === undefined ? '' : sourceOf(editor)
  const found = new Set(
    [...source.matchAll(/import\(\s*["'`]\.\/([^"'`]+)/g)].flatMap(([, name]) => (name === undefined ? [] : [name])),
  )
  const loads = new Map(
    ALL.map((name) => [name, new Set(ALL.filter((other) => other !== name && sourceOf(name).includes(other)))]),
  )
  for (let before = -1; before < found.size;) {
    before = found.size
    for (const name of ALL) {
      // The editor names all that its languages load.
      const users = ALL.filter((other) => other !== editor && loads.get(other)?.has(name))
      if (users.length > 0 && users.every((user) => found.has(user))) found.add(name)
    }
  }
  return found
})()
/** Files that the page loads at the start or with an `import()`. */
const PARTS = ALL.filter((name) => !OF_COLOURS.has(name) && !OF_LANGUAGES.has(name)).map((name) => `/assets/${name}`)

// The last test loses files to new interfaces.
useBrowser({ hearsNetwork: true })
let admin: Client
let agent: Agent
let task: string
let question: string
let conversation: string
beforeAll(async () => {
  const first = await signInAdmin()
  const user = await newUser(first)
  await first.ok('PATCH', `/users/${user.userId}`, { role: 'admin' })
  admin = await signIn(user.email, PASSWORD)
  agent = await admin.agent({ runtime: 'bash', memoryMb: 256, record: true })
  await putStub(admin, agent.name, 'claude-code')
  task = (await startTask(admin, { agent: agent.name, provider: 'claude-code', prompt: '@cost' })).id
  await endedTask(admin, task)
  const asking = { agent: agent.name, title: 'Sure?', question: { kind: 'confirm' } }
  question = (await admin.ok<Dialog>('POST', '/dialogs', asking)).id
  const turn = { agent: agent.name, provider: 'claude-code', prompt: '@cost' }
  conversation = (await admin.ok<Conversation>('POST', '/conversations', turn)).id
  // It runs until the agent is deleted, and its dock is below the pages.
  const body = { agent: agent.name, provider: 'claude-code', prompt: '@silent-after-tool', timeout_seconds: 1_800 }
  await startTask(admin, body)
})
afterAll(() => admin.ok('DELETE', `/agents/${agent.name}`))

const see = (page: Page, testId: string): Promise<void> => page.getByTestId(testId).first().waitFor()

const press = async (page: Page, keys: string, testId: string): Promise<void> => {
  await page.keyboard.press(keys)
  await see(page, testId)
  await page.keyboard.press('Escape')
  await page.getByTestId(testId).waitFor({ state: 'detached' })
}

/** Edits a file that another program changes meanwhile, and compares both. */
const edit = async (page: Page): Promise<void> => {
  const write = (text: string) => admin.upload(agent.name, 'plan', text)
  await write('one')
  await page.getByTestId('tab-files').click()
  await page.locator('[role="treeitem"][data-path="/home/developer/plan"]').click()
  await page.getByTestId('file-edit').click()
  await page.getByTestId('file-editor').locator('.cm-content').click()
  await page.keyboard.type('mine ')
  await write('theirs')
  await page.getByTestId('file-save').click()
  await page.getByTestId('conflict-compare').click()
  await see(page, 'file-differences')
  await page.getByTestId('conflict-load').click()
  await page.getByTestId('file-conflict').waitFor({ state: 'detached' })
  await page.getByTestId('file-done').click()
}

/** Visits each part of the page, with reloads only where a user would reload. */
const walk = async (page: Page): Promise<void> => {
  await goTo(page, '/setup')
  await see(page, 'setup-help')
  await goTo(page, '/invitation')
  await page.getByText('This link is incomplete').waitFor()
  for (const path of ['/watch', '/shared-port']) {
    await goTo(page, path)
    await page.getByText('This link is incomplete').waitFor()
  }
  await signInAt(page, admin, '/')
  await see(page, 'dock-run')
  await page.getByTestId(`agent-row-${agent.name}`).click()
  const screen = new Screen(page)
  await screen.shell()
  expect(await screen.element.getAttribute('data-renderer')).toBe('canvas')
  for (const [tab, seen] of [
    ['overview', 'chart-disk'],
    ['changes', 'changes'],
    ['ports', 'ports'],
    ['logs', 'log-search'],
    ['worktrees', 'worktrees'],
    ['sharing', 'share-form'],
    ['settings', 'settings-form'],
    ['recordings', 'recordings'],
  ] as const) {
    await page.getByTestId(`tab-${tab}`).click()
    await see(page, seen)
  }
  await edit(page)
  await page.getByTestId('tab-recordings').click()
  await page.getByTestId('recordings').getByRole('link').first().click()
  await see(page, 'cast-player')
  await press(page, '?', 'help')
  await press(page, 'a', 'dialog-tray')
  await press(page, 'Control+k', 'palette')
  for (const [path, seen] of [
    ['/users', 'users'],
    ['/audit', 'audit-events'],
    ['/platform', 'credentials'],
    ['/', 'dashboard-ended'],
    ['/agents', 'agents-search'],
  ] as const) {
    await page.locator(`a[href="${path}"]`).first().click()
    await see(page, seen)
  }
  await page.getByTestId('rail-conversations').click()
  await page.getByTestId(`conversation-${conversation}`).click()
  await see(page, 'turns')
  await page.getByTestId('new-conversation').click()
  await see(page, 'conversation-form')
  await page.keyboard.press('Escape')
  await page.getByTestId('conversation-form').waitFor({ state: 'detached' })
  await page.getByTestId('rail-tasks').click()
  await page.getByTestId(`task-${task}`).click()
  await see(page, 'run-events')
  for (const tab of ['timeline', 'changes', 'publish', 'raw']) {
    await page.getByTestId(`run-tab-${tab}`).click()
    await see(page, `run-${tab}`)
  }
  for (const [tab, seen] of [
    ['comparisons', 'no-comparisons'],
    ['usage', 'chart-cost'],
    ['schedules', 'no-schedules'],
    ['webhooks', 'webhooks'],
    ['settings', 'coding-agent-settings'],
  ] as const) {
    await page.getByTestId(`tab-${tab}`).click()
    await see(page, seen)
  }
  await page.getByTestId('tab-tasks').click()
  await page.getByTestId('new-task').click()
  await see(page, 'task-form')
  await page.getByTestId('task-compare').click()
  await see(page, 'compare-form')
  await page.keyboard.press('Escape')
  await page.getByTestId('compare-form').waitFor({ state: 'detached' })
  await page.locator('a[href="/"]').first().click()
  await page.getByTestId('new-agent').click()
  await see(page, 'agent-form-name')
  await page.keyboard.press('Escape')
  await page.getByTestId('agent-form-name').waitFor({ state: 'detached' })
  await page.getByTestId('user-menu').click()
  await page.locator('[role="menuitem"][href="/account"]').click()
  await see(page, 'sign-ins')
  await page.getByTestId(`rail-agent-${agent.name}`).click()
  await screen.shell()
  await screen.element.click({ button: 'right', position: { x: 60, y: 120 } })
  await page.getByRole('menuitem', { name: 'Terminal settings' }).click()
  await see(page, 'terminal-settings')
  await goTo(page, '/device')
  await see(page, 'device-code-form')
  await goTo(page, `/questions/${question}`)
  await see(page, 'question-page')
  await see(page, 'dialog-yes')
  await goTo(page, '/nowhere')
  await see(page, 'not-found')
}

/** All pages use fonts of their own. A face that has failed stays failed. */
const failedFonts = (page: Page): Promise<string[]> =>
  page.evaluate(() => [...document.fonts].filter(({ status }) => status === 'error').map(({ family }) => family))

const open = async (options: ContextOptions): Promise<Page> => {
  // The task works in no repository, so there is nothing to publish.
  const provoked = [/ERR_NETWORK_CHANGED|ERR_CONNECTION_RESET/, answered(409), answered(412)]
  return (await newContext({ provoked, preloads: false, ...options })).newPage()
}

describe('a page of which each file is lost once', () => {
  it('is whole where connections are reset', async () => {
    const tunnels = await Tunnels.open()
    const page = await open({ proxy: { server: tunnels.url } })
    const lost = resetEach(tunnels)
    await walk(page)
    expect(PARTS.filter((path) => !lost.has(path))).toEqual([])
    await expect.poll(() => failedFonts(page)).toEqual([])
  })

  // The test before loses each file once, by a reset.
  const itAsRoot: typeof longIt = process.getuid?.() === 0 ? longIt : it.skip
  itAsRoot('is whole where an interface of the machine comes up', async () => {
    const tunnels = await Tunnels.open()
    const page = await open({ proxy: { server: tunnels.url } })
    const lost = await loseEachToInterfaces(page, tunnels)
    await walk(page)
    expect(PARTS.filter((path) => !lost.has(path))).toEqual([])
    await expect.poll(() => failedFonts(page)).toEqual([])
  })
})
