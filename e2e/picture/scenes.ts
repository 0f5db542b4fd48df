/** The scenes of the picture, in order. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright'
import { type Client, signInAdmin } from '../support/api.ts'
import { runIn } from '../support/engine.ts'
import { Screen } from '../support/screen.ts'
import { type Server, startServer } from '../support/server.ts'
import { newPerson, openWindow } from './people.ts'
import { ANSWER, CHANGED, FILES, FOLDER, GATES, PROMPT, STEPS, TASK, TESTED } from './project.ts'
import type { Stage, Window } from './stage.ts'

/** Server and clients of the picture. The namespace and the data folder stay when the server is killed. */
export interface Production {
  readonly browser: Browser
  readonly namespace: string
  readonly dataDir: string
  readonly stage: Stage
}

const AGENT = 'harbour-api'
/** The model's port in the agent's container. */
const MODEL_PORT = 9322
/** Size of the owner's window and the colleague's, in pixels. */
const [OWN, THEIRS] = [
  { width: 1216, height: 740 },
  { width: 640, height: 430 },
]
/** Start and end position of the colleague's window. */
const [OUTSIDE, BESIDE] = [
  { left: 1264, top: 300 },
  { left: 588, top: 302 },
]
/** Size of the owner's phone, in pixels, and its height on the stage. */
const PHONE = { width: 390, height: 844 }
const PHONE_HEIGHT = 690
/** Start and end position of the phone. */
const [BELOW, BEFORE] = [
  { left: 890, top: 824 },
  { left: 890, top: 92 },
]

class Scenes {
  readonly #production: Production
  #server!: Server
  #noor!: Client
  #tomas!: Client
  #mine!: Window
  #theirs!: Window

  constructor(production: Production) {
    this.#production = production
  }

