/** The users in the picture, and their browser windows. */
import { type CreatedUser, DEFAULT_PREFERENCES } from '@slipway/protocol'
import type { Browser, BrowserContextOptions, Page } from 'playwright'
import { type Client, PASSWORD, passwordOf, signIn } from '../support/api.ts'
import { goTo, keepRefreshKey } from '../support/pages.ts'

/** Longest time that a page may take on two busy cores, in milliseconds. */
const PATIENCE_MS = 90_000
/** Font size in a terminal, in pixels. The README shows the picture at three quarters of its size. */
const LETTER_PX = 16

/** Creates an account and returns its client. */
export const newPerson = async (admin: Client, email: string): Promise<Client> => {
  await admin.ok<CreatedUser>('POST', '/users', { email, role: 'user', password: PASSWORD })
  const person = await signIn(email, PASSWORD, admin.baseUrl)
  const terminal = { ...DEFAULT_PREFERENCES.terminal, fontSize: LETTER_PX }
  await person.ok('PUT', '/users/me/preferences', { terminal })
  return person
}

/** Opens a window of a signed-in user at `path`, on a screen of this kind. */
export const openWindow = async (
  browser: Browser,
  person: Client,
  screen: BrowserContextOptions,
  path: string,
): Promise<Page> => {
  const kept = [{ name: 'slipway-theme', value: 'auto' }]
  const context = await browser.newContext({
    baseURL: person.baseUrl,
    ...screen,
    colorScheme: 'dark',
    reducedMotion: 'reduce',
    storageState: { cookies: [], origins: [{ origin: person.baseUrl, localStorage: kept }] },
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const data = { email: person.email, password: passwordOf(person) }
  const answer = await context.request.post('/api/auth/login', { data })
  if (!answer.ok()) throw new Error(`signing in: ${answer.status()}`)
  await keepRefreshKey(context, answer)
  const page = await context.newPage()
  await goTo(page, path)
  await page.getByRole('main').waitFor()
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
  return page
}
