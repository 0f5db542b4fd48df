/** A page of the real front end in Chromium. The user is signed in, and the page shows an agent's terminal. */
import { type Browser, chromium, type Page } from 'playwright'
import type { Cleanup } from './cleanup.ts'
import type { World } from './world.ts'

/** The end-to-end tests' arguments, without a graphics card. */
const ARGS = [
  '--no-sandbox',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-background-networking',
]
const TERMINAL = '[data-testid="terminal-panel"] [data-testid="terminal"]'

export const startBrowser = async (cleanup: Cleanup): Promise<Browser> => {
  const executablePath = process.env.PLAYWRIGHT_CHROMIUM ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ARGS, handleSIGINT: false, handleSIGTERM: false })
  cleanup.add(() => browser.close())
  return browser
}

/** Resolves when keys reach the agent's program. */
export const openTerminalPage = async (browser: Browser, world: World, agent: string): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, baseURL: world.backend.url })
  await page.goto(`/agents/${agent}`)
  await page.getByLabel('E-mail').fill(world.admin.email)
  await page.getByLabel('Password', { exact: true }).fill(world.admin.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator(`${TERMINAL}[data-state="connected"]`).waitFor()
  await page.locator(`${TERMINAL} textarea:focus`).waitFor({ state: 'attached' })
  return page
}
