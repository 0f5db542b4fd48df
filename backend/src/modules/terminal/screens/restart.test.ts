/** A session, its server, and the next server: with the thread of the mirrors, the key and the files as they are. */
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { stateOf, written } from '../../../../test/support/emulator-state.ts'
import { scriptedSession } from '../../../../test/support/scripted-session.ts'
import { silentLog } from '../../../lib/log.ts'
import { serverStopping } from '../ending.ts'
import { createEmulator, type Emulator } from '../mirror/emulator.ts'
import type { Kept } from '../mirror/mirror.ts'
import { Mirrors } from '../mirror/mirrors.ts'
import { ScreenFiles } from './files.ts'
import { ScreenKeeper } from './keeper.ts'

/** What a container keeps of the output, in bytes. */
const LOG_BYTES = 1_048_576
const BEGINNING =
  Array.from({ length: 300 }, (_, n) => `line ${n}\r\n`).join('') +
  '\x1b]2;title\x07\x1b[?2004h\x1b[?1003h\x1b[31m\x1b[?1049h\x1b[3;10r'
const DRAWN = Array.from(
  { length: 60_000 },
  (_, n) => `\x1b[${(n % 24) + 1};${(n % 60) + 1}H\x1b[4${n % 8}m漢 word ${n}`,
).join('')

let dataDir: string
const secretKey = randomBytes(32)
const id = randomUUID()
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'slipway-screens-'))))
afterEach(() => rmSync(dataDir, { recursive: true }))

const newServer = () => {
  const mirrors = new Mirrors(silentLog)
  onTestFinished(() => mirrors.close())
  const files = new ScreenFiles({ dataDir, secretKey, previousSecretKey: null, minFreeBytes: 0 })
  const keeper = new ScreenKeeper({ files, going: () => Promise.resolve(new Set()), log: silentLog })
  const open = (from: number, { kept, to }: { kept: Kept | null; to: number }) => {
    const { pty, session } = scriptedSession({ id, from })
    const mirror = mirrors.open(session, { kept, to })
    keeper.follow(session, mirror, { kept, to })
    session.observe(mirror)
    session.mirrorIn((lines) => mirror.print(lines))
    onTestFinished(() => session.release(serverStopping))
    /** As the holder does: in pieces, and no more while it is not read. */
    const print = async (bytes: Buffer): Promise<void> => {
      for (let at = 0; at < bytes.length; at += 61_440) {
        await vi.waitFor(() => expect(pty.paused).toBe(false), { timeout: 20_000, interval: 1 })
        pty.printBytes(bytes.subarray(at, at + 61_440))
      }
    }
    return { session, print }
  }
  return { keeper, open }
}
const whole = async (...output: Buffer[]): Promise<Emulator> => {
  const emulator = createEmulator({ cols: 80, rows: 24 })
  for (const bytes of output) await written(emulator, bytes)
  return emulator
}
/** What a page shows that has nothing yet, of a session that the next server takes over. */
const openedAnew = async (output: Buffer): Promise<Emulator> => {
  const { keeper, open } = newServer()
  const [from, to] = [output.length - LOG_BYTES, output.length]
  const kept = await keeper.load(id, { cols: 80, rows: 24, from, to })
  const { session, print } = open(from, { kept, to })
  const viewed = session.view(null, null)
  await print(output.subarray(from))
  const { offset, size, data } = (await viewed)!
  const emulator = createEmulator(size)
  await written(emulator, data)
  await written(emulator, session.read(offset))
  return emulator
}

describe('a session whose server is another one now', { timeout: 60_000 }, () => {
  it.each(['stopped', 'killed'] as const)('has the same screen where that was %s', async (how) => {
    const output = Buffer.from(BEGINNING + DRAWN)
    expect(output.length).toBeGreaterThan(LOG_BYTES + BEGINNING.length)
    const { keeper, open } = newServer()
    const { session, print } = open(0, { kept: null, to: 0 })
    await print(output)
    if (how === 'stopped') {
      session.release(serverStopping)
      await keeper.close()
    } else {
      const file = join(dataDir, 'screens', `${id}.screen`)
      await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 30_000 })
    }
    const more = Buffer.concat([output, Buffer.from('\x1b[5;5Hprinted while nobody was there \x1b[3')])
    expect(stateOf(await openedAnew(more))).toEqual(stateOf(await whole(more)))
  })

  it('has the modes and the lines of before where a megabyte and more was printed meanwhile', async () => {
    const { keeper, open } = newServer()
    const { session, print } = open(0, { kept: null, to: 0 })
    await print(Buffer.from(BEGINNING))
    session.release(serverStopping)
    await keeper.close()
    const emulator = await openedAnew(Buffer.from(BEGINNING + DRAWN + DRAWN))
    expect(emulator.terminal.modes).toMatchObject({ bracketedPasteMode: true, mouseTrackingMode: 'any' })
    expect(emulator.core._inputHandler._windowTitle).toBe('title')
    expect(emulator.terminal.buffer.normal.getLine(7)?.translateToString(true)).toBe('line 7')
    // All of the screen was drawn again since.
    expect(stateOf(emulator).alternate).toEqual(stateOf(await whole(Buffer.from(BEGINNING + DRAWN + DRAWN))).alternate)
  })
})
