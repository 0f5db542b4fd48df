/** The disk of the recordings fills up during a session. The recording loses its end; the session loses nothing. */
// In the short form the backend has the bounds of recordings, and what happens on a full disk.
import '@slipway/testing/long'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent, Recording } from '@slipway/protocol'
import { newDataDir, until } from '@slipway/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { outputOf } from '../../support/terminal/casts.ts'
import { removeNamespace } from '../../support/engine.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { newNamespace, type Server, startServer } from '../../support/server.ts'

/** A disk size that is more than enough. It uses no memory until it is written to. */
const ROOM = '2g'
/** A disk size that is full long before the server checks the free space again. */
const NO_ROOM = '1m'
/** Twice as many as {@link NO_ROOM} holds. */
const NUMBERS = 300_000
/** Free space that the server reserves for its database, in bytes. */
const LEFT_BYTES = 512 * 2 ** 20

useBrowser()

// Only root can mount a file system for the test.
describe.skipIf(process.getuid?.() !== 0)('a recording whose disk is full', () => {
  let folder: string
  let dataDir: string
  let namespace: string
  let server: Server
  let owner: Client
  let agent: Agent

  const resizeDisk = (size: string): void => void execFileSync('mount', ['-o', `remount,size=${size}`, folder])
  beforeAll(async () => {
    dataDir = newDataDir()
    folder = join(dataDir, 'recordings')
    mkdirSync(folder, { mode: 0o700 })
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${ROOM},mode=700`, 'slipway-test', folder])
    namespace = newNamespace()
    server = await startServer({ namespace, dataDir })
    owner = await newUser(await signInAdmin(server.baseUrl))
    agent = await owner.agent({ runtime: 'bash', record: true })
  })
  afterAll(async () => {
    // Undefined if the server did not start. The disk has to be freed anyway.
    await (server as Server | undefined)?.stop()
    await removeNamespace(namespace)
    execFileSync('umount', [folder])
    rmSync(dataDir, { recursive: true, force: true })
  })

  beforeEach(() => resizeDisk(ROOM))

  const see = (path: string) => visit(owner, path, { baseURL: server.baseUrl })
  const newest = async (): Promise<Recording> => {
    const { items } = await owner.ok<{ items: Recording[] }>('GET', `/agents/${agent.name}/recordings`)
    return items[0]!
  }
  /** The newest recording, once it has ended. */
  const ended = (): Promise<Recording> =>
    until('its end', async () => {
      const found = await newest()
      return found.state !== 'recording' && found
    })
  /** Opens a page with a terminal that is recorded. */
  const open = async (): Promise<Screen> => {
    const screen = new Screen(await see(`/agents/${agent.name}`))
    await screen.shell()
    await screen.page.getByTestId('terminal-recorded').waitFor()
    // The server also checks the free space when a file starts. That check has passed by now.
    await until('its beginning', async () => (await newest()).bytes > 0)
    return screen
  }
  const end = async (screen: Screen): Promise<void> => {
    await screen.page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
  }
  /** What the server logs about it for operators. */
  const logged = ({ id }: Recording): string | undefined =>
    server
      .output()
      .split('\n')
      .find((line) => line.includes(id) && line.includes('a recording ended before its session'))
  /** The last number of the recording. No number before it is missing. */
  const countOf = ({ id }: Recording): number => {
    const shown = outputOf(readFileSync(join(folder, `${id}.cast`), 'utf8'))
    const numbers = [...shown.matchAll(/(?<=[\r\n])(\d+)\r\n/g)].map(([, number]) => Number(number))
    expect(numbers.findIndex((number, index) => number !== index + 1)).toBe(-1)
    return numbers.length
  }

  it('ends there with a mark that one can play up to, while its terminal goes on, and the next one is recorded', async () => {
    const screen = await open()
    resizeDisk(NO_ROOM)
    expect(await screen.run(`seq ${NUMBERS}; echo all`)).toMatch(new RegExp(`^${NUMBERS}\nall$`, 'm'))
    await screen.page.getByTestId('terminal-recorded').waitFor({ state: 'detached' })
    expect(await screen.run('echo still here')).toBe('still here')
    const lost = await ended()
    expect(lost.state).toBe('disk_full')
    expect(lost.bytes).toBeLessThanOrEqual(2 ** 20)
    expect(logged(lost)).toMatch(/"because":"disk_full","cause":"ENOSPC/)

    // Now the session ends. The reason for the recording's end stays.
    resizeDisk(ROOM)
    await end(screen)
    const again = await open()
    await again.run('echo again')
    await end(again)
    await until('the second recording', async () => (await newest()).state === 'complete')
    expect((await newest()).id).not.toBe(lost.id)
    expect(await owner.ok('GET', `/recordings/${lost.id}`)).toEqual(lost)

    const { page } = again
    await page.getByTestId('tab-logs').click()
    const told = `The recording of ${owner.email}’s Bash ended because the disk was full.`
    await page.locator('.log-line[data-kind="recording_lost"]').filter({ hasText: told }).waitFor()
    await page.getByTestId('tab-recordings').click()
    const row = page.getByTestId(`recording-${lost.id}`)
    await row.getByText('Disk full').waitFor()
    await row.click()
    await page.getByTestId('recording-state').getByText('Disk full').waitFor()
    const marks = page.getByTestId('cast-marks').getByRole('button')
    await marks.last().getByText('The recording ends here: the disk was full').click()
    const count = countOf(lost)
    expect(count).toBeGreaterThan(0)
    await page
      .getByTestId('cast-player')
      .locator('.ap-term-text')
      .filter({ hasText: String(count) })
      .waitFor()
  })

  it('leaves the last of it to the database', async () => {
    const screen = await open()
    resizeDisk('515m')
    await screen.run('seq 800000')
    await screen.page.getByTestId('terminal-recorded').waitFor({ state: 'detached' })
    expect(await screen.run('echo still here')).toBe('still here')
    const lost = await ended()
    expect(lost.state).toBe('disk_full')
    expect(logged(lost)).toContain('"because":"disk_full"')
    const { bavail, bsize } = statfsSync(folder)
    expect(bavail * bsize).toBeGreaterThan(LEFT_BYTES - 2 * 4_194_304)
    expect(countOf(lost)).toBeGreaterThan(0)
    await end(screen)
  })
})
