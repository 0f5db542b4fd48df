/** A session, its server, and the next server: with the thread of the mirrors, the key and the files as they are. */
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { stateOf, written } from '../../../../test/support/emulator-state.ts'
import { scriptedSession } from '../../../../test/support/scripted-session.ts'
import { silentLog } from '../../../lib/log.ts'
import { disconnected, serverStopping } from '../ending.ts'
import { createEmulator, type Emulator } from '../mirror/emulator.ts'
import type { Kept } from '../mirror/mirror.ts'
import { Mirrors } from '../mirror/mirrors.ts'
import { ScreenFiles } from './files.ts'
import { ScreenKeeper } from './keeper.ts'
import { parseSizes } from './kept.ts'

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
  const files = new ScreenFiles({ dataDir, secretKey, previousSecretKey: null, minFreeBytes: 0 })
  const mirrors = new Mirrors(silentLog, { journal: files.journal })
  onTestFinished(() => mirrors.close())
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
    return { pty, session, print }
  }
  return { files, keeper, mirrors, open }
}
const whole = async (...output: Buffer[]): Promise<Emulator> => {
  const emulator = createEmulator({ cols: 80, rows: 24 })
  for (const bytes of output) await written(emulator, bytes)
  return emulator
}
/** The next server takes the session over. */
const takenOver = async (output: Buffer) => {
  const { keeper, mirrors, open } = newServer()
  const [from, to] = [Math.max(0, output.length - LOG_BYTES), output.length]
  const kept = await keeper.load(id, { cols: 80, rows: 24, from, to })
  const opened = open(from, { kept, to })
  /** What a page shows that has nothing yet. */
  const shown = async (): Promise<Emulator> => {
    const viewed = opened.session.view(null, null)
    await opened.print(output.subarray(from))
    const { offset, size, data } = (await viewed)!
    const emulator = createEmulator(size)
    await written(emulator, data)
    await written(emulator, opened.session.read(offset))
    return emulator
  }
  return { ...opened, mirrors, shown }
}
const openedAnew = async (output: Buffer): Promise<Emulator> => (await takenOver(output)).shown()

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

/** What a program prints without an end, of which more than a megabyte is on the screen and above it, or nobody knows where it was drawn. */
const FLOODS: Record<string, { piece: (n: number) => string; bytes: number }> = {
  'lines that nobody reads': { piece: (n) => `${n} ${'漢字'.repeat(17)}\r\n`, bytes: 120_000_000 },
  'lines of many colours': {
    piece: (n) => `${[1, 2, 3, 4, 5, 6].map((at) => `\x1b[1;3${(n + at) % 8}m${n}\x1b[0m of `).join('')}\r\n`,
    bytes: 45_000_000,
  },
  'a screen that is drawn over and over': {
    piece: (n) => `\x1b[${(n % 24) + 1};${(n % 60) + 1}H\x1b[4${n % 8}m漢 word ${n}`,
    bytes: 45_000_000,
  },
}
const flooded = async (print: (bytes: Buffer) => Promise<void>, piece: (n: number) => string, bytes: number) => {
  const all: Buffer[] = []
  for (let [n, length] = [0, 0]; length < bytes; length += all.at(-1)!.length) {
    all.push(Buffer.from(Array.from({ length: 2000 }, () => piece((n += 1))).join('')))
    await print(all.at(-1)!)
  }
  return Buffer.concat(all)
}

describe('a session whose server is killed in the middle of a flood', { timeout: 120_000 }, () => {
  it.each(Object.entries(FLOODS))('has the same screen with %s', async (_name, { piece, bytes }) => {
    const { mirrors, open } = newServer()
    const { pty, print } = open(0, { kept: null, to: 0 })
    const beginning = Buffer.from(BEGINNING.replace('\x1b[?1049h\x1b[3;10r', ''))
    await print(beginning)
    const output = Buffer.concat([beginning, await flooded(print, piece, bytes)])
    await mirrors.close()
    // The container forgets nothing that was not acknowledged.
    expect(output.length - LOG_BYTES).toBeLessThanOrEqual(pty.acknowledged)
    expect(stateOf(await openedAnew(output))).toEqual(stateOf(await whole(output)))
  })

  it('has it also where its size changed meanwhile', async () => {
    const { files, mirrors, open } = newServer()
    const { session, print } = open(0, { kept: null, to: 0 })
    const { piece } = FLOODS['lines that nobody reads']!
    const outputs = [await flooded(print, piece, 70_000_000)]
    const sizes = [
      { cols: 60, rows: 20 },
      { cols: 80, rows: 24 },
    ]
    const emulator = createEmulator(sizes[1]!)
    // What these scroll away of it is not to be seen.
    await written(emulator, outputs[0]!.subarray(-4_000_000))
    for (const size of sizes) {
      session.resize(size.cols, size.rows)
      emulator.terminal.resize(size.cols, size.rows)
      outputs.push(await flooded(print, piece, 1_000_000))
      await written(emulator, outputs.at(-1)!)
      await vi.waitFor(async () =>
        expect(parseSizes((await files.read(id, 'sizes')) as Buffer)?.at(-1)).toMatchObject({ size }),
      )
    }
    await mirrors.close()
    expect(stateOf(await openedAnew(Buffer.concat(outputs)))).toEqual(stateOf(emulator))
  })

  it('has it also where the next one is killed, too, before it has kept any', async () => {
    const { piece } = FLOODS['a screen that is drawn over and over']!
    const first = newServer()
    const { print } = first.open(0, { kept: null, to: 0 })
    const before = await flooded(print, piece, 5_000_000)
    await first.mirrors.close()
    const next = await takenOver(before)
    await next.shown()
    const output = Buffer.concat([before, await flooded(next.print, (n) => piece(n * 7), 5_000_000)])
    await next.mirrors.close()
    expect(stateOf(await openedAnew(output))).toEqual(stateOf(await whole(output)))
    expect(readdirSync(join(dataDir, 'screens')).filter((name) => name.endsWith('.screen'))).toEqual([])
  })

  it('has nothing on the disk of what it printed once it is over', async () => {
    const { keeper, open } = newServer()
    const { session, print } = open(0, { kept: null, to: 0 })
    await flooded(print, FLOODS['lines of many colours']!.piece, 5_000_000)
    const left = (): string[] => readdirSync(join(dataDir, 'screens'))
    expect(left().filter((name) => name.endsWith('.output'))).not.toEqual([])
    session.end(disconnected)
    await keeper.close()
    await vi.waitFor(() => expect(left()).toEqual([]))
  })
})
