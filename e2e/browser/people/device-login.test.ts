/** `slipway login` in a terminal, and the page on which its user allows it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { longIt } from '@slipway/testing/forms'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { MAIN, useCommand } from '../../support/command.ts'
import { answered, goTo, newContext, signInAt, useBrowser, visit } from '../../support/pages.ts'
import { startInPty } from '../../support/terminal/pty.ts'

useBrowser()
const slipway = useCommand()
let person: Client
beforeAll(async () => {
  person = await newUser(await signInAdmin())
})

const start = () => startInPty([process.execPath, MAIN, 'login', '--server', inject('baseUrl')], { HOME: slipway.home })
const pathOf = (link: string): string => new URL(link).pathname + new URL(link).hash
const shown = async (login: ReturnType<typeof start>) => {
  await login.prints(/Ctrl\+C stops/)
  return {
    link: /Or open (\S+)/.exec(login.printed())![1]!,
    code: /enter the code (\S+)/.exec(login.printed())![1]!,
  }
}

describe('slipway login', () => {
  it('is allowed by a link, with the permissions that its user leaves it', async () => {
    const login = start()
    const { link, code } = await shown(login)
    const page = await visit(person, pathOf(link))
    const decision = page.getByTestId('device-decision')
    await expect.poll(() => decision.getByRole('heading').textContent()).toContain(`as ${person.email}`)
    expect(await page.getByTestId('device-shown-code').textContent()).toBe(code)
    expect(page.url()).not.toContain(code)
    await page.getByTestId('scope-tasks:write').click()
    await page.getByTestId('device-allow').click()
    await page.getByTestId('device-allowed').waitFor()
    expect(await login.ended).toBe(0)
    expect(login.printed()).toContain(`as ${person.email}`)
    const { token } = JSON.parse(readFileSync(join(slipway.home, '.config/slipway/account.json'), 'utf8')) as {
      token: string
    }
    expect(login.printed()).not.toContain(token)
    expect(await slipway.run(['agents', '--json'])).toMatchObject({ code: 0 })
    const refused = await slipway.run(['run', 'atlas', 'hello'])
    expect(refused.code).toBe(4)
    expect(refused.stderr).toContain('tasks:write')
  })

  // The walk types a wrong code and denies (`device-wrong-code`, `device-denied`).
  longIt('is denied by a user who types its code', async () => {
    const login = start()
    const { code } = await shown(login)
    const page = await visit(person, '/device', { provoked: [answered(404)] })
    await page.getByTestId('device-code').fill('AAAAA-AAAAA')
    await page.keyboard.press('Enter')
    await page.getByTestId('device-page').getByText('This code is wrong').waitFor()
    await page.getByTestId('device-code').fill(` ${code.toLowerCase()} `)
    await page.keyboard.press('Enter')
    await page.getByTestId('device-deny').click()
    await page.getByTestId('device-denied').waitFor()
    expect(await login.ended).toBe(3)
    expect(login.printed()).toContain('You have denied it')
    await goTo(page, '/account')
    await page.getByTestId('sign-ins').waitFor()
  })

  // `arrival/sign-in.test.ts` leads to the page that was asked for.
  longIt('opens the page after a user has signed in', async () => {
    const login = start()
    const { link } = await shown(login)
    const page = await (await newContext()).newPage()
    await signInAt(page, person, pathOf(link))
    await page.getByTestId('device-decision').waitFor()
    login.type('\u0003')
    expect(await login.ended).toBe(130)
  })
})
