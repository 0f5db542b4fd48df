/** Slow downloads: the page shows them, continues them on other pages, and can cancel them. */
import { buffer } from 'node:stream/consumers'
import { longIt } from '@slipway/testing/forms'
import type { Download, Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { graveOn } from '../../support/page/axe.ts'
import { holdAnswer } from '../../support/network/held-answer.ts'
import { runIn } from '../../support/agent/in-agent.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { thumbHeight } from '../../support/page/thumb.ts'
import { useAgent } from '../../support/use-agent.ts'

const MIB = 1024 * 1024
/** How much of a response arrives before the network stalls, in bytes. */
const HELD_BYTES = 1.5 * MIB
const FILES = String.raw`*/files\?path=*`
/** Smallest touch target, in CSS pixels. It allows for rounding at both ends. */
const THUMB = 44 - 2
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

useBrowser()
const its = useAgent({ runtime: 'bash', record: true })

const large = (): Promise<void> => runIn(its.agent.name, 'head -c 3145728 /dev/zero > /home/developer/large.bin')
const sizeOf = async (download: Download): Promise<number> => (await buffer(await download.createReadStream())).length
/** The visible rows of running downloads. */
const rowsOn = (page: Page) => page.getByTestId('download').filter({ visible: true })
const saved = (page: Page): string[] => {
  const names: string[] = []
  page.on('download', (download) => names.push(download.suggestedFilename()))
  return names
}
/** A shell with the path on its screen. */
const shown = async (options: object = {}): Promise<Screen> => {
  const screen = new Screen(await visit(its.owner, its.path, options))
  await screen.is('connected')
  await screen.prompt()
  await screen.element.click()
  await screen.hasKeys()
  // Below the toasts of a phone.
  await screen.type("clear; printf '\\n%.0s' {1..12}; printf 'see %s\\n' '~/large.bin'\n")
  await screen.shows(/^see ~\/large\.bin$/m)
  return screen
}

/** Starts the download in the dialog, and holds the response after a part of it. */
const askInDialog = async (page: Page) => {
  // If a page closes while it connects, its session stays occupied until the program has started.
  await new Screen(page).is('connected')
  await page.getByTestId('agent-menu').click()
  await page.getByRole('menuitem', { name: 'Files' }).click()
  const form = page.getByTestId('download-form')
  await form.getByLabel('Path to download').fill('~/large.bin')
  const answer = await holdAnswer(page, FILES, HELD_BYTES)
  await form.getByRole('button', { name: 'Download' }).click()
  await answer.held
  return { form, answer }
}

describe('a large file that is downloaded', () => {
  it('by a link in the terminal says how far it is, goes on while its person looks elsewhere, and is saved whole', async () => {
    await large()
    const screen = await shown()
    const { page } = screen
    const answer = await holdAnswer(page, FILES, HELD_BYTES)
    const { x, y } = await screen.spot('large.bin')
    await page.mouse.move(x, y)
    await page.locator('.xterm-cursor-pointer:visible').waitFor()
    await page.mouse.down()
    await page.mouse.up()
    await answer.held
    const row = rowsOn(page)
    await row.getByText(/^1\.5 MiB of 3 MiB, \d+ s$/).waitFor()
    await row.getByText('/home/developer/').waitFor()
    await page.getByTestId('tab-overview').click()
    await page.getByTestId('overview').waitFor()
    await row.getByText(/^1\.5 MiB of 3 MiB, \d+ s$/).waitFor()
    const saving = page.waitForEvent('download')
    answer.release()
    const download = await saving
    expect(download.suggestedFilename()).toBe('large.bin')
    expect(await sizeOf(download)).toBe(3 * MIB)
    await row.waitFor({ state: 'detached' })
  })

  // The test before has the row.
  longIt(
    'by a thumb on a phone has its row above the keys, with room to cancel it, after which nothing is saved',
    async () => {
      await large()
      const screen = await shown(PHONE)
      const { page } = screen
      const names = saved(page)
      const answer = await holdAnswer(page, FILES, HELD_BYTES)
      const { x, y } = await screen.spot('large.bin')
      await page.touchscreen.tap(x, y)
      await answer.held
      const row = rowsOn(page)
      await row.getByText(/^1\.5 MiB of 3 MiB, \d+ s$/).waitFor()
      const [box, keys] = [(await row.boundingBox())!, (await page.getByTestId('key-bar').boundingBox())!]
      expect(box.x).toBeGreaterThanOrEqual(0)
      expect(box.x + box.width).toBeLessThanOrEqual(PHONE.viewport.width)
      expect(box.y + box.height).toBeLessThanOrEqual(keys.y)
      const cancel = row.getByTestId('transfer-cancel')
      expect(await thumbHeight(cancel)).toBeGreaterThanOrEqual(THUMB)
      expect(await graveOn(page)).toEqual([])
      await cancel.tap()
      await answer.givenUp
      await row.waitFor({ state: 'detached' })
      expect(names).toEqual([])
    },
  )

  // `frontend/src/stores/shell/downloads.test.ts` cancels one, as the test of the phone does.
  longIt('by the dialog is listed there, and its Download is not stuck once it was cancelled', async () => {
    await large()
    const page = await visit(its.owner, its.path)
    const { form, answer } = await askInDialog(page)
    await form.getByTestId('transfer-cancel').click()
    await answer.givenUp
    const saving = page.waitForEvent('download')
    await form.getByRole('button', { name: 'Download' }).click()
    expect(await sizeOf(await saving)).toBe(3 * MIB)
  })

  // `frontend/src/stores/shell/downloads.test.ts`, “that fails says why, and is listed no more”.
  longIt('and is cut off on the way is not saved, and says so', async () => {
    await large()
    const page = await visit(its.owner, its.path, { provoked: [/ERR_/] })
    const names = saved(page)
    const { form, answer } = await askInDialog(page)
    // The page has got the first bytes. Before that it would retry.
    await form.getByText(/^1\.5 MiB of 3 MiB, \d+ s$/).waitFor()
    answer.drop()
    await form.getByText('Slipway does not answer').waitFor()
    expect(names).toEqual([])
  })
})

// The first test has a row of the same kind.
longIt('a recording that is downloaded says on its page how far it is, and can be cancelled', async () => {
  const screen = await shown()
  const { page } = screen
  await page.getByTestId('terminal-disconnect').click()
  await screen.is('disconnected')
  await page.getByTestId('tab-recordings').click()
  await page.getByTestId('recordings').getByRole('listitem').first().getByRole('link').click()
  await page.getByTestId('cast-marks').getByText('Bash was started').waitFor()
  const answer = await holdAnswer(page, String.raw`*/cast\?download=true*`, 100)
  await page.getByTestId('recording-download').click()
  await answer.held
  const row = rowsOn(page)
  await row.getByText(/^100 B of [\d.]+ K?i?B, \d+ s$/).waitFor()
  await row.getByText(/^slipway-.*\.cast$/).waitFor()
  await row.getByTestId('transfer-cancel').click()
  await answer.givenUp
  await row.waitFor({ state: 'detached' })
})
