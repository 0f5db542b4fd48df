/** Pasted and dropped files go into the agent, and their paths to the program. */
import { until } from '@slipway/testing'
import { inLongForm, inTurn, longIt } from '@slipway/testing/forms'
import { MAX_UPLOAD_BYTES } from '@slipway/protocol'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { intercept } from '../../support/network/intercept.ts'
import { cuttable, type Network } from '../../support/network/cuttable.ts'
import { answered, type ContextOptions, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

useBrowser({ ownClipboard: true })
const its = useAgent({ runtime: 'bash' })

const bash = async (options: ContextOptions = {}): Promise<Screen> => {
  const screen = new Screen(await visit(its.owner, its.path, options))
  await screen.is('connected')
  await screen.prompt()
  await screen.hasKeys()
  return screen
}
interface Dropped {
  readonly name: string
  readonly text?: string
  /** In bytes, all of them NUL. A browser keeps the chunks of a file only once. */
  readonly size?: number
}
/** Drops files onto the terminal, with the browser's own event. */
const drop = (page: Page, files: readonly Dropped[]) =>
  page.locator('[data-testid="terminal"]').evaluate((element, dropped) => {
    const data = new DataTransfer()
    for (const { name, text, size = 0 } of dropped) {
      const piece = new Blob([new Uint8Array(Math.min(size, 16 * 1024 * 1024))])
      const pieces = Array.from({ length: Math.floor(size / (piece.size || 1)) }, () => piece)
      data.items.add(
        new File(text === undefined ? [...pieces, piece.slice(0, size % (piece.size || 1))] : [text], name),
      )
    }
    for (const type of ['dragover', 'drop'])
      element.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
  }, files)
const rows = (page: Page, state: string) => page.locator(`[data-testid="upload"][data-state="${state}"]`)

describe('files that are dropped onto a terminal', () => {
  it('are in the agent under their names, and their paths stand quoted on the line', async () => {
    const screen = await bash()
    const { page } = screen
    await screen.type('wc -c ')
    await drop(page, [
      { name: 'plain.txt', text: '12345' },
      { name: "my report's ü.txt", text: 'kept' },
      { name: 'plain.txt', text: 'another' },
    ])
    await screen.shows(/2-plain\.txt/)
    await screen.press('Enter')
    const shown = await screen.shows(/16 total/)
    expect(shown).toMatch(/^\s*5 \/home\/developer\/uploads\/\w{6}\/plain\.txt$/m)
    expect(shown).toMatch(/^\s*4 \/home\/developer\/uploads\/\w{6}\/my report's ü\.txt$/m)
    expect(shown).toMatch(/^\s*7 \/home\/developer\/uploads\/\w{6}\/2-plain\.txt$/m)
    // The list is visible during the upload, and disappears after success.
    await page.getByTestId('terminal-files').waitFor({ state: 'detached' })
  })

  // `useTerminalFiles.test.ts`, “what is too large is not sent again”.
  longIt('are refused with the reason: too many, or too large; what fits goes in all the same', async () => {
    const screen = await bash()
    const { page } = screen
    await drop(
      page,
      Array.from({ length: 21 }, (_, at) => ({ name: `${at}.txt`, text: 'x' })),
    )
    await page.getByText('Too many files at once').first().waitFor()
    await screen.type('cat ')
    await drop(page, [
      { name: 'too-large.bin', size: MAX_UPLOAD_BYTES + 1 },
      { name: 'fits.txt', text: 'it-fits' },
    ])
    await rows(page, 'failed').getByText('This file is larger than 1 GiB.').waitFor()
    expect(await page.getByTestId('upload-retry').count()).toBe(0)
    await screen.shows(/fits\.txt/)
    await screen.press('Enter')
    await screen.shows('it-fits')
  })

  // The walk has a file that failed beside one that arrived (`terminal-files-left`).
  longIt('say why they could not be sent, and the others’ paths are typed', async () => {
    const screen = await bash({ provoked: [answered(409)] })
    const { page } = screen
    await screen.run('rm -rf uploads; echo x > uploads')
    await drop(page, [{ name: 'a.txt', text: 'x' }])
    await rows(page, 'failed').getByText('A part of this path is a file, not a folder.').waitFor()
    await screen.run('rm uploads')
    await page.getByRole('button', { name: 'Close the list of uploads' }).click()
    await drop(page, [{ name: 'again.txt', text: 'x' }])
    await screen.shows(/again\.txt/)
  })

  // The walk has them on their way (`terminal-files`), and `downloads.test.ts` one that is cancelled.
  longIt('show how far they are, and can be cancelled, of which nothing is left', async () => {
    const screen = await bash()
    const { page } = screen
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    // A slow network, so that a test can press a button during an upload.
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 256 * 1024 }
    await session.send('Network.emulateNetworkConditions', slow)
    await drop(page, [
      { name: 'long.bin', size: 16 * 1024 * 1024 },
      { name: 'next.txt', text: 'x' },
    ])
    await expect
      .poll(() => rows(page, 'sending').locator('progress').getAttribute('value').then(Number))
      .toBeGreaterThan(0)
    await rows(page, 'waiting').getByTestId('transfer-cancel').click()
    await rows(page, 'sending').getByTestId('transfer-cancel').click()
    await expect.poll(() => rows(page, 'cancelled').count()).toBe(2)
    await session.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 })
    await screen.element.click()
    await expect.poll(() => screen.run('find uploads -name "*.bin" -o -name "next*" -o -name ".slipway*"')).toBe('')
    expect(await screen.text()).not.toContain('/long.bin')
  })
})

