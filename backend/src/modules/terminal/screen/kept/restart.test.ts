/** A session, its server and the next server, with the real thread of the mirrors, key and files. */
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inLongForm, isLongForm, longIt } from '@slipway/testing/forms'
import { PATIENTLY } from '@slipway/testing'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { stateOf, written } from '@slipway/emulator/testing'
import { PATIENT } from '../../../../../test/support/terminals/patient-disk.ts'
import type { ScriptedPty } from '../../../../../test/support/scripted/pty.ts'
import { scriptedSession } from '../../../../../test/support/scripted/session.ts'
import { silentLog } from '../../../../lib/log.ts'
import { disconnected, serverStopping } from '../../../sessions/ending.ts'
import { createEmulator, type Emulator } from '@slipway/emulator/headless'
import type { Kept } from '../mirror/mirror.ts'
import { Mirrors } from '../mirror/mirrors.ts'
import { ScreenFiles } from './files.ts'
import { ScreenKeeper } from './keeper.ts'
import { parseSizes } from './kept.ts'

/** How much output a container keeps, in bytes. */
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
  const mirrors = new Mirrors(silentLog, { journal: { ...files.journal, ...PATIENT } })
  onTestFinished(() => mirrors.close())
  const keeper = new ScreenKeeper({
    files,
    going: () => Promise.resolve(new Set()),
    log: silentLog,
    muchBytes: 8_000_000,
  })
  const open = (from: number, { kept, to }: { kept: Kept | null; to: number }) => {
    const { pty, session } = scriptedSession({ id, from })
    const mirror = mirrors.open(session, { kept, to })
    keeper.follow(session, mirror, { kept, to })
    session.observe(mirror)
    session.mirrorIn((lines) => mirror.print(lines))
    onTestFinished(() => session.release(serverStopping))
    /** Prints as the holder does: in pieces, and not while it is paused. */
    const print = async (bytes: Buffer): Promise<void> => {
      for (let at = 0; at < bytes.length; at += 61_440) {
        await vi.waitFor(() => expect(pty.paused).toBe(false), { ...PATIENTLY, interval: 1 })
        pty.printBytes(bytes.subarray(at, at + 61_440))
      }
    }
    return { pty, session, mirror, print }
  }
  return { files, keeper, mirrors, open }
}
const whole = async (...output: Buffer[]): Promise<Emulator> => {
  const emulator = createEmulator({ cols: 80, rows: 24 })
  for (const bytes of output) await written(emulator, bytes)
  return emulator
}
/** The next server takes over the session. Its container has the output from that offset on. */
const takenOver = async (output: Buffer, from = Math.max(0, output.length - LOG_BYTES)) => {
  const { keeper, mirrors, open } = newServer()
  const to = output.length
  const kept = await keeper.load(id, { cols: 80, rows: 24, from, to })
  const opened = open(from, { kept, to })
  /** What a new page shows. */
  const shown = async (): Promise<Emulator> => {
    const viewed = opened.session.view(null, null, true)
    await opened.print(output.subarray(from))
    const { offset, size, data } = (await viewed)!
    const emulator = createEmulator(size)
    await written(emulator, data)
    await written(emulator, opened.session.read(offset))
    return emulator
  }
  return { ...opened, mirrors, shown }
}
const openedAnew = async (output: Buffer, from?: number): Promise<Emulator> => (await takenOver(output, from)).shown()

describe('a session that another server takes over', () => {
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
      await vi.waitFor(() => expect(existsSync(file)).toBe(true), PATIENTLY)
    }
    const more = Buffer.concat([output, Buffer.from('\x1b[5;5Hprinted while no server was there \x1b[3')])
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
    // The program has drawn the whole screen again since.
    expect(stateOf(emulator).alternate).toEqual(stateOf(await whole(Buffer.from(BEGINNING + DRAWN + DRAWN))).alternate)
  })
})

const DRAWN_OVER = 'a screen that is drawn over and over'
/**
 * Endless output. Either the screen and its scrollback take more than a megabyte, or parts of the screen may be of any
 * age.
 */
