/** A recorded terminal: its users know about the recording, and can play it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Recording } from '@slipway/protocol'
import { disconnectAll, TerminalClient, until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import type { Locator, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { graveOn } from '../../support/page/axe.ts'
import { outputOf } from '../../support/terminal/casts.ts'
import { openBash } from '../../support/terminal/open-bash.ts'
import { PATIENCE_MS, reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const SECRET = 'sk-ant-canary-0123456789abcdef'

useBrowser()
const folder = mkdtempSync(join(tmpdir(), 'slipway-recordings-'))
afterAll(() => rmSync(folder, { recursive: true }))
const its = useAgent({ runtime: 'bash', record: true, keepSeconds: 300 })

beforeAll(() => its.owner.ok('PUT', `${its.path}/credentials/anthropic-api-key`, { value: SECRET }))
afterEach(disconnectAll)

const see = (path: string): Promise<Page> => visit(its.owner, path)
const recordings = async (): Promise<Recording[]> =>
  (await its.owner.ok<{ items: Recording[] }>('GET', `${its.path}/recordings`)).items
/** The newest recording, once it has ended. */
const ended = (): Promise<Recording> =>
  until(
    'its end',
    async () => {
      const [newest] = await recordings()
      return newest && newest.state !== 'recording' && newest
    },
    PATIENCE_MS,
  )
/** Waits until the player shows the text. */
const shows = (player: Locator, text: string): Promise<void> =>
  player.locator('.ap-term-text').filter({ hasText: text }).waitFor()

