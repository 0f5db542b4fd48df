import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { scriptedSession } from '../../../../../test/support/scripted/session.ts'
import { silentLog } from '../../../../lib/log.ts'
import { disconnected, serverStopping } from '../../../sessions/ending.ts'
import type { Mirror } from '../mirror/mirror.ts'
import type { Snapshot } from '../snapshot.ts'
import { ScreenFiles } from './files.ts'
import { ENOUGH_BYTES, Followed } from './followed.ts'
import { ScreenKeeper } from './keeper.ts'
import { printSizes } from './kept.ts'

const size = { cols: 80, rows: 24 }
const MUCH = 'x'.repeat(ENOUGH_BYTES)

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipway-screens-'))
  // Files are still written in real time.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(dataDir, { recursive: true })
})

const setup = ({ minFreeBytes = 0, going = [] as string[] } = {}) => {
  const logged: string[] = []
  const note = (_what: unknown, sentence?: string): void => void logged.push(sentence ?? '')
  const files = new ScreenFiles({ dataDir, secretKey: randomBytes(32), previousSecretKey: null, minFreeBytes })
  const keeper = new ScreenKeeper({
    files,
    going: () => Promise.resolve(new Set(going)),
    log: { ...silentLog, error: note, warn: note },
  })
  const open = ({ survives = true, print = null as Mirror['print'] | null, bytes = 10, from = 0 } = {}) => {
    const id = randomUUID()
    const { pty, session } = scriptedSession({ id, from })
    pty.survives = survives
    const printed: number[] = []
    const shown = (): Promise<Snapshot> => {
      printed.push(performance.now())
      return Promise.resolve({ offset: session.offset, size: session.size, data: Buffer.alloc(bytes, 's') })
    }
    keeper.follow(session, { print: print ?? shown, kept: () => undefined } as unknown as Mirror, { kept: null, to: 0 })
    return { id, pty, session, printed }
  }
  const passes = async (ms: number): Promise<void> => {
    // Each print waits for the files of the one before, and the fake clock does not advance those.
    for (let at = 0; at < ms; at += 250) {
      await vi.advanceTimersByTimeAsync(250)
      await keeper.sweep()
    }
  }
  const load = async (id: string, to = 10_000_000) => keeper.load(id, { ...size, from: 0, to })
  return { keeper, files, logged, open, passes, load }
}

