/** Sign-in and sign-out, by mouse and by keyboard alone. */
import { isLongForm, longIt } from '@slipway/testing/forms'
import { describe, expect, inject, it } from 'vitest'
import { passwordOf } from '../../support/api.ts'
import { answered, goTo, newContext, reload, signInAt, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
/** For tests in which it does not matter what runs in the terminal. Bash starts with a fraction of the CPU time. */
const shells = useAgent({ runtime: 'bash', memoryMb: 512 })
/** An agent with a CLI, which only the long form needs. */
const its = isLongForm ? useAgent() : shells

describe('signing in', () => {
  it('refuses a wrong password in words, then leads to the page that was asked for', async () => {
    const page = await (await newContext({ provoked: [answered(401)] })).newPage()
    await goTo(page, `${its.path}/overview`)
    const password = page.getByLabel('Password', { exact: true })
    await page.getByLabel('E-mail').fill(its.owner.email)
    await password.fill('not this one at all')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('E-mail').inputValue()).toBe(its.owner.email)
    await password.fill(passwordOf(its.owner))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`**${its.path}/overview`)
    await page.getByTestId('overview').waitFor()
  })

  it('lasts over a reload, and ends for every tab with a sign-out', async () => {
    const page = await visit(shells.owner, shells.path, { provoked: [answered(401)] })
    const screen = new Screen(page)
    await screen.is('connected')
    await reload(page)
    await screen.is('connected')
    const other = await page.context().newPage()
    await goTo(other, '/account')
    await other.getByTestId('user-menu').click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await other.getByTestId('login-form').waitFor()
    await screen.error.getByText('Your sign-in has ended.').waitFor()
    await screen.is('disconnected')
  })

  // `pages/keyboard.test.ts` goes the same way.
  longIt('needs no mouse, down to a command in bash', async () => {
    const page = await (await newContext()).newPage()
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await goTo(page, '/')
    await page.locator('[data-testid="login-form"] input:focus').waitFor()
    await page.keyboard.type(its.owner.email)
    await press('Tab')
    await page.keyboard.type(passwordOf(its.owner))
    await press('Enter')
    await page.getByTestId(`agent-row-${its.agent.name}`).waitFor()
    await press('Control+k')
    await page.getByTestId('palette').waitFor()
    await page.keyboard.type(its.agent.name)
    await page.getByRole('option', { name: its.agent.name }).first().waitFor()
    await press('Enter')
    const screen = new Screen(page)
    await screen.is('connected')
    await screen.hasKeys()
    await press('Control+Shift+K')
    await page.getByTestId('palette').waitFor()
    await page.keyboard.type('terminal in bash')
    await page.getByRole('option', { name: 'Terminal in Bash' }).and(page.locator('[data-highlighted]')).waitFor()
    await press('Enter')
    await page.locator('[data-testid="confirm-action"]:focus').waitFor()
    await press('Enter')
    await screen.prompt()
    await screen.hasKeys()
    expect(await screen.run('echo by keys $((40+2))')).toBe('by keys 42')
    // Opening and closing the palette returns the focus.
    await press('Control+Shift+K')
    await page.getByTestId('palette').waitFor()
    await press('Escape')
    await screen.hasKeys()
  })

  // Without a page: `backend/test/identity/first-start.test.ts`, “says of an origin whether its pages may sign in”.
  longIt(
    'works at a host name of its own, down to a terminal, and says at a name that the server does not know what to set',
    async () => {
      const { port } = new URL(inject('baseUrl'))
      const own = `http://slipway.localhost:${port}`
      const page = await (await newContext({ baseURL: own })).newPage()
      await signInAt(page, shells.owner, shells.path)
      const screen = new Screen(page)
      await screen.is('connected')
      await reload(page)
      await screen.is('connected')
      const foreign = `http://other.localhost:${port}`
      const elsewhere = await (await newContext({ baseURL: foreign, provoked: [answered(403)] })).newPage()
      for (const path of ['/login', '/setup', '/invitation']) {
        await goTo(elsewhere, path)
        const notice = elsewhere.getByTestId('foreign-origin')
        await notice.getByText(`Set SLIPWAY_PUBLIC_URL to ${foreign}`).waitFor()
      }
      await goTo(elsewhere, '/login')
      await elsewhere.getByLabel('E-mail').fill(its.owner.email)
      await elsewhere.getByLabel('Password', { exact: true }).fill(passwordOf(its.owner))
      await elsewhere.getByRole('button', { name: 'Sign in' }).click()
      await elsewhere.getByText('not one of the server').waitFor()
    },
  )
})
