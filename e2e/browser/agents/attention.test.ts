/** An agent that waits for its user: a mark in the tab's title and in the rail, and a notification if turned on. */
import { readFileSync } from 'node:fs'
import type { Preferences } from '@slipway/protocol'
import { inLongForm, longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { hear, look } from '../../support/page/notifications.ts'
import { contextOf, goTo, reload, useBrowser, visit, withoutHttps } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

const PORT = 9322
/** Time between two answers to a question of Claude, in milliseconds, if it ignored the first. */
const ANSWER_MS = 500
/** The model's answers: it runs one command, then finishes. */
const STEPS = [
  { tool: 'Bash', input: { command: 'touch /tmp/asked-for', description: 'Make a file' } },
  { say: 'All done.' },
]
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Output of a program, and how the page shows it. */
const SIGNALS = [
  ['\\a', 'bell', 'rang the bell'],
  ['\\e]9;Come and see\\a', 'message', 'Come and see'],
  ['\\e]777;notify;Build;is broken\\a', 'message', 'Build: is broken'],
  ['\\e]99;;All is well\\e\\\\', 'message', 'All is well'],
  [`\\e]7501;state=blocked:kind=question:msg=${base64('which one?')}\\e\\\\`, 'waits', 'has a question: which one?'],
] as const

useBrowser()
const its = useAgent({ runtime: 'bash' })

beforeAll(async () => {
  for (const name of ['scripted-model.mjs', 'script.mjs'])
    await its.owner.upload(its.agent.name, name, readFileSync(new URL(`../../support/agent/${name}`, import.meta.url)))
  await its.owner.upload(its.agent.name, 'steps.json', JSON.stringify(STEPS))
})

const open = async (): Promise<Screen> => {
  const screen = new Screen(await visit(its.owner, its.path))
  await screen.shell()
  return screen
}
const title = (page: Page) => expect.poll(() => page.title())
const asks = (page: Page, kind: string) =>
  page.locator(`[data-testid="rail-agent-${its.agent.name}"] [data-asks="${kind}"]`)
const PREFERENCES = '/users/me/preferences'
const preferred = async () => (await its.owner.ok<Preferences>('GET', PREFERENCES)).terminal
const want = async (notify: boolean) =>
  its.owner.ok('PUT', PREFERENCES, { terminal: { ...(await preferred()), notify } })
const wanted = async () => (await preferred()).notify
let told = 0
/** Makes bash print something after Enter, so that the user can look away first. */
const prepare = async (screen: Screen, sequence: string): Promise<void> => {
  told += 1
  // The shell joins the words, so that the echoed line does not contain them.
  await screen.type(`echo wait"ing"-${told}; read -r; printf '${sequence}'; echo to"ld"-${told}\n`)
  await screen.shows(`waiting-${told}`)
}
const tell = async (screen: Screen): Promise<void> => {
  await screen.press('Enter')
  await screen.shows(new RegExp(`^told-${told}\\n.*\\$ ?$`, 'm'))
}

describe('an agent that no user looks at', () => {
  it('is marked when its program rings, sends a message, or waits, until its user looks', async () => {
    const screen = await open()
    const { page } = screen
    // In the short form a bell and a message. The test of Claude Code has what waits.
    for (const [sequence, kind, text] of [...SIGNALS.slice(0, 2), ...inLongForm(SIGNALS.slice(2))]) {
      await prepare(screen, sequence)
      await look(page, false)
      await tell(screen)
      await title(page).toBe(`◆ ${its.agent.name} ${text} · Slipway`)
      await asks(page, kind).waitFor()
      await look(page, true)
      await title(page).toMatch(/^● /)
      await asks(page, kind).waitFor({ state: 'detached' })
      // After the user has looked, only a question leaves a mark.
      await look(page, false)
      if (kind !== 'waits') await title(page).toMatch(/^● /)
      else await title(page).toMatch(/^◆ /)
      await look(page, true)
    }
    // A question stays open until the program continues.
    await screen.run(`printf '\\e]7501;state=working\\a'`)
    await look(page, false)
    await title(page).toMatch(/^● /)
  })

  // The next test goes to another page, and its notification leads back.
  longIt('is marked while its user is on another page of Slipway, and not for what they saw', async () => {
    const screen = await open()
    const { page } = screen
    await screen.run(`printf '\\a\\e]9;seen\\a'`)
    await title(page).toMatch(/^● /)
    await screen.type(`until [ -e go ]; do sleep 0.1; done; printf '\\e]9;Over here\\a'\n`)
    await page.getByTestId('tab-overview').click()
    await page.getByTestId('overview').waitFor()
    await its.owner.upload(its.agent.name, 'go', '')
    await title(page).toBe(`◆ ${its.agent.name} Over here · Slipway`)
    await page.getByTestId('tab-terminal').click()
    await title(page).toMatch(/^● /)
  })

  // `tasks/dialogs/notices.test.ts` notifies a user who looks elsewhere, and
  // `frontend/src/lib/browser/notifications.test.ts` who gets them.
  longIt('notifies a user who allowed notifications, once, and leads back from the notification', async () => {
    const page = await visit(its.owner, its.path)
    await page.context().grantPermissions(['notifications'], { origin: inject('baseUrl') })
    const shown = await hear(page)
    const screen = new Screen(page)
    await screen.is('connected')
    await screen.prompt()
    await screen.hasKeys()
    await prepare(screen, '\\e]9;not yet wanted\\a')
    await look(page, false)
    await tell(screen)
    await title(page).toMatch(/^◆ /)
    expect(await shown()).toEqual([])
    await look(page, true)

    await page.getByTestId('terminal-open-settings').click()
    await page.getByTestId('notify').click()
    await page.locator('[data-testid="notify"][aria-checked="true"]').waitFor()
    await page.keyboard.press('Escape')
    await screen.element.click()
    await screen.hasKeys()
    await prepare(screen, '\\e]9;first\\a')
    await look(page, false)
    await tell(screen)
    await expect.poll(shown).toEqual([`${its.agent.name}: first`])
    for (const text of ['first', 'second']) {
      await prepare(screen, `\\e]9;${text}\\a`)
      await tell(screen)
    }
    await expect.poll(shown).toEqual([`${its.agent.name}: first`, `${its.agent.name}: second`])
    await page.getByTestId('tab-overview').click()
    await page.evaluate(() => {
      ;(window as unknown as { shown: Notification[] }).shown.at(-1)!.dispatchEvent(new Event('click'))
    })
    await page.waitForURL((url) => url.pathname === its.path)
  })

  // The test before notifies once.
  longIt(
    'is marked again by a page that is opened anew while it waits, which sends the user no second notification',
    async () => {
      const { terminal } = await its.owner.ok<Preferences>('GET', '/users/me/preferences')
      await its.owner.ok('PUT', '/users/me/preferences', { terminal: { ...terminal, notify: true } })
      await its.owner.ok('PATCH', its.path, { keepSeconds: 300 })
      const screen = await open()
      const { page } = screen
      await page.context().grantPermissions(['notifications'], { origin: inject('baseUrl') })
      const shown = await hear(page)
      const ask = (what: string) => `\\e]7501;state=blocked:kind=question:msg=${base64(what)}\\e\\\\`
      const marked = (what: string) => title(page).toBe(`◆ ${its.agent.name} has a question: ${what} · Slipway`)
      await prepare(screen, ask('which one?'))
      await look(page, false)
      await tell(screen)
      await marked('which one?')
      await expect.poll(shown).toEqual([`${its.agent.name}: has a question: which one?`])

      await reload(page)
      await screen.shell()
      await look(page, false)
      await marked('which one?')
      await asks(page, 'waits').waitFor()
      expect(await shown()).toEqual([])

      await look(page, true)
      await prepare(screen, ask('and now?'))
      await look(page, false)
      await tell(screen)
      await marked('and now?')
      // The next question sends one notification, of its own.
      await expect.poll(shown).toEqual([`${its.agent.name}: has a question: and now?`])
      await screen.run(`printf '\\e]7501;state=working\\a'`)
      await reload(page)
      await screen.shell()
      await title(page).toMatch(/^● /)
      await its.owner.ok('PATCH', its.path, { keepSeconds: 0 })
    },
  )

  // The tests of the switch have what a browser does not allow.
  longIt('sends no notification without the browser’s permission, says so, and is marked all the same', async () => {
    await want(false)
    const screen = await open()
    const { page } = screen
    await page.getByTestId('terminal-open-settings').click()
    const [toggle, why] = [page.getByTestId('notify'), page.getByText('Your browser blocks notifications.')]
    await toggle.waitFor()
    expect(await why.count()).toBe(0)
    // From now on, permissions that are not granted are denied.
    await page.context().grantPermissions([], { origin: inject('baseUrl') })
    expect(await page.evaluate(() => Notification.permission)).toBe('denied')
    await toggle.click()
    await why.waitFor()
    expect(await toggle.getAttribute('aria-checked')).toBe('false')

    // Another device, where notifications are allowed, turns them on.
    await want(true)
    await reload(page)
    await screen.shell()
    const shown = await hear(page)
    await prepare(screen, '\\e]9;wanted elsewhere\\a')
    await look(page, false)
    await tell(screen)
    await title(page).toBe(`◆ ${its.agent.name} wanted elsewhere · Slipway`)
    await look(page, true)
    await page.getByTestId('terminal-open-settings').click()
    await why.waitFor()
    expect(await toggle.getAttribute('aria-checked')).toBe('false')
    expect(await shown()).toEqual([])
    // A click here does not turn them off on other devices.
    await toggle.click()
    await page.getByTestId('copy-on-select').click()
    await expect.poll(preferred).toMatchObject({ copyOnSelect: true, notify: true })
  })
})

describe('the switch for notifications', () => {
  const settings = async ({ https = true } = {}) => {
    const context = await contextOf(its.owner)
    if (!https) await withoutHttps(context)
    const page = await context.newPage()
    await goTo(page, '/account')
    await page.getByTestId('notify').waitFor()
    return {
      page,
      allow: page.getByTestId('notify-allow'),
      why: () => page.getByTestId('notify-why').textContent(),
      isOn: () => page.getByTestId('notify').getAttribute('aria-checked'),
    }
  }

  // The next tests have the switch where it is off, and `frontend/src/lib/browser/notifications.test.ts` the
  // permission.
  longIt('is off on another device that was not asked yet, and follows the browser’s permission', async () => {
    await want(true)
    const { page, allow, why, isOn } = await settings()
    await expect.poll(why).toBe('Not allowed on this device yet.')
    expect(await isOn()).toBe('false')
    // No user sees the browser's prompt, which grants the permission at once.
    await allow.click()
    await expect.poll(why).toMatch(/^Your browser blocks notifications/)
    expect(await allow.count()).toBe(0)
    expect(await isOn()).toBe('false')
    await page.context().grantPermissions(['notifications'], { origin: inject('baseUrl') })
    await expect.poll(isOn).toBe('true')
    expect(await why()).toBe('')
    expect(await wanted()).toBe(true)
  })

  it('says nothing of permission to a user who does not want notifications', async () => {
    await want(false)
    const { allow, why, isOn } = await settings()
    expect([await isOn(), await why(), await allow.count()]).toEqual(['false', '', 0])
  })

  it('cannot be turned on where the page came without https, and says that this is why', async () => {
    await want(true)
    const { page, why, isOn } = await settings({ https: false })
    expect(await why()).toBe('Notifications need HTTPS. Open this page over HTTPS.')
    expect(await isOn()).toBe('false')
    expect(await page.getByTestId('notify').isDisabled()).toBe(true)
  })
})

describe('Claude Code', () => {
  it('is seen to ask for permission, to go on, and to have finished', async () => {
    const screen = await open()
    const { page } = screen
    await screen.run(
      `node scripted-model.mjs ${PORT} steps.json & until curl -s 127.0.0.1:${PORT} >/dev/null; do :; done`,
    )
    const environment = `ANTHROPIC_BASE_URL=http://127.0.0.1:${PORT} ANTHROPIC_AUTH_TOKEN=none`
    await screen.type(`${environment} claude --permission-mode default\n`)
    await screen.shows(/Claude Code v/)
    await screen.type('make the file')
    // The sign is followed by a no-break space.
    await screen.shows(/❯\smake the file/)
    await look(page, false)
    await screen.press('Enter')
    await title(page).toMatch(/^◆ \S+ asks for permission: .*touch \/tmp\/asked-for/)
    await asks(page, 'waits').waitFor()
    await screen.shows('Do you want to proceed?')
    // Claude ignores keys right after it asks, because they may have been meant for something else.
    const answered = async (): Promise<string> => {
      if ((await screen.text()).includes('Do you want to proceed?')) await screen.press('Enter')
      return page.title()
    }
    await expect.poll(answered, { interval: ANSWER_MS }).toBe(`◆ ${its.agent.name} has finished · Slipway`)
    await screen.shows('All done.')
    await look(page, true)
    await title(page).toMatch(/^● /)
  })
})