const FLOODS: Record<string, { piece: (n: number) => string; bytes: number }> = {
  'lines that are not read': { piece: (n) => `${n} ${'漢字'.repeat(17)}\r\n`, bytes: 40_000_000 },
  'lines of many colours': {
    piece: (n) => `${[1, 2, 3, 4, 5, 6].map((at) => `\x1b[1;3${(n + at) % 8}m${n}\x1b[0m of `).join('')}\r\n`,
    bytes: 12_000_000,
  },
  [DRAWN_OVER]: {
    piece: (n) => `\x1b[${(n % 24) + 1};${(n % 60) + 1}H\x1b[4${n % 8}m漢 word ${n}`,
    bytes: 12_000_000,
  },
}
/** Kills the server. The container may have dropped only the output that was acknowledged by then. */
const killed = async ({ mirrors, pty }: { mirrors: Mirrors; pty: ScriptedPty }): Promise<number> => {
  const { stdout: acknowledged } = pty.acknowledged
  await mirrors.close()
  return acknowledged
}
/**
 * The program goes on after the kill, until the container pauses it. The container keeps all unacknowledged output, and
 * a megabyte at most.
 */
const afterKill = (output: Buffer, acknowledged: number, piece: (n: number) => string): Buffer => {
  const more: Buffer[] = [output]
  for (let [n, left] = [0, acknowledged + LOG_BYTES - output.length]; left > 0; left -= more.at(-1)!.length)
    more.push(Buffer.from(piece((n += 1))).subarray(0, left))
  return Buffer.concat(more)
}
const flooded = async (print: (bytes: Buffer) => Promise<void>, piece: (n: number) => string, bytes: number) => {
  const all: Buffer[] = []
  for (let [n, length] = [0, 0]; length < bytes; length += all.at(-1)!.length) {
    all.push(Buffer.from(Array.from({ length: 2000 }, () => piece((n += 1))).join('')))
    await print(all.at(-1)!)
  }
  return Buffer.concat(all)
}

describe('a session whose server is killed in the middle of a flood', () => {
  // In the short form the flood of which each part of the screen may be of any age.
  it.each(Object.entries(FLOODS).filter(([name]) => isLongForm || name === DRAWN_OVER))(
    'has the same screen with %s',
    async (_name, { piece, bytes }) => {
      const { mirrors, open } = newServer()
      const { pty, print } = open(0, { kept: null, to: 0 })
      const beginning = Buffer.from(BEGINNING.replace('\x1b[?1049h\x1b[3;10r', ''))
      await print(beginning)
      const output = Buffer.concat([beginning, await flooded(print, piece, bytes)])
      const acknowledged = await killed({ mirrors, pty })
      const all = afterKill(output, acknowledged, piece)
      expect(stateOf(await openedAnew(all, acknowledged))).toEqual(stateOf(await whole(all)))
    },
  )

  // Before and behind the size of a piece, and more than the container keeps. In the short form one size.
  it.each([270_000, ...inLongForm([100_000, 250_000, 600_000, 1_300_000])])(
    'has it where %d bytes had come since its screen was kept',
    async (bytes) => {
      const { mirrors, open } = newServer()
      const { pty, mirror, print } = open(0, { kept: null, to: 0 })
      const { piece } = FLOODS[DRAWN_OVER]!
      const before = await flooded(print, piece, 300_000)
      const kept = (): string[] => readdirSync(join(dataDir, 'screens')).map((name) => name.split('.').at(-1)!)
      await vi.waitFor(() => expect(kept().sort()).toEqual(['screen', 'sizes']), PATIENTLY)
      const output = Buffer.concat([before, await flooded(print, (n) => piece(n * 7), bytes)])
      await expect.poll(() => mirror.backlog).toBe(0)
      const acknowledged = await killed({ mirrors, pty })
      // This output draws nothing, so it cannot hide a loss.
      const all = afterKill(output, acknowledged, (n) => `\x1b[3${n % 8}m`)
      expect(stateOf(await openedAnew(all, acknowledged))).toEqual(stateOf(await whole(all)))
    },
  )

  // `mirror/mirrors.test.ts` is the same again from a kept screen and the sizes since.
  longIt('has it also where its size changed meanwhile', async () => {
    const { files, mirrors, open } = newServer()
    const { session, print } = open(0, { kept: null, to: 0 })
    const { piece } = FLOODS['lines that are not read']!
    const outputs = [await flooded(print, piece, 30_000_000)]
    const sizes = [
      { cols: 60, rows: 20 },
      { cols: 80, rows: 24 },
    ]
    const emulator = createEmulator(sizes[1]!)
    // The later output scrolls everything before these bytes away.
    await written(emulator, outputs[0]!.subarray(-4_000_000))
    for (const size of sizes) {
      session.resize(size.cols, size.rows)
      emulator.terminal.resize(size.cols, size.rows)
      outputs.push(await flooded(print, piece, 1_000_000))
      await written(emulator, outputs.at(-1)!)
      const kept = async () => parseSizes((await files.read(id, 'sizes')) as Buffer)?.at(-1)
      await expect.poll(kept).toMatchObject({ size })
    }
    await mirrors.close()
    expect(stateOf(await openedAnew(Buffer.concat(outputs)))).toEqual(stateOf(emulator))
  })

  // The tests before kill one server.
  longIt('has it also where the next one is killed, too', async () => {
    const { piece } = FLOODS[DRAWN_OVER]!
    const first = newServer()
    const { pty, print } = first.open(0, { kept: null, to: 0 })
    const before = await flooded(print, piece, 5_000_000)
    const next = await takenOver(before, await killed({ ...first, pty }))
    await next.shown()
    const output = Buffer.concat([before, await flooded(next.print, (n) => piece(n * 7), 5_000_000)])
    const acknowledged = await killed(next)
    const all = afterKill(output, acknowledged, (n) => piece(n * 11))
    expect(stateOf(await openedAnew(all, acknowledged))).toEqual(stateOf(await whole(all)))
  })

  it('has nothing on the disk of what it printed once it is over', async () => {
    const { keeper, open } = newServer()
    const { session, print } = open(0, { kept: null, to: 0 })
    await flooded(print, FLOODS['lines of many colours']!.piece, 5_000_000)
    const left = (): string[] => readdirSync(join(dataDir, 'screens'))
    expect(left().filter((name) => name.endsWith('.output'))).not.toEqual([])
    session.end(disconnected)
    await keeper.close()
    await expect.poll(left).toEqual([])
  })
})
