import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WINDOW_BYTES } from '@slipway/protocol'
import { inLongForm, longIt } from '@slipway/testing/forms'
import { PATIENTLY } from '@slipway/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { blindViewer } from '../../../../../test/support/terminals/blind.ts'
import { stateOf } from '@slipway/emulator/testing'
import { PATIENT } from '../../../../../test/support/terminals/patient-disk.ts'
import { scriptedSession } from '../../../../../test/support/scripted/session.ts'
import { silentLog } from '../../../../lib/log.ts'
import { disconnected } from '../../../sessions/ending.ts'
import { createEmulator, type Emulator, PRINT_BYTES } from '@slipway/emulator/headless'
import type { Beginning, Mirror } from './mirror.ts'
import type { Snapshot } from '../snapshot.ts'
import { Mirrors } from './mirrors.ts'

const start = (limits?: ConstructorParameters<typeof Mirrors>[1]) => {
  const mirrors = new Mirrors(silentLog, limits)
  onTestFinished(() => mirrors.close())
  return mirrors
}
/** A session with its mirror, as the starter sets them up. */
const follow = (mirrors: Mirrors, from = 0, beginning?: Beginning) => {
  const { pty, session } = scriptedSession({ from, id: randomUUID() })
  const mirror = mirrors.open(session, beginning)
  session.observe(mirror)
  session.mirrorIn((lines) => mirror.print(lines))
  onTestFinished(() => session.end(disconnected))
  return { pty, session, mirror }
}
const shown = async (snapshot: Snapshot | null): Promise<Emulator> => {
  const emulator = createEmulator(snapshot!.size)
  await new Promise<void>((resolve) => emulator.terminal.write(snapshot!.data, resolve))
  return emulator
}
const textOf = ({ terminal }: Emulator): string[] => {
  const { normal } = terminal.buffer
  return Array.from({ length: normal.length }, (_, y) => normal.getLine(y)!.translateToString(true))
}
const parsed = (mirror: Mirror) => vi.waitFor(() => expect(mirror.backlog).toBe(0), { ...PATIENTLY, interval: 5 })

