/** Guests in a live terminal type once they have control. */
import { longIt } from '@slipway/testing/forms'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { goTo, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { looksLike, ownTerminal, PHONE, share, takeControl, WITH_ACCESS } from '../../support/terminal/watching.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash' })
let colleague: Client

beforeAll(async () => {
  colleague = await newUser(await signInAdmin())
  await its.owner.ok('POST', `${its.path}/shares`, { email: colleague.email })
})

describe('a shared terminal', () => {
  it('is the same to a colleague in another window, who asks for control, types, and loses it again', async () => {
    const mine = await ownTerminal(its)
    const link = await share(mine.page, 'With control', WITH_ACCESS)
    const theirs = new Screen(await visit(colleague, link, { viewport: { width: 900, height: 500 } }))
    await theirs.is('connected')
    await mine.page.getByTestId('terminal-people').getByText('2').waitFor()
    await theirs.page.getByTestId('watch-holder').getByText(its.owner.email).waitFor()
    await looksLike(theirs, mine)

    await theirs.hasKeys()
    await theirs.type('lost')
    await theirs.page.getByText(`${its.owner.email} has control`).first().waitFor()
    await mine.type('echo "only mine"\n')
    await mine.shows(/\nonly mine\n/)
    expect(await mine.text()).not.toContain('lost')

    await theirs.page.getByTestId('control-ask').click()
    const asked = mine.page.getByTestId('control-asked')
    await asked.getByText(`${colleague.email} asks for control.`).waitFor()
    await asked.getByTestId('control-hand-over').click()
    await theirs.page.getByTestId('control-give-back').waitFor()
    await mine.page.getByTestId('control-away').getByText(`${colleague.email} has control.`).waitFor()
    await theirs.element.click()
    const small = await theirs.agreesOnSize()
    await expect.poll(() => mine.size()).toEqual(small)
    await looksLike(mine, theirs)

    await mine.element.click()
    await mine.type('lost')
    await mine.page.getByText('Your input is not sent.').first().waitFor()
    await mine.page.getByTestId('control-take-back').click()
    await mine.page.getByTestId('control-away').waitFor({ state: 'detached' })
    await mine.element.click()
    const large = await mine.agreesOnSize()
    expect(large.cols).toBeGreaterThan(small.cols)
    expect(await mine.text()).not.toContain('lost')
    await expect.poll(() => theirs.size()).toEqual(large)
    await looksLike(theirs, mine)
    expect(await theirs.element.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  })

  // `frontend/src/terminal/programs/attention.test.ts` answers, and the test before hands over control.
  longIt('answers a program that asks for the status protocol, from the client in control', async () => {
    const mine = await ownTerminal(its)
    const link = await share(mine.page, 'With control', WITH_ACCESS)
    const theirs = new Screen(await visit(colleague, link))
    await takeControl(theirs, mine)
    const asks = String.raw`stty -echo -icanon min 0 time 30; printf '\e]7501;?\e\\'; head -c 10 | cat -v; stty sane`
    expect(await theirs.run(asks)).toBe('^[]7501;?^[\\')
  })

  // `frontend/src/terminal/programs/clipboardWrite.test.ts`, “is for the user in control at that time”.
  longIt('offers what its program copies to the user in control, and to no other user', async () => {
    const mine = await ownTerminal(its)
    const link = await share(mine.page, 'With control', WITH_ACCESS)
    const theirs = new Screen(await visit(colleague, link))
    await takeControl(theirs, mine)
    const copies = async (by: Screen, text: string): Promise<void> => {
      await by.run(`printf '\\e]52;c;%s\\a' ${Buffer.from(text).toString('base64')}; echo "${text} "copied`)
      for (const screen of [mine, theirs]) await screen.shows(`${text} copied`)
    }
    const offered = ({ page }: Screen, text: string) => page.getByText(text, { exact: true })
    await copies(theirs, 'theirs')
    await theirs.page.getByText(`${its.agent.name} wants to copy to your clipboard`).first().waitFor()
    await offered(theirs, 'theirs').first().waitFor()
    expect(await mine.page.getByText('to your clipboard').count()).toBe(0)

    await mine.page.getByTestId('control-take-back').click()
    await mine.page.getByTestId('control-away').waitFor({ state: 'detached' })
    await mine.element.click()
    await mine.hasKeys()
    await copies(mine, 'mine')
    await offered(mine, 'mine').first().waitFor()
    expect(await offered(theirs, 'mine').count()).toBe(0)
  })

  // `useCompany.test.ts` has a guest who asks, who is declined, and who finds no user there.
  longIt(
    'answers "not now" to a guest who asks for control, who may ask again, and says when no user is there to answer',
    async () => {
      const mine = await ownTerminal(its)
      const link = await share(mine.page, 'With control', WITH_ACCESS)
      const theirs = new Screen(await visit(colleague, link, PHONE))
      const asks = theirs.page.getByTestId('control-ask')
      const asked = mine.page.getByTestId('control-asked')
      await asks.tap()
      await theirs.page.getByTestId('control-withdraw').waitFor()
      await asked.getByTestId('control-not-now').click()
      await asked.waitFor({ state: 'detached' })
      await theirs.page.getByText(`${its.owner.email} said: not now.`).first().waitFor()
      await asks.tap()
      await asked.getByTestId('control-not-now').click()
      await asks.waitFor()

      const waits = (keepSeconds: number) => its.owner.ok('PATCH', its.path, { keepSeconds })
      await waits(60)
      await goTo(mine.page, '/account')
      const away = `${its.owner.email} is away. You cannot type until they reconnect.`
      await theirs.page.getByTestId('control-away').getByText(away).waitFor()
      await asks.waitFor({ state: 'detached' })
      expect(await graveOn(theirs.page)).toEqual([])
      expect(await theirs.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      await goTo(mine.page, its.path)
      await asks.tap()
      await waits(0)
      await asked.getByTestId('control-hand-over').click()
      await theirs.page.getByTestId('control-give-back').waitFor()
    },
  )
})