// In the short form the walk disconnects the terminal while files are sent (`terminal-files-left`), and
// `useTerminalFiles.test.ts` has files that arrived without a terminal.
describe.each(inLongForm(['files whose network is cut']))('%s', () => {
  let network: Network
  let screen: Screen
  // The other tests start with a new shell each.
  beforeAll(() => its.owner.ok('PATCH', its.path, { keepSeconds: 300 }))
  afterAll(() => its.owner.ok('PATCH', its.path, { keepSeconds: 0 }))

  /** A shell whose network is cut at an upload: before it, or after the file has arrived. */
  const loseAt = async (when: 'before' | 'arrived'): Promise<void> => {
    network = await cuttable()
    screen = await bash({ proxy: { server: network.url }, provoked: [/ERR_|WebSocket connection to/] })
    await intercept(
      screen.page,
      String.raw`*/files\?path=*`,
      async (request) => {
        const answer = when === 'arrived' ? await request.answer() : null
        network.cut()
        await screen.is('reconnecting')
        await (answer === null ? request.abort() : request.fulfill(answer))
      },
      { times: 1 },
    )
  }
  const done = async (): Promise<void> => {
    await screen.page.context().close()
    await network.close()
  }

  it('are listed with their paths when they arrived, which are pasted when it is back', async () => {
    await loseAt('arrived')
    const { page } = screen
    await screen.type('cat ')
    await drop(page, [{ name: 'long.txt', text: 'it-arrived' }])
    const row = rows(page, 'done')
    await row.getByText('Uploaded, but its path could not be typed.').waitFor()
    const paste = row.getByTestId('upload-type')
    expect(await paste.isDisabled()).toBe(true)
    // The text appears only briefly, so wait for it before the click.
    await Promise.all([row.getByText('Copied').waitFor(), row.getByRole('button', { name: 'Copy path' }).click()])
    network.mend()
    await screen.is('connected')
    expect(await screen.text()).not.toContain('long.txt')
    await paste.click()
    await screen.shows(/cat \/home\/developer\/uploads\/\w{6}\/long\.txt/)
    await screen.hasKeys()
    await screen.press('Enter')
    await screen.shows('it-arrived')
    await page.getByTestId('terminal-files').waitFor({ state: 'detached' })
    await done()
  })

  // `useTerminalFiles.test.ts`, “what failed is sent again to the same place, and typed”; the walk has the failed row.
  longIt('are sent again on request when they failed, and typed', async () => {
    await loseAt('before')
    const { page } = screen
    await drop(page, [{ name: 'again.txt', text: 'sent-again' }])
    await rows(page, 'failed').getByText('Slipway does not answer.').waitFor()
    network.mend()
    await screen.is('connected')
    await screen.type('cat ')
    await rows(page, 'failed').getByTestId('upload-retry').click()
    await screen.shows(/cat \/home\/developer\/uploads\/\w{6}\/again\.txt/)
    await screen.element.click()
    await screen.press('Enter')
    await screen.shows('sent-again')
    await done()
  })
})

describe('a picture on the clipboard', () => {
  const copyPicture = async (page: Page): Promise<void> => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: inject('baseUrl') })
    await page.evaluate(async (pixel) => {
      const bytes = Uint8Array.from(atob(pixel), (character) => character.charCodeAt(0))
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': new Blob([bytes], { type: 'image/png' }) })])
    }, PIXEL)
  }

  // The keys take turns, because both paste the same path.
  it.each(inTurn(['Control+v', 'Control+Shift+v'], 0))('is pasted into Claude Code with %s', async (keys) => {
    const screen = await bash()
    await screen.type('claude --dangerously-skip-permissions\n')
    await screen.shows('bypass permissions on')
    await screen.takesPastes()
    await copyPicture(screen.page)
    // Claude leaves the path as text while it has not loaded yet what it may read.
    await until('Claude Code to take the picture', async () => {
      await screen.press(keys)
      if ((await screen.shows(/\[Image #1\]|image\.png/)).includes('[Image #1]')) return true
      await screen.press('Control+u')
      await screen.shows(/^❯\s*$/m)
      return false
    })
  })

  // The test before pastes one into Claude Code.
  longIt('is pasted into bash by the menu, as the path of a picture', async () => {
    const screen = await bash()
    const { page } = screen
    await copyPicture(page)
    await screen.type('head -c 4 ')
    await screen.element.click({ button: 'right', position: { x: 300, y: 300 } })
    await page.getByRole('menuitem', { name: 'Paste' }).click()
    await screen.shows(/head -c 4 \/home\/developer\/uploads\/\w{6}\/image\.png/)
    await screen.type('| tail -c 3\n')
    await screen.shows(/^PNG/m)
  })

  // The walk chooses files (`terminal-files`).
  longIt('is chosen from the device by the menu, too', async () => {
    const screen = await bash()
    const { page } = screen
    await screen.type('cat ')
    const chooser = page.waitForEvent('filechooser')
    await screen.element.click({ button: 'right', position: { x: 300, y: 300 } })
    await page.getByRole('menuitem', { name: 'Upload files' }).click()
    await (await chooser).setFiles([{ name: 'chosen.txt', mimeType: 'text/plain', buffer: Buffer.from('by hand') }])
    await screen.shows(/chosen\.txt/)
    await screen.hasKeys()
    await screen.press('Enter')
    await screen.shows('by hand')
  })
})