  get #stage(): Stage {
    return this.#production.stage
  }
  get #screens(): Screen[] {
    return [new Screen(this.#mine.page), new Screen(this.#theirs.page)]
  }

  async start(port = '0'): Promise<void> {
    const { namespace, dataDir } = this.#production
    this.#server = await startServer({ namespace, dataDir, env: { SLIPWAY_PORT: port } })
  }

  stop(): Promise<void> {
    return this.#server.stop()
  }

  async furnish(): Promise<void> {
    const admin = await signInAdmin(this.#server.baseUrl)
    this.#noor = await newPerson(admin, 'noor@example.org')
    this.#tomas = await newPerson(admin, 'tomas@example.org')
    const gateway = { value: 'a-token-of-the-picture', address: `http://127.0.0.1:${MODEL_PORT}` }
    await admin.ok('PUT', '/platform/credentials/ai-gateway', gateway)
  }

  async create(): Promise<void> {
    const page = await openWindow(this.#production.browser, this.#noor, { viewport: OWN }, '/')
    this.#mine = { page, left: 24, top: 60, ...OWN }
    this.#stage.caption('Create an agent: a container with a home and a coding CLI')
    this.#stage.put(this.#mine)
    const name = page.getByTestId('agent-form-name')
    await name.fill('')
    await this.#stage.hold(600)
    await this.#stage.type(page, AGENT)
    await this.#stage.hold(150)
    await this.#stage.press(this.#mine, page.getByTestId('agent-form-submit'))
    const screen = new Screen(page)
    await screen.shows(/^❯/m)
    await screen.hasKeys()
    await this.#prepareAgent()
  }

  /** Creates a project, and a model that answers. */
  async #prepareAgent(): Promise<void> {
    await this.#inAgent(`mkdir ${FOLDER} .model`)
    for (const [path, content] of Object.entries(FILES)) await this.#noor.upload(AGENT, `${FOLDER}/${path}`, content)
    // A task tells what it has changed in a repository.
    const git = 'git -c user.name=Noor -c user.email=noor@example.org'
    await this.#inAgent(`cd ${FOLDER} && git init -q && git add . && ${git} commit -qm Berths`)
    for (const name of ['scripted-model.mjs', 'script.mjs']) {
      const file = readFileSync(new URL(`../support/agent/${name}`, import.meta.url))
      await this.#noor.upload(AGENT, `.model/${name}`, file)
    }
    await this.#noor.upload(AGENT, '.model/steps.json', JSON.stringify(STEPS))
    await this.#inAgent(`cd .model && setsid -f node scripted-model.mjs ${MODEL_PORT} steps.json >/dev/null 2>&1`)
  }

  #inAgent(script: string): Promise<string> {
    return runIn(`${this.#production.namespace}-agent-${AGENT}`, ['sh', '-c', script])
  }

  async work(): Promise<void> {
    const { page } = this.#mine
    const screen = new Screen(page)
    this.#stage.hidePointer()
    this.#stage.caption('Claude Code at work, in a real terminal')
    await this.#stage.hold(500)
    await this.#stage.type(page, PROMPT)
    await this.#stage.hold(200)
    await screen.press('Enter')
    await screen.shows(/how a berth is found[^]*berths\.mjs/)
    await this.#stage.hold(400)
    await this.#inAgent(`touch ${GATES.edit}`)
    await screen.shows(CHANGED)
    await this.#stage.hold(1_000)
  }

  async join(): Promise<void> {
    const { page } = this.#mine
    this.#stage.caption('A colleague watches by a link')
    await this.#stage.press(this.#mine, page.getByTestId('terminal-share'))
    const dialog = page.getByTestId('share-dialog')
    await dialog.getByRole('radio', { name: 'View only' }).click()
    await dialog.getByRole('radio', { name: /^Anyone/ }).click()
    await this.#stage.hold(300)
    await this.#stage.press(this.#mine, dialog.getByTestId('link-create'))
    const { pathname, hash } = new URL(await dialog.getByTestId('link-url').innerText())
    await this.#stage.hold(450)
    await dialog.getByTestId('link-done').click()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    this.#stage.hidePointer()

    const theirPage = await openWindow(this.#production.browser, this.#tomas, { viewport: THEIRS }, pathname + hash)
    this.#theirs = { page: theirPage, ...OUTSIDE, ...THEIRS }
    await new Screen(theirPage).shows(CHANGED)
    const notice = page.getByRole('button', { name: 'Close' })
    await notice.waitFor()
    await this.#stage.hold(350)
    await notice.click()
    await notice.waitFor({ state: 'detached' })
    this.#stage.put(this.#theirs)
    await this.#stage.slide(this.#theirs, BESIDE)
    await this.#stage.hold(900)
  }

  async kill(): Promise<void> {
    const ended = once(this.#server.process, 'exit')
    this.#server.process.kill('SIGKILL')
    await ended
    await Promise.all(this.#screens.map((screen) => screen.is('reconnecting')))
    this.#stage.caption('The server is killed. Claude goes on working')
    await this.#stage.hold(1_400)
    await this.#inAgent(`touch ${GATES.test}`)
    await this.start(new URL(this.#server.baseUrl).port)
    await Promise.all(this.#screens.map((screen) => screen.is('connected')))
    await Promise.all(this.#screens.map((screen) => screen.shows(ANSWER)))
    // The server tells again who watches.
    const notice = this.#mine.page.getByRole('button', { name: 'Close' })
    if (await notice.isVisible()) await notice.click()
    await notice.waitFor({ state: 'detached' })
    this.#stage.caption('The server is back. Nothing is missing')
    await this.#stage.hold(1_500)
  }

  async giveTask(): Promise<void> {
    const { page } = this.#mine
    this.#stage.remove(this.#theirs)
    await this.#theirs.page.context().close()
    this.#stage.caption('Hand over a task, and let it ask about risks')
    await this.#stage.press(this.#mine, page.getByTestId('rail-tasks'))
    await this.#stage.press(this.#mine, page.getByTestId('no-tasks').getByRole('button', { name: 'New task' }))
    const prompt = page.getByTestId('task-prompt')
    await page.getByTestId('task-provider-claude-code').waitFor({ state: 'attached' })
    await page.getByTestId('task-folder').fill(FOLDER)
    await prompt.focus()
    this.#stage.hidePointer()
    await this.#stage.type(page, TASK)
    await this.#stage.press(this.#mine, page.getByTestId('task-policy-tiers').locator('..'))
    await this.#stage.press(this.#mine, page.getByTestId('task-start'))
    this.#stage.hidePointer()
    await page.getByTestId('run-dialogs').getByTestId('dialog-command').locator('.tok').first().waitFor()
    await this.#stage.hold(800)
  }

  async allow(): Promise<void> {
    const { page } = this.#mine
    const width = Math.round((PHONE_HEIGHT * PHONE.width) / PHONE.height)
    const screen = { viewport: PHONE, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }
    const phonePage = await openWindow(this.#production.browser, this.#noor, screen, '/')
    await phonePage.getByTestId('tray-toggle').tap()
    const card = phonePage.getByTestId('dialog-tray').getByTestId('dialog-card')
    const allow = card.getByTestId('dialog-allow')
    await card.locator('[data-testid="dialog-deny"]:enabled').waitFor()
    await card.getByTestId('dialog-command').locator('.tok').first().waitFor()

    const phone = { page: phonePage, ...BELOW, width, height: PHONE_HEIGHT, isPhone: true }
    this.#stage.caption('It asks before it runs the tests. Allow it on your phone')
    this.#stage.put(phone)
    await this.#stage.slide(phone, BEFORE)
    await this.#stage.hold(1_400)
    await this.#stage.press(phone, allow)
    await card.getByText('You allowed it once').waitFor()
    await page.locator('[data-testid="run-state"][data-state="completed"]').waitFor()
    await page.getByTestId('run-events').getByText(TESTED).waitFor()
    this.#stage.hidePointer()
    await this.#stage.hold(1_100)
    this.#stage.remove(phone)
    await phonePage.context().close()
    await page.getByTestId('run-dialogs').getByTestId('dialog-dismiss').click()
  }

  async review(): Promise<void> {
    const { page } = this.#mine
    this.#stage.caption('Review what it changed')
    await this.#stage.press(this.#mine, page.getByTestId('run-tab-changes'))
    const file = page.getByTestId('run-changes').locator('[data-file="berths.mjs"]')
    await file.locator('[data-line]', { hasText: 'status: 400' }).locator('.tok').first().waitFor()
    this.#stage.hidePointer()
    await this.#stage.hold(1_900)
  }
}

/** Plays all scenes on the stage. */
export const play = async (production: Production): Promise<void> => {
  const scenes = new Scenes(production)
  await scenes.start()
  try {
    await scenes.furnish()
    await scenes.create()
    await scenes.work()
    await scenes.join()
    await scenes.kill()
    await scenes.giveTask()
    await scenes.allow()
    await scenes.review()
  } finally {
    await scenes.stop()
  }
}