describe('a mirror', () => {
  it('shows what was printed, with the offset that follows it', async () => {
    const { pty, session, mirror } = follow(start())
    pty.print('hello \x1b[31mworld')
    await parsed(mirror)
    const snapshot = await session.view(null, null, true)
    expect(snapshot).toMatchObject({ offset: session.offset, size: { cols: 80, rows: 24 } })
    expect(textOf(await shown(snapshot))[0]).toBe('hello world')
  })

  it('loses no byte of a flood, and holds the program up meanwhile', async () => {
    const { pty, session, mirror } = follow(start())
    let wasPaused = false
    for (let line = 0; line < 40_000; line++) {
      pty.print(`line ${line} ${'.'.repeat(60)}\r\n`)
      if (!pty.paused) continue
      wasPaused = true
      await vi.waitFor(() => expect(pty.paused).toBe(false), { ...PATIENTLY, interval: 1 })
    }
    await parsed(mirror)
    const text = textOf(await shown(await session.view(null, null, true)))
    expect(wasPaused).toBe(true)
    expect(text.length).toBe(10_024)
    expect(text.filter((line) => line !== '').map((line) => Number(line.split(' ')[1]))).toEqual(
      Array.from({ length: 10_023 }, (_, at) => 40_000 - 10_023 + at),
    )
  })

  // The test before has a flood that is held up.
  longIt('prints a screen from which the rest is still kept, however much comes meanwhile', async () => {
    const { pty, session } = follow(start())
    // None of it can be skimmed, so much has to be parsed before the screen is printed.
    const piece = '\x1b[1;1H\x1b[38;5;200m漢\x1b[2Lx\x1b[m'.repeat(500)
    const flood = async (bytes: number): Promise<void> => {
      for (const until = session.offset + bytes; session.offset < until;) {
        if (pty.paused) await vi.waitFor(() => expect(pty.paused).toBe(false), { ...PATIENTLY, interval: 1 })
        pty.print(piece)
      }
    }
    await flood(3_500_000)
    const viewed = session.view(null, null, true)
    await flood(6_000_000)
    const snapshot = await viewed
    expect(snapshot!.data.length).toBeGreaterThan(0)
  })

  it('changes its size before anything is printed, and between the first bytes', async () => {
    const { pty, session, mirror } = follow(start())
    session.resize(60, 10)
    pty.print('x'.repeat(80))
    await parsed(mirror)
    session.resize(100, 12)
    pty.print('y')
    await parsed(mirror)
    const snapshot = await session.view(null, null, true)
    expect(snapshot).toMatchObject({ size: { cols: 100, rows: 12 }, offset: session.offset })
    // It was wrapped at 60 columns. The line with the cursor stays wrapped.
    expect(textOf(await shown(snapshot)).slice(0, 2)).toEqual(['x'.repeat(60), `${'x'.repeat(20)}y`])
  })

  it('prints the same in slices, between which it does the work of others', async () => {
    const mirrors = start()
    const [one, other] = [follow(mirrors), follow(mirrors)]
    one.pty.print(Array.from({ length: 12_000 }, (_, n) => `\x1b[3${n % 8}mline ${n}\r\n`).join(''))
    await parsed(one.mirror)
    const whole = await one.mirror.print()
    const inSlices = one.mirror.print(null, { base: null })
    expect(await Promise.race([inSlices, other.mirror.print()])).toMatchObject({ offset: 0 })
    expect(Buffer.from((await inSlices)!.data).equals(whole!.data)).toBe(true)
  })

  it('changes its size between the same bytes as the session', async () => {
    const { pty, session, mirror } = follow(start())
    pty.print('x'.repeat(100) + '\r\n')
    session.resize(40, 10)
    pty.print('y'.repeat(50) + '\r\n')
    session.resize(60, 12)
    await parsed(mirror)
    const snapshot = await session.view(null, null, true)
    expect(snapshot!.size).toEqual({ cols: 60, rows: 12 })
    expect(textOf(await shown(snapshot)).slice(0, 3)).toEqual(['x'.repeat(60), 'x'.repeat(40), 'y'.repeat(50)])
  })

  it('begins at the oldest output that is kept of a session that was taken over', async () => {
    const { pty, session, mirror } = follow(start(), 5000)
    pty.print('what is left')
    await parsed(mirror)
    expect(await session.view(12, null, true)).toMatchObject({ offset: 5012 })
  })

  it('is the same again from a screen that was kept, the sizes since and the output since', async () => {
    const mirrors = start()
    const one = follow(mirrors)
    one.pty.print('\x1b]2;title\x07\x1b[?2004h' + 'a line that is gone\r\n'.repeat(200))
    const before = one.session.offset
    one.pty.print('\x1b[?1049h\x1b[?1003h\x1b[31mdrawn \x1b[4')
    await parsed(one.mirror)
    const screen = (await one.mirror.print())!
    one.pty.print('mand more')
    one.session.resize(40, 10)
    const resized = { offset: one.session.offset, size: one.session.size }
    const rest = 'x'.repeat(100)
    one.pty.print(rest)
    one.session.resize(80, 24)
    const to = one.session.offset
    await parsed(one.mirror)
    const all = stateOf(await shown(await one.mirror.print()))

    const kept = { ...screen, sizes: [resized, { offset: to, size: { cols: 80, rows: 24 } }], past: null }
    const other = follow(mirrors, before, { kept, to })
    const viewed = other.session.view(null, null, true)
    other.pty.print('\x1b[?1049h\x1b[?1003h\x1b[31mdrawn \x1b[4mand more')
    other.pty.print(rest)
    const snapshot = await viewed
    expect(snapshot).toMatchObject({ offset: to, size: { cols: 80, rows: 24 } })
    expect(stateOf(await shown(snapshot))).toEqual(all)
  })

  it('has the modes and lines of a kept screen also where not all of what followed it is left', async () => {
    const mirrors = start()
    const one = follow(mirrors)
    one.pty.print('\x1b]2;title\x07\x1b[?2004hearly\r\n')
    await parsed(one.mirror)
    const screen = (await one.mirror.print())!
    const kept = { ...screen, sizes: [{ offset: 90, size: { cols: 60, rows: 10 } }], past: null }
    const other = follow(mirrors, 5000, { kept, to: 5011 })
    other.pty.print('of\r\nwhat is')
    const emulator = await shown(await other.session.view(null, null, true))
    expect(textOf(emulator).filter(Boolean)).toEqual(['early', '[some output is missing here]', 'what is'])
    expect(emulator.terminal.modes.bracketedPasteMode).toBe(true)
    expect([emulator.terminal.cols, emulator.terminal.rows]).toEqual([60, 10])
  })

  it('shows its last screen to all who could not follow when it ended, however many they are', async () => {
    const { pty, session, mirror } = follow(start())
    // Guests are left behind at once. The session's user has some time.
    const people = Array.from({ length: 50 }, (_, n) => ({ isHolder: n === 0, backlog: WINDOW_BYTES + 1 }))
    const ended = people.map(async ({ isHolder, backlog }) => {
      const shown: Snapshot[] = []
      const { promise, resolve } = Promise.withResolvers<Snapshot | undefined>()
      const viewer = blindViewer({
        backlog,
        snapshot: (snapshot) => void shown.push(snapshot),
        ended: () => resolve(shown[0]),
      })
      session.attach(viewer, 0, { name: '', isHolder, mayControl: false, handsOver: () => Promise.resolve() })
      return promise
    })
    pty.print('the last screen')
    await vi.waitFor(() => expect(pty.paused).toBe(false), PATIENTLY)
    session.end(disconnected)
    for (const snapshot of await Promise.all(ended)) {
      expect(textOf(await shown(snapshot ?? null))[0]).toBe('the last screen')
      expect(snapshot!.offset).toBe(15)
    }
    expect(mirror.isWaiting).toBe(false)
  })
})