describe('the screens of sessions', () => {
  it('are kept while they run, and are there for the next server', async () => {
    const opened: string[] = []
    const { open, passes, load, logged } = setup({ going: opened })
    const { id, pty, session } = open()
    opened.push(id)
    pty.print(MUCH)
    await passes(3000)
    expect(await load(id)).toMatchObject({ offset: ENOUGH_BYTES, size, data: Buffer.from('ssssssssss') })
    session.resize(60, 10)
    await passes(250)
    expect((await load(id))?.sizes[0]).toEqual({ offset: ENOUGH_BYTES, size: { cols: 60, rows: 10 } })
    expect(logged).toEqual([])
    session.end(disconnected)
  })

  it('are kept when their sessions are detached, where output has come since', async () => {
    const { keeper, open, load } = setup()
    const [one, idle] = [open(), open()]
    one.pty.print('a few letters')
    for (const { session } of [one, idle]) session.release(serverStopping)
    await keeper.close()
    expect(await load(one.id)).toMatchObject({ offset: 13 })
    expect([one.printed.length, idle.printed.length]).toEqual([1, 0])
    expect(await load(idle.id)).toMatchObject({ offset: 0, size, data: new Uint8Array() })
  })

  it('go with their session, also while they are being printed', async () => {
    const { keeper, files, open, passes } = setup()
    const { promise, resolve } = Promise.withResolvers<Snapshot>()
    const late = open({ print: () => promise })
    const one = open()
    one.session.resize(10, 10)
    one.pty.print(MUCH)
    await passes(3000)
    late.pty.print(MUCH)
    await vi.advanceTimersByTimeAsync(3000)
    for (const { session } of [one, late]) session.end(disconnected)
    resolve({ offset: 5, size, data: new Uint8Array() })
    await keeper.close()
    expect(await files.ids()).toEqual([])
  })

  it('go where a mistake was made with them, which costs the session nothing', async () => {
    const { keeper, files, open, passes } = setup()
    const { pty, session, printed } = open()
    pty.print(MUCH)
    await passes(3000)
    onTestFinished(() => void vi.restoreAllMocks())
    vi.spyOn(Followed.prototype, 'resized').mockImplementation(() => {
      throw new Error('a mistake')
    })
    session.resize(60, 10)
    pty.print(MUCH)
    await passes(12_000)
    expect([printed.length, await files.ids(), session.ending]).toEqual([1, [], null])
    session.end(disconnected)
    await keeper.close()
  })

  it('are swept where their session is gone', async () => {
    const [here, gone] = [randomUUID(), randomUUID()]
    const { keeper, files } = setup({ going: [here] })
    for (const id of [here, gone]) await files.write(id, 'screen', Buffer.from('x'))
    await keeper.sweep()
    expect(await files.ids()).toEqual([here])
  })

  it('are not kept of what does not survive the server', async () => {
    const { keeper, files, open, passes } = setup()
    const { pty, session, printed } = open({ survives: false })
    pty.print(MUCH)
    await passes(3000)
    session.end(disconnected)
    await keeper.close()
    expect([printed, await files.ids()]).toEqual([[], []])
  })

  it('are not waited for where the disk hangs', async () => {
    const { keeper, files, load, logged } = setup()
    vi.spyOn(files, 'read').mockReturnValue(new Promise(() => undefined))
    const loaded = load(randomUUID())
    await vi.advanceTimersByTimeAsync(5000)
    expect(await loaded).toBeNull()
    expect(logged).toEqual(['a kept screen could not be read in time'])
    void keeper.close()
  })

  it('are waited for as long as those of others before them are read, however slow the disk is', async () => {
    const { keeper, files, load, logged } = setup()
    vi.spyOn(files, 'read').mockImplementation(async (_id, part) => {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      return part === 'sizes' ? printSizes([{ offset: 0, size }]) : null
    })
    const loaded = Array.from({ length: 5 }, () => load(randomUUID(), 0))
    await vi.advanceTimersByTimeAsync(15_000)
    for (const kept of await Promise.all(loaded)) expect(kept).toMatchObject({ offset: 0, size })
    expect(logged).toEqual([])
    await keeper.close()
  })

  it('are there for the next server also while another one takes long to be printed', async () => {
    const { keeper, files, open, load, logged } = setup()
    const { pty, session } = open({ print: () => new Promise(() => undefined) })
    pty.print(MUCH)
    await vi.advanceTimersByTimeAsync(3000)
    const id = randomUUID()
    await files.write(id, 'sizes', printSizes([{ offset: 0, size }]))
    expect(await load(id)).toMatchObject({ offset: 0, size })
    expect(logged).toEqual([])
    session.end(disconnected)
    void keeper.close()
  })

  it('are printed in turn, and no more of them than a disk and the thread of the mirrors can take', async () => {
    const opened: string[] = []
    const { keeper, open, passes } = setup({ going: opened })
    const all = [1, 2, 3].map(() => open({ bytes: 1_048_576 }))
    opened.push(...all.map(({ id }) => id))
    for (const { pty } of all) pty.print(MUCH)
    await passes(6000)
    const times = all.map(({ printed }) => printed[0]!)
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1000)
    expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(1000)
    for (const { session } of all) session.end(disconnected)
    await keeper.close()
  })

  it('are printed at once where so much is not in one, the largest first, and of many where it is too much of all', async () => {
    const { keeper, open, passes } = setup()
    const largest = open({ from: 140_000_000 })
    const all = Array.from({ length: 9 }, (_, n) => open({ from: 119_400_000 + n }))
    await passes(250)
    expect(largest.printed.length).toBe(1)
    await passes(1000)
    // A single print brings the total below half of the limit.
    expect(all.map(({ printed }) => printed.length)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1])
    for (const { session } of [largest, ...all]) session.end(disconnected)
    await keeper.close()
  })

  it('cannot be kept where the disk is full, which is said once, and costs the session nothing', async () => {
    const { keeper, open, passes, logged } = setup({ minFreeBytes: Number.MAX_SAFE_INTEGER })
    const { pty, session, printed } = open()
    for (let time = 0; time < 3; time++) {
      pty.print(MUCH)
      await passes(12_000)
    }
    expect(printed.length).toBeGreaterThan(1)
    expect(logged).toEqual(['screens of terminals cannot be kept'])
    expect(session.ending).toBeNull()
    session.end(disconnected)
    await keeper.close()
  })
})
