/** A large recording on a slow or failing network: the page shows the progress, and stays usable. */
// In the short form the walk reads a recording, stops that, and cannot read what is new (`recording-reading`,
// `recording-stopped`, `recording-reload-failed`).
import '@slipway/testing/long'
import type { Recording } from '@slipway/protocol'
import { disconnectAll, type TerminalClient, until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterEach, describe, expect, it } from 'vitest'
import { graveOn } from '../../support/page/axe.ts'
import { holdAnswer } from '../../support/network/held-answer.ts'
import { intercept } from '../../support/network/intercept.ts'
import { PATIENCE_MS, useBrowser, visit } from '../../support/pages.ts'
import { thumbHeight } from '../../support/page/thumb.ts'
import { openBash } from '../../support/terminal/open-bash.ts'
import { useAgent } from '../../support/use-agent.ts'

const MIB = 1024 * 1024
/** How much of a response arrives before the network stalls, in bytes. */
const HELD_BYTES = 1.5 * MIB
/** Smallest touch target, in CSS pixels. It allows for rounding at both ends. */
const THUMB = 44 - 2
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const CAST = '*/cast'

useBrowser()
const its = useAgent({ runtime: 'bash', record: true, keepSeconds: 300 })
afterEach(disconnectAll)

const connect = (): Promise<TerminalClient> => openBash(its.owner, its.agent.name)

/** Records a few MiB and returns the recording's id. */
const record = async (): Promise<string> => {
  const terminal = await connect()
  terminal.type(`head -c ${3 * MIB} /dev/zero | tr '\\0' x | fold -w 79; exit\r`)
  const isWhole = async (): Promise<boolean> => {
    const { state, bytes } = await its.owner.ok<Recording>('GET', `/recordings/${terminal.sessionId}`)
    return state === 'complete' && bytes > 3 * MIB
  }
  await until('all of it in the recording', isWhole, PATIENCE_MS)
  return terminal.sessionId
}

let whole: Promise<string> | undefined
/** The id of one recording of a few MiB, for all tests. */
const recorded = (): Promise<string> => (whole ??= record())

/** Opens a recording from the agent's list, which is already open. */
const choose = (page: Page, id: string): Promise<void> => page.getByTestId(`recording-${id}`).click()
const isRead = (page: Page): Promise<void> => page.getByTestId('cast-marks').getByText('Bash was started').waitFor()

describe('a large recording', () => {
  it('says how far it is, can be stopped, and read again', async () => {
    const id = await recorded()
    const page = await visit(its.owner, `${its.path}/recordings`)
    const answer = await holdAnswer(page, CAST, HELD_BYTES)
    await choose(page, id)
    await answer.held
    const reading = page.getByTestId('reading')
    await reading.getByText(/^1\.5 MiB of 3(\.\d)? MiB loaded, \d+ s$/).waitFor()
    const share = await reading.getByRole('progressbar').evaluate((bar) => (bar as HTMLProgressElement).value)
    expect(share).toBeGreaterThan(0.4)
    expect(share).toBeLessThan(0.5)
    await page.getByTestId('reading-stop').click()
    await page.getByTestId('reading-stopped').waitFor()
    await answer.givenUp
    await page.getByRole('button', { name: 'Load recording' }).click()
    await isRead(page)
    await reading.waitFor({ state: 'detached' })
  })

  // `frontend/src/api/transport/reading.test.ts`, “is cancelled by a reader that stops”, as the test before does.
  longIt('is not read on where another page is chosen meanwhile', async () => {
    const id = await recorded()
    const page = await visit(its.owner, `${its.path}/recordings`)
    const answer = await holdAnswer(page, CAST, HELD_BYTES)
    await choose(page, id)
    await answer.held
    await page.goBack()
    await answer.givenUp
    await choose(page, id)
    await isRead(page)
  })

  it('goes on by itself when the network does, with room for a thumb on a phone, and nothing grave for axe', async () => {
    const id = await recorded()
    const page = await visit(its.owner, `${its.path}/recordings`, PHONE)
    const answer = await holdAnswer(page, CAST, HELD_BYTES)
    await choose(page, id)
    const stop = page.getByTestId('reading-stop')
    await stop.waitFor()
    expect(await thumbHeight(stop)).toBeGreaterThanOrEqual(THUMB)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(await graveOn(page)).toEqual([])
    answer.release()
    await isRead(page)
  })
})

describe('a recording whose session goes on', () => {
  it('says beside the button why what is new could not be read, and reads it when it can', async () => {
    const terminal = await connect()
    await terminal.run('echo be""fore')
    const page = await visit(its.owner, `/recordings/${terminal.sessionId}`, { provoked: [/ERR_CONNECTION_RESET/] })
    await isRead(page)
    const found = async (word: string): Promise<void> => {
      await page.getByTestId('cast-search').fill(word)
      await page.getByText('1 match', { exact: true }).waitFor()
    }
    await found('before')
    await terminal.run('echo af""ter')
    const lost = await intercept(page, CAST, (request) => request.abort('ConnectionReset'))
    await page.getByRole('button', { name: 'Load new output' }).click()
    const notice = page.getByRole('alert').filter({ hasText: 'Slipway does not answer' })
    await notice.waitFor()
    // The part that was read stays.
    await found('before')
    await lost.stop()
    await notice.getByRole('button', { name: 'Try again' }).click()
    await notice.waitFor({ state: 'detached' })
    await found('after')
    expect(page.url()).toContain(terminal.sessionId)
  })
})
