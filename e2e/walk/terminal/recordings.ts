/** Recordings of an agent's terminals: the list in each state, and the player. */
import type { Recording, RecordingState } from '@slipway/protocol'
import { TerminalClient } from '@slipway/testing'
import type { Page } from 'playwright'
import { inject } from 'vitest'
import type { Client } from '../../support/api.ts'
import { holdAnswer } from '../../support/network/held-answer.ts'
import { intercept } from '../../support/network/intercept.ts'
import { goTo, reload } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'
import { makeLink } from './watching.ts'

const CAST = '*/cast'
const DOWNLOAD = String.raw`*/cast\?download=true*`
/** How much of the response arrives before the network stalls, in bytes. */
const HELD_BYTES = 1_024

/** The recorded session: colours, and a pause that can be skipped. */
const SESSION = String.raw`ls --color -la / | head -n 12
printf '\033[33mberth 13\033[0m answers \033[31m404\033[0m\n'
sleep 3
printf 'berth 13 answers \033[32m200\033[0m\n'
`

const record = async (owner: Client, agent: string): Promise<Recording> => {
  await owner.upload(agent, 'look-at-berths', SESSION)
  const path = `/agents/${agent}/terminal?mode=bash`
  const first = { type: 'auth', token: owner.token, v: 2, cols: 100, rows: 28 }
  const terminal = await TerminalClient.open({ baseUrl: inject('baseUrl'), path }, first)
  await terminal.until('the prompt', () => terminal.text.includes('$ '))
  terminal.type('sh look-at-berths\r')
  // Matches more than `200`, because the prompt itself switches on mode 2004.
  await terminal.until('the end', () => /answers \S*200[^]*\$ $/.test(terminal.text))
  await terminal.disconnect()
  const { items } = await owner.ok<{ items: Recording[] }>('GET', `/agents/${agent}/recordings`)
  return items[0]!
}

/** Gives the page recordings with other ends, as on other servers and days. */
const tell = async (page: Page, state: { now: RecordingState }): Promise<void> => {
  await intercept(page, String.raw`*/api/agents/*/recordings\?*`, async (request) => {
    const answer = await request.answer()
    const page = JSON.parse(answer.body) as { items: Recording[] }
    const [one] = page.items
    if (one) page.items = variants(one)
    await request.fulfill({ ...answer, json: page })
  })
  await intercept(page, '*/api/recordings/*', async (request) => {
    if (request.method !== 'GET' || !/\/recordings\/[^/]+$/.test(request.url.pathname)) return request.continue()
    const answer = await request.answer()
    await request.fulfill({ ...answer, json: { ...(JSON.parse(answer.body) as Recording), ...given(state.now) } })
  })
}
/** A running recording has no end. */
const given = (state: RecordingState): Partial<Recording> =>
  state === 'recording' ? { state, endedAt: null, expiresAt: null } : { state }
const STATES = ['recording', 'complete', 'complete', 'cut', 'disk_full'] as const
const MINUTES = [1, 4, 12, 75, 340]
const before = (moment: string, index: number): string =>
  new Date(Date.parse(moment) - index * 26 * 3_600_000).toISOString()
const variants = (one: Recording): Recording[] =>
  STATES.map((state, index) => ({
    ...one,
    id: index === 1 ? one.id : crypto.randomUUID(),
    state,
    startedAt: before(one.startedAt, index),
    expiresAt: state === 'recording' || one.expiresAt === null ? null : before(one.expiresAt, index),
    durationMs: MINUTES[index]! * 61_000,
    bytes: MINUTES[index]! ** 2 * 2_048,
    mode: index % 2 === 0 ? 'claude' : 'bash',
    input: index === 2,
    shared: index === 2,
  }))

