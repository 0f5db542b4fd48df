/** An agent's variables on its settings page: added, edited and removed by keyboard; a secret one is never shown again. */
// In the short form the database tests have variables, and accessible.test.ts the form.
import '@slipway/testing/long'
import type { AgentVariable, ExecResult } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import type { Locator, Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { answered, goTo, reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

const LINES = ['canary-of-the-page', 'second line']
/** Most controls between two that a test goes to by Tab. */
const TABS_MAX = 12

useBrowser()
const owned = useAgent({ runtime: 'bash', memoryMb: 512 })
const variables = async (): Promise<AgentVariable[]> =>
  (await owned.owner.ok<{ items: AgentVariable[] }>('GET', `${owned.path}/variables`)).items

const hasKeys = (control: Locator): Promise<boolean> =>
  control.evaluate((element) => element === document.activeElement)
const getsKeys = (control: Locator): Promise<void> => expect.poll(() => hasKeys(control)).toBe(true)
const tabTo = async (page: Page, control: Locator): Promise<void> => {
  for (let tabs = 0; tabs < TABS_MAX && !(await hasKeys(control)); tabs++) await page.keyboard.press('Tab')
  expect(await hasKeys(control), String(control)).toBe(true)
}
const press = async (page: Page, control: Locator, key = 'Enter'): Promise<void> => {
  await tabTo(page, control)
  await page.keyboard.press(key)
}

describe('variables on the settings page', () => {
  it('are added, edited and removed by keyboard, and a secret value is never shown again', async () => {
    const page = await visit(owned.owner, `${owned.path}/settings`)
    const heard: string[] = []
    page.on('response', (response) => {
      if (response.url().includes('/variables'))
        void response.text().then(
          (text) => heard.push(text),
          () => undefined,
        )
    })
    const section = page.getByTestId('variables')
    const [add, name, secret, value, save] = [
      'add-variable',
      'variable-name',
      'variable-secret',
      'variable-value',
      'variable-save',
    ].map((id) => section.getByTestId(id)) as [Locator, Locator, Locator, Locator, Locator]
    await section.getByTestId('variables-none').waitFor()

    await add.focus()
    await page.keyboard.press('Enter')
    await getsKeys(name)
    await page.keyboard.type('TZ')
    await tabTo(page, value)
    await page.keyboard.type('Europe/Berlin')
    await press(page, save)
    await section.getByTestId('variable-TZ').getByText('Europe/Berlin').waitFor()
    await getsKeys(add)

    await page.keyboard.press('Enter')
    await getsKeys(name)
    await page.keyboard.type('DEPLOY_KEY')
    await press(page, secret, 'Space')
    await tabTo(page, value)
    await page.keyboard.type(LINES[0]!)
    await page.keyboard.press('Enter')
    await page.keyboard.type(LINES[1]!)
    await press(page, save)
    const key = section.getByTestId('variable-DEPLOY_KEY')
    await key.getByText('Secret', { exact: true }).waitFor()
    await getsKeys(add)
    const isHeld = (): Promise<boolean> =>
      page.evaluate(
        (text) =>
          [
            document.documentElement.outerHTML,
            ...[...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value),
            JSON.stringify([localStorage, sessionStorage]),
          ].some((place) => place.includes(text)),
        LINES[0]!,
      )
    expect(await isHeld()).toBe(false)
    await reload(page)
    await key.getByText('Secret', { exact: true }).waitFor()
    expect(await isHeld()).toBe(false)
    expect(heard.length).toBeGreaterThan(2)
    expect(heard.join('\n')).not.toContain(LINES[0])
    // In the order of their names.
    expect(await section.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^DEPLOY_KEY\s+Secret/),
      expect.stringMatching(/^TZ\s+Europe\/Berlin/),
    ])

    const screen = new Screen(await page.context().newPage())
    await goTo(screen.page, owned.path)
    await screen.shell()
    expect(await screen.run(`printf '<%s>' "$TZ" "$DEPLOY_KEY"`)).toBe(`<Europe/Berlin><${LINES.join('\n')}>`)
    await screen.page.close()

    const zone = section.getByTestId('variable-TZ')
    const edit = zone.getByRole('button', { name: 'Edit TZ' })
    await edit.focus()
    await page.keyboard.press('Enter')
    await getsKeys(value)
    expect(await value.inputValue()).toBe('Europe/Berlin')
    expect(await save.isDisabled()).toBe(true)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('UTC')
    await press(page, save)
    await zone.getByText('UTC', { exact: true }).waitFor()
    await getsKeys(edit)

    const replace = key.getByRole('button', { name: 'Replace value of DEPLOY_KEY' })
    await replace.focus()
    await page.keyboard.press('Enter')
    await getsKeys(value)
    expect(await value.inputValue()).toBe('')
    await page.keyboard.type('another')
    await press(page, save)
    await value.waitFor({ state: 'detached' })
    await getsKeys(replace)
    const printed = async (): Promise<string> =>
      (
        await owned.owner.ok<ExecResult>('POST', `${owned.path}/exec`, {
          argv: ['sh', '-c', `printf '<%s>' "\${TZ-none}" "$DEPLOY_KEY"`],
        })
      ).stdout
    expect(await printed()).toBe('<UTC><another>')

    await press(page, zone.getByRole('button', { name: 'Remove TZ' }))
    await page.getByTestId('confirm-action').waitFor()
    await page.keyboard.press('Enter')
    await zone.waitFor({ state: 'detached' })
    await getsKeys(add)
    expect(await printed()).toBe('<none><another>')
    await key.getByRole('button', { name: 'Remove DEPLOY_KEY' }).click()
    await page.getByTestId('confirm-action').click()
    await section.getByTestId('variables-none').waitFor()
    expect(await variables()).toEqual([])
  })

  // `frontend/src/lib/agents/form/variables.test.ts` has each problem, and
  // `backend/src/modules/credentials/variables/variables.test.ts` what the server refuses.
  longIt('say next to the field what is wrong, also what only the server knows', async () => {
    const { owner, path } = owned
    const big = 'x'.repeat(16_384)
    await Promise.all(
      Array.from({ length: 15 }, (_, at) =>
        owner.ok('PUT', `${path}/variables/BIG_${at}`, { value: big, secret: true }),
      ),
    )
    const page = await visit(owner, `${path}/settings`, { provoked: [answered(409)] })
    const section = page.getByTestId('variables')
    const [name, value, save] = ['variable-name', 'variable-value', 'variable-save'].map((id) =>
      section.getByTestId(id),
    ) as [Locator, Locator, Locator]
    await section.getByTestId('add-variable').click()
    await save.click()
    await section.getByText('Enter a name.').waitFor()
    await getsKeys(name)
    const says = async (text: string, problem: string): Promise<void> => {
      await name.fill(text)
      await section.getByText(problem).waitFor()
      expect(await name.getAttribute('aria-invalid')).toBe('true')
    }
    await says('A-B', 'Use letters, digits and underscores, with no digit first.')
    await says('HOME', 'The platform sets HOME. Use another name.')
    await says('BIG_3', 'BIG_3 is already set.')
    await name.fill('LAST')
    await value.fill(`${big}x`)
    await section.getByText('Use at most 16,384 characters. This value has 16,385.').waitFor()
    await save.click()
    await getsKeys(value)
    await value.fill(big)
    await save.click()
    await section.getByText('An agent may have at most 40 variables with 256 KiB in total.').waitFor()
    expect(await value.getAttribute('aria-invalid')).toBe('true')
    expect(await graveOn(page)).toEqual([])
    await value.fill('short\n')
    await section.getByText('The value ends with a space or a line break, which is kept.').waitFor()
    await save.click()
    await section.getByTestId('variable-LAST').waitFor()

    await Promise.all(
      Array.from({ length: 24 }, (_, at) => owner.ok('PUT', `${path}/variables/V${at}`, { value: '', secret: false })),
    )
    await reload(page)
    await section.getByTestId('variables-full').waitFor()
    expect(await section.getByTestId('add-variable').count()).toBe(0)
    for (const one of await variables()) await owner.ok('DELETE', `${path}/variables/${one.name}`)
  })

  it('tell an admin, and then the owner, whose credentials they keep out; a sharee does not see them', async () => {
    const { owner, path } = owned
    const admin = await signInAdmin()
    await owner.ok('PUT', '/users/me/credentials/openai-api-key', { value: 'sk-of-the-owner' })
    const page = await visit(admin, `${path}/settings`)
    await page.getByTestId('add-variable').click()
    await page.getByTestId('variable-bars').getByText(owner.email).waitFor()
    await page.getByTestId('variable-name').fill('OPENAI_BASE_URL')
    await page.getByTestId('variable-value').fill('https://gateway.example.org')
    await page.getByTestId('variable-save').click()
    await page.getByTestId('variables-by-others').getByText('The owner’s own credentials').waitFor()

    const owners = await visit(owner, `${path}/settings`)
    const note = owners.getByTestId('variables-by-others')
    await note.getByText('OPENAI_BASE_URL').waitFor()
    const given = owners.getByTestId('in-force-codex')
    await given.getByText('none: sign in inside the terminal').waitFor()
    // A variable that its owner has saved, even without a change, is the owner's.
    await owners.getByRole('button', { name: 'Edit OPENAI_BASE_URL' }).click()
    await owners.getByTestId('variable-save').click()
    await note.waitFor({ state: 'detached' })
    await given.getByText('yours', { exact: true }).waitFor()

    const sharee = await newUser(admin)
    await owner.ok('POST', `${path}/shares`, { email: sharee.email })
    const theirs = await visit(sharee, `${path}/settings`, { provoked: [answered(403)] })
    await theirs.getByTestId('settings-form').waitFor()
    expect(await theirs.getByTestId('variables').count()).toBe(0)
  })
})
