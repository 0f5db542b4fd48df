/** Watching a terminal by one's access to its agent, from the list of people in it. */
// In the short form `watching-control.test.ts` asks for control, and `backend/test/sharing/by-access.test.ts` watches
// without a link.
import '@slipway/testing/long'
import { beforeAll, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { graveOn } from '../../support/page/axe.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { looksLike, ownTerminal } from '../../support/terminal/watching.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash' })
let colleague: Client

beforeAll(async () => {
  colleague = await newUser(await signInAdmin())
  await its.owner.ok('POST', `${its.path}/shares`, { email: colleague.email })
})

it('opens beside the page, asks to type at once, and types when the terminal’s user allows it', async () => {
  const mine = await ownTerminal(its)
  const page = await visit(colleague, `${its.path}/overview`)
  await page.getByTestId('people-here').click()
  const row = page.getByTestId(`live-${its.owner.email}`)
  await row.getByTestId('live-watch').waitFor()
  expect(await row.getByTestId('live-share').count()).toBe(0)
  expect(await graveOn(page)).toEqual([])
  const opening = page.context().waitForEvent('page')
  await row.getByTestId('live-ask').click()
  const theirs = new Screen(await opening)
  await theirs.is('connected')
  await theirs.page.getByTestId('control-withdraw').waitFor()
  await looksLike(theirs, mine)
  await mine.page.getByTestId('control-asked').getByText(`${colleague.email} asks for control.`).waitFor()
  await mine.page.getByTestId('control-hand-over').click()
  await theirs.page.getByTestId('control-give-back').waitFor()
  await theirs.element.click()
  await theirs.hasKeys()
  await theirs.type('echo theirs $((40+2))\n')
  await mine.shows('theirs 42')
})
