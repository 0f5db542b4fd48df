/** The disk of the recordings is full while a session is recorded: that loses the recording's end, and nothing of the session. */
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

/** A size of the disk that is more than enough: it takes no memory before it is written to. */
const ROOM = '2g'
/** One that is full long before the server looks again at what is left of it. */
const NO_ROOM = '1m'
/** Twice of what {@link NO_ROOM} holds. */
const NUMBERS = 300_000
/** What the server leaves of a disk to its database, in bytes. */
const LEFT_BYTES = 512 * 2 ** 20

useBrowser()

// A file system of a test's own is for root alone.
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
    // Not there where it did not start; the disk is given back in any case.
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
  /** The newest, once it has ended. */
  const ended = (): Promise<Recording> =>
    until('its end', async () => {
      const found = await newest()
      return found.state !== 'recording' && found
    })
  /** A terminal that is recorded, in a page. */
  const open = async (): Promise<Screen> => {
    const screen = new Screen(await see(`/agents/${agent.name}`))
    await screen.shell()
    await screen.page.getByTestId('terminal-recorded').waitFor()
    // What is left of the disk is looked at where the file begins, too, and that had room.
    await until('its beginning', async () => (await newest()).bytes > 0)
    return screen
  }
  const end = async (screen: Screen): Promise<void> => {
    await screen.page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
  }
  /** What an operator reads of it. */
  const logged = ({ id }: Recording): string | undefined =>
    server
      .output()
      .split('\n')
      .find((line) => line.includes(id) && line.includes('a recording ended before its session'))
  /** How far the numbers come that it shows, of which none is missing. */
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

    // What ends now is its session: how the recording ended stays.
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