describe('terminal output attacks the server: links, looks and marks without end, work without end, all memory: a mirror', () => {
  const journaled = (limits?: ConstructorParameters<typeof Mirrors>[1]) => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-mirrors-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const mirrors = start({ ...limits, journal: { folder, key: randomBytes(32), minFreeBytes: 0, ...PATIENT } })
    return { mirrors, files: () => readdirSync(folder) }
  }

  // They take twenty seconds. In the short form `emulator/src/headless/repaint.test.ts` prints a link that goes on and
  // on, and the next tests have the work and the memory that a program may take.
  it.each(
    inLongForm<[string, string, string, number]>([
      ['a link of ten megabytes that never ends', `\x1b]8;;${'a'.repeat(9_900_000)}\x1b\\`, 'x\r\n', 60],
      ['ten thousand long ones', '', `\x1b]8;;${'a'.repeat(2300)}\x1b\\x\r\n`, 10_100],
    ]),
  )('is nothing to the others, and bounded, after %s', async (_name, before, line, lines) => {
    const { mirrors } = journaled()
    const [good, bad] = [follow(mirrors), follow(mirrors)]
    const prints = async ({ pty, mirror }: typeof good, output: string): Promise<void> => {
      for (let at = 0; at < output.length; at += 65_536) {
        if (pty.paused) await vi.waitFor(() => expect(pty.paused).toBe(false), { ...PATIENTLY, interval: 1 })
        pty.print(output.slice(at, at + 65_536))
      }
      await parsed(mirror)
    }
    // This exceeds what the session keeps. Only its mirror knows the beginning, and only the disk has the output after
    // it.
    good.session.resize(200, 24)
    await prints(good, 'the oldest line\r\n' + `${'.'.repeat(200)}\r\n`.repeat(8000))
    await prints(bad, before + line.repeat(lines))
    const print = await bad.mirror.print()
    expect(print!.data.length).toBeLessThan(PRINT_BYTES)
    expect(textOf(await shown(print)).filter((text) => text === 'x').length).toBeGreaterThanOrEqual(60)
    expect(textOf(await shown(await good.mirror.print()))[0]).toBe('the oldest line')
    await prints(good, 'more')
    expect(good.mirror.keptTo).toBe(good.session.offset)
  })

  const lost = async ({ good, bad }: Record<'good' | 'bad', ReturnType<typeof follow>>) => {
    await vi.waitFor(async () => expect(await bad.mirror.print()).toBeNull(), PATIENTLY)
    expect([bad.mirror.backlog, bad.pty.paused]).toEqual([0, false])
    good.pty.print('after')
    await parsed(good.mirror)
    expect(textOf(await shown(await good.session.view(null, null, true)))[0]).toBe('before after')
  }

  it('is made anew when another one takes all of the memory, which goes without from then on', async () => {
    const mirrors = start({ silentMs: 30_000, heapMb: 48 })
    const [good, bad] = [follow(mirrors), follow(mirrors)]
    good.pty.print('before ')
    await parsed(good.mirror)
    // Letters with many combining marks, each of which takes an object of its own.
    for (let n = 0; n < 4000 && (await bad.mirror.print(0)) !== null; n++)
      bad.pty.print(`a${'\u0301'.repeat(20)}`.repeat(1000))
    await lost({ good, bad })
  })

  it('is made anew when nothing is heard of any', async () => {
    const mirrors = start({ silentMs: 2500, heapMb: 512 })
    const [good, bad] = [follow(mirrors), follow(mirrors)]
    good.pty.print('before ')
    await parsed(good.mirror)
    // The most work that a program can request in the fewest bytes: it moves a thousand lines, thousands of times.
    bad.session.resize(1000, 1000)
    bad.pty.print('\u001b[1000L\u001b[1000M'.repeat(9000))
    await lost({ good, bad })
  })
  it('leaves nothing on the disk for a session without a mirror', async () => {
    const { mirrors, files } = journaled({ silentMs: 2500 })
    const { pty, session, mirror } = follow(mirrors)
    for (let n = 0; n < 4; n++) {
      pty.print(`${'.'.repeat(70)}\r\n`.repeat(2000))
      await parsed(mirror)
    }
    expect(files().length).toBe(1)
    session.resize(1000, 1000)
    pty.print('\u001b[1000L\u001b[1000M'.repeat(9000))
    await vi.waitFor(async () => expect(await mirror.print()).toBeNull(), PATIENTLY)
    await vi.waitFor(() => expect(files()).toEqual([]), PATIENTLY)
  })
})
