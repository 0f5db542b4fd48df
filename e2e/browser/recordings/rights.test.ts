/** Who sees and plays a recording: the agent's owner, the user of the terminal, and users it is shared with. */
// In the short form `backend/test/rights/walk.test.ts` has who may play, share and delete a recording.
import '@slipway/testing/long'
import type { Recording } from '@slipway/protocol'
import { disconnectAll, TerminalClient, until } from '@slipway/testing'
import type { Page } from 'playwright'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { answered, goTo, useBrowser, visit } from '../../support/pages.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash', record: true })
let colleague: Client
let stranger: Client

beforeAll(async () => {
  const admin = await signInAdmin()
  ;[colleague, stranger] = await Promise.all([newUser(admin), newUser(admin)])
  await its.owner.ok('POST', `/agents/${its.agent.name}/shares`, { email: colleague.email })
})
afterEach(disconnectAll)

/** Records a terminal of the client that shows `word`, and returns the recording's id. */
const recordedOf = async ({ baseUrl, token }: Client, word: string): Promise<string> => {
  const terminal = await TerminalClient.open(
    { baseUrl, path: `${its.path}/terminal?mode=bash` },
    { type: 'auth', token, v: 2 },
  )
  await terminal.run(`echo ${word}`)
  await terminal.disconnect()
  const { sessionId: id } = terminal
  await until('its end', async () => (await its.owner.ok<Recording>('GET', `/recordings/${id}`)).state === 'complete')
  return id
}
const rows = (page: Page) => page.getByTestId('recordings').getByRole('listitem')
/** Plays the recording from the list, to its end. */
const plays = async (page: Page, id: string, word: string): Promise<void> => {
  await page.getByTestId(`recording-${id}`).click()
  await page.getByTestId('cast-marks').getByText('Disconnected.').click()
  await page.getByTestId('cast-player').locator('.ap-term-text').filter({ hasText: word }).waitFor()
}

describe('recordings of an agent that is shared', () => {
  it('are played by a colleague where they are their own or shared, and are not there for other users', async () => {
    const [theirs, mine] = [await recordedOf(colleague, 'of-theirs'), await recordedOf(its.owner, 'of-mine')]
    const list = `${its.path}/recordings`
    const page = await visit(colleague, list, { provoked: [answered(404)] })
    const others = await visit(stranger, list, { provoked: [answered(404)] })
    const isMissing = async (from: Page, path: string): Promise<void> => {
      await goTo(from, path)
      await from.getByTestId('not-found').waitFor()
      expect(await from.getByTestId('cast-player').count()).toBe(0)
    }
    await page.getByTestId(`recording-${theirs}`).waitFor()
    expect(await rows(page).count()).toBe(1)
    await plays(page, theirs, 'of-theirs')
    await isMissing(page, `/recordings/${mine}`)
    await isMissing(others, `/recordings/${mine}`)

    const owners = await visit(its.owner, list)
    await plays(owners, mine, 'of-mine')
    await owners.getByTestId('recording-share').click()
    await owners.getByTestId('recording-share').getByText('Shared').waitFor()

    await goTo(page, list)
    await page.getByTestId(`recording-${mine}`).getByText('Shared').waitFor()
    expect(await rows(page).count()).toBe(2)
    await plays(page, mine, 'of-mine')
    // The share allows viewing only.
    await page.getByTestId('recording-download').waitFor()
    for (const button of ['recording-share', 'recording-delete'])
      expect(await page.getByTestId(button).count(), button).toBe(0)
    for (const path of [list, `/recordings/${mine}`, `/recordings/${theirs}`]) await isMissing(others, path)

    await owners.getByTestId('recording-share').click()
    await owners.getByTestId('recording-share').getByText('Share', { exact: true }).waitFor()
    await isMissing(page, `/recordings/${mine}`)
  })
})