export const recordings = async (visitor: Visitor, { owner, running }: FurnishedServer): Promise<void> => {
  const { name } = running
  const page = await visitor.open(owner, `/agents/${name}/recordings`)
  await page.getByText('Recording is off').waitFor()
  await visitor.see(page, 'recordings-off')
  await owner.ok('PATCH', `/agents/${name}`, { record: true })
  await page.getByText('No recordings yet').waitFor()
  await visitor.pass(page, 'recordings-empty')
  const recording = await record(owner, name)
  const state = { now: 'complete' as RecordingState }
  await tell(page, state)
  await reload(page)
  await page.getByTestId('recordings').getByRole('listitem').first().waitFor()
  await visitor.see(page, 'recordings')

  const answer = await holdAnswer(page, CAST, HELD_BYTES)
  await visitor.choose(page, `recording-${recording.id}`)
  await answer.held
  await page.getByTestId('reading').waitFor()
  await visitor.see(page, 'recording-reading')
  await visitor.choose(page, 'reading-stop')
  await page.getByTestId('reading-stopped').waitFor()
  await visitor.see(page, 'recording-stopped')
  await page.getByRole('button', { name: 'Load recording' }).click()
  await page.getByTestId('cast-marks').getByText('Disconnected.').waitFor()
  await visitor.see(page, 'recording')
  if (visitor.isThorough) await downloading(visitor, page)
  const player = page.getByTestId('cast-player')
  await player.locator('.ap-playback-button').click()
  await player.locator('.ap-term-text').filter({ hasText: '404' }).waitFor()
  await visitor.see(page, 'recording-plays')
  await page.getByTestId('cast-search').fill('berth')
  await page.getByTestId('cast-hits').getByRole('button').first().click()
  await visitor.pass(page, 'recording-search')
  await page.getByTestId('cast-search').fill('lighthouse')
  await page.getByText('No matches').waitFor()
  await visitor.see(page, 'recording-search-in-vain')
  for (const next of visitor.isThorough ? (['cut', 'recording'] as const) : (['recording'] as const)) {
    state.now = next
    await reload(page)
    await page.getByTestId('recording-state').waitFor()
    await page.getByTestId('cast-marks').getByText('Disconnected.').waitFor()
    await visitor.see(page, `recording-${next}`)
  }
  const lost = await intercept(page, CAST, (request) => request.abort())
  await page.getByRole('button', { name: 'Load new output' }).click()
  await page.getByRole('alert').filter({ hasText: 'Slipway does not answer' }).waitFor()
  await visitor.see(page, 'recording-reload-failed')
  await lost.stop()

  state.now = 'complete'
  await reload(page)
  await visitor.choose(page, 'recording-delete')
  await page.getByTestId('confirm-action').waitFor()
  await visitor.pass(page, 'recording-delete')
  await page.getByTestId('confirm-action').click()
  await page.getByText('No recordings yet').waitFor()
  await goTo(page, `/recordings/${recording.id}`)
  await page.getByTestId('not-found').waitFor()
  await visitor.see(page, 'recording-gone')

  if (visitor.isThorough) await recordedTerminal(visitor, page, owner, name)
  else await owner.ok('PATCH', `/agents/${name}`, { record: false })
  const { items } = await owner.ok<{ items: Recording[] }>('GET', `/agents/${name}/recordings`)
  for (const { id } of items) await owner.ok('DELETE', `/recordings/${id}`)
}

/** A download on its way, which is cancelled. */
const downloading = async (visitor: Visitor, page: Page): Promise<void> => {
  await holdAnswer(page, DOWNLOAD, HELD_BYTES)
  await visitor.choose(page, 'recording-download')
  await page.getByTestId('downloads').waitFor()
  await visitor.see(page, 'recording-downloading')
  await visitor.choose(page, 'transfer-cancel')
  await page.getByTestId('downloads').waitFor({ state: 'detached' })
}

/** A terminal that is recorded, to its user and to a guest, until it is recorded no more. */
const recordedTerminal = async (visitor: Visitor, page: Page, owner: Client, name: string): Promise<void> => {
  await goTo(page, `/agents/${name}`)
  await new Screen(page).shows(/^❯/m)
  await visitor.heard(page)
  await visitor.choose(page, 'terminal-recorded')
  await page.getByText('Terminal output is recorded').first().waitFor()
  await visitor.see(page, 'terminal-recorded')
  await visitor.choose(page, 'terminal-share')
  const theirs = await visitor.open(owner, await makeLink(visitor, page))
  await visitor.choose(theirs, 'terminal-recorded')
  await theirs.getByText('Terminal output is recorded').first().waitFor()
  await visitor.see(theirs, 'watch-recorded')
  await visitor.choose(page, 'link-done')
  await page.keyboard.press('Escape')
  await page.getByTestId('share-dialog').waitFor({ state: 'detached' })
  await owner.ok('PATCH', `/agents/${name}`, { record: false })
  await visitor.choose(page, 'terminal-disconnect')
  // Another user is in the terminal.
  await page.getByTestId('confirm-action').click()
  await new Screen(page).is('disconnected')
}