describe('a terminal that is recorded', () => {
  it('says so, and can be played, searched, kept, shared and deleted', async () => {
    const page = await see(its.path)
    const screen = new Screen(page)
    await screen.is('connected')
    await screen.prompt()
    await screen.hasKeys()
    await page.getByTestId('terminal-recorded').waitFor()
    await screen.run('echo first-$((40+2))')
    await screen.run(`echo "<${SECRET}>"; sleep 3; printf '\\033[31mneedle-%s\\033[0m in red\\n' $((3*3))`)
    await screen.run('clear; seq 3')
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')

    await ended()
    await page.getByTestId('tab-recordings').click()
    const list = page.getByTestId('recordings')
    await list.getByText('Slipway deletes the oldest recordings when space runs out.').waitFor()
    await list.getByRole('listitem').first().getByText('deleted in 4 wk.').waitFor()
    await list.getByRole('listitem').first().getByRole('link').click()
    await page.getByTestId('recording-kept').getByText('deleted in 4 wk., or earlier if space runs out').waitFor()
    const player = page.getByTestId('cast-player')
    const marks = page.getByTestId('cast-marks')
    await marks.getByText('Bash was started').waitFor()
    await marks.getByText('Disconnected.').click()
    await shows(player, '3')
    expect(await player.textContent()).not.toContain('first-42')

    await page.getByTestId('cast-search').fill('NEEDLE-9')
    await page.getByText('1 match', { exact: true }).waitFor()
    await page.getByTestId('cast-hits').getByRole('button').first().click()
    await shows(player, 'needle-9 in red')
    await shows(player, '<***>')
    await page.getByTestId('cast-search').fill('canary')
    await page.getByText('No matches').waitFor()

    const saving = page.waitForEvent('download')
    await page.getByTestId('recording-download').click()
    const saved = await saving
    expect(saved.suggestedFilename()).toMatch(/^slipway-.*\.cast$/)
    const kept = join(folder, 'kept.cast')
    await saved.saveAs(kept)
    expect(outputOf(readFileSync(kept, 'utf8'))).toContain('first-42')

    const converting = page.waitForEvent('download')
    await page.getByTestId('recording-formats').click()
    await page.getByRole('menuitem', { name: 'Download for asciinema 2' }).click()
    await (await converting).saveAs(kept)
    const [header] = readFileSync(kept, 'utf8').split('\n')
    expect(JSON.parse(header!)).toMatchObject({ version: 2, width: expect.any(Number) as number })

    await page.getByTestId('recording-share').click()
    await page.getByTestId('recording-share').getByText('Shared').waitFor()
    expect((await recordings())[0]).toMatchObject({ shared: true, state: 'complete', input: false })
    await page.getByTestId('recording-delete').click()
    await page.getByTestId('confirm-action').click()
    await page.getByText('No recordings yet').waitFor()
  })

  // `backend/src/modules/terminal/recording/recordings.test.ts` has what guests are told.
  longIt('says so to a guest by a link, on a phone too, and when keys, or anything, are recorded no more', async () => {
    const set = (settings: object) => its.owner.ok('PATCH', its.path, settings)
    await set({ recordInput: true })
    const terminal = await connect()
    const page = await visit(its.owner, `/watch#${await linkTo(terminal)}`, PHONE)
    const mark = page.getByTestId('terminal-recorded')
    await mark.and(page.locator('[data-parts="output_and_input"]')).tap()
    await page.getByText('every key press are recorded').first().waitFor()
    expect(await graveOn(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await set({ recordInput: false })
    await mark.and(page.locator('[data-parts="output"]')).waitFor()
    await set({ record: false })
    await mark.waitFor({ state: 'detached' })
    await set({ record: true })
    await terminal.disconnect()
  })

  // The walk plays one (`recording-plays`).
  longIt('plays from its beginning, at the speed that was chosen', async () => {
    const terminal = await connect()
    // The line after the first frame. Typed earlier, its echo would be the first frame.
    await terminal.until('the prompt', () => terminal.text.includes('$'))
    await terminal.run('sleep 1; echo pla""yed')
    await terminal.disconnect()
    const page = await see(`/recordings/${(await ended()).id}`)
    const player = page.getByTestId('cast-player')
    // The player starts with the first frame, not with an empty screen.
    await shows(player, '$')
    await page.getByTestId('cast-speed').click()
    await page.getByRole('option', { name: '16×' }).click()
    await player.locator('.ap-playback-button').click()
    await shows(player, 'played')
  })

  // The test before plays at another speed.
  longIt('goes on at another speed with the screen as it is, and begins anew after its end', async () => {
    const { page, player } = await beforeAndAfter()
    const button = player.locator('.ap-playback-button')
    const press = async (label: 'Play' | 'Pause'): Promise<void> => {
      await button.and(page.getByLabel(label)).click()
    }
    const choose = async (speed: string): Promise<void> => {
      await page.getByTestId('cast-speed').click()
      await page.getByRole('option', { name: speed, exact: true }).click()
      // A new player, not started yet.
      await player.locator('.ap-overlay-start').waitFor({ state: 'attached' })
    }
    // A skipped pause may end before the button is pressed.
    await page.getByTestId('cast-pauses').click()
    await press('Play')
    await shows(player, 'before')
    await press('Pause')
    await choose('2×')
    await shows(player, 'before')
    await press('Play')
    await shows(player, 'after')
    expect(await player.locator('.ap-term-text').textContent()).toContain('before')

    await button.and(page.getByLabel('Play')).waitFor()
    await choose('0.5×')
    await shows(player, 'after')
    await press('Play')
    await player.locator('.ap-term-text').filter({ hasText: 'before' }).filter({ hasNotText: 'after' }).waitFor()
  })

  // The first test jumps to a mark.
  longIt('shows what was on the screen where the size changed, and where control was handed over', async () => {
    const terminal = await connect()
    await terminal.run('echo be""fore')
    const first = { type: 'auth', v: 2, link: await linkTo(terminal), token: its.owner.token }
    const other = await TerminalClient.open({ baseUrl: its.owner.baseUrl, path: '/watch' }, first)
    const you = await until('who is there', () => other.frames.find((frame) => frame.type === 'people')?.you)
    terminal.send({ type: 'give_control', to: you })
    const hasIt = () =>
      other.frames.some(
        (frame) => frame.type === 'people' && frame.people.some(({ id, hasControl }) => id === you && hasControl),
      )
    await other.until('control', hasIt)
    await other.run('echo be""tween')
    other.send({ type: 'resize', cols: 100, rows: 30 })
    await terminal.until('the size', () => terminal.frames.some((frame) => frame.type === 'size' && frame.cols === 100))
    await other.run('echo af""ter')
    await terminal.disconnect()

    const page = await see(`/recordings/${terminal.sessionId}`)
    const marks = page.getByTestId('cast-marks')
    const text = page.getByTestId('cast-player').locator('.ap-term-text')
    await marks.getByText('Resized to 100 × 30').click()
    await text.filter({ hasText: 'between' }).filter({ hasNotText: 'after' }).waitFor()
    await marks.getByText('Control was handed over').first().click()
    await text.filter({ hasText: 'before' }).filter({ hasNotText: 'between' }).waitFor()
    await marks.getByText('Disconnected.').click()
    await text.filter({ hasText: 'after' }).waitFor()
  })

  // The walk has the player in a dark and in a light page, by turns.
  longIt('has the colours of the page, also when it changes to another theme', async () => {
    const { page, player } = await beforeAndAfter()
    await page.evaluate(() => localStorage.setItem('slipway-theme', 'auto'))
    await page.emulateMedia({ colorScheme: 'dark' })
    await reload(page)
    await page.getByTestId('cast-marks').getByText('Disconnected.').click()
    const red = player.locator('.ap-line > span').filter({ hasText: /^after/ })
    const colour = (): Promise<string> => red.evaluate((text) => getComputedStyle(text).color)
    const dark = await colour()
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(colour).not.toBe(dark)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(colour).toBe(dark)
  })
})

/** The secret of a link whose guests may get control. */
const linkTo = async (terminal: TerminalClient): Promise<string> => {
  const path = `/terminal-sessions/${terminal.sessionId}/links`
  return (await its.owner.ok<{ secret: string }>('POST', path, { access: 'control', audience: 'agent' })).secret
}

/** The page of a recording that shows `before` and, six seconds later, in red, `after`. */
const beforeAndAfter = async (): Promise<{ page: Page; player: Locator }> => {
  const terminal = await connect()
  // The word is split, so that the input does not contain the text that the test waits for.
  await terminal.run(`echo be""fore; sleep 6; printf '\\033[31maf%s\\033[0m\\n' ter`)
  await terminal.disconnect()
  const page = await see(`/recordings/${(await ended()).id}`)
  await page.getByTestId('cast-marks').getByText('Disconnected.').waitFor()
  return { page, player: page.getByTestId('cast-player') }
}

const connect = (first?: object): Promise<TerminalClient> => openBash(its.owner, its.agent.name, first)
