/**
 * Output may be cut anywhere. A screen that was kept there, plus the rest, has to equal the screen of the whole output.
 */
import { describe, expect, it } from 'vitest'
import { anything, numbers, stateOf, written } from '@slipway/emulator/testing'
import { createEmulator, type Emulator, repaint } from '@slipway/emulator/headless'
import { SessionScreen } from './session-screen.ts'

const size = { cols: 20, rows: 6 }
const nothing = (): void => undefined
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text))

const screenWith = async (bytes: Uint8Array): Promise<SessionScreen> => {
  const screen = new SessionScreen(size, nothing, nothing)
  void screen.write(new Uint8Array(bytes))
  await screen.after(nothing)
  return screen
}
/** The print, as the thread makes it. */
const printed = (screen: SessionScreen): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat([Buffer.from(repaint(screen.emulator)), screen.unfinished]))

const restored = async (kept: Uint8Array, rest: Uint8Array, isTorn = false): Promise<Emulator> => {
  const screen = new SessionScreen(size, nothing, nothing)
  void screen.restore(kept, nothing)
  if (isTorn) void screen.tear()
  await screen.write(new Uint8Array(rest))
  await screen.after(nothing)
  await screen.close()
  return screen.emulator
}
const whole = async (bytes: Uint8Array): Promise<Emulator> => {
  const emulator = createEmulator(size)
  await written(emulator, bytes)
  return emulator
}
const textOf = ({ terminal }: Emulator): string[] => {
  const { active } = terminal.buffer
  return Array.from({ length: active.length }, (_, y) => active.getLine(y)!.translateToString(true)).filter(Boolean)
}

describe('a screen that was kept, and what followed it', () => {
  const sameWhereverCut = async (output: Uint8Array, cuts: Iterable<number>): Promise<void> => {
    const all = stateOf(await whole(output))
    for (const at of cuts) {
      const before = await screenWith(output.subarray(0, at))
      const emulator = await restored(printed(before), output.subarray(at))
      expect(stateOf(emulator), `cut at ${at}: ${JSON.stringify(Buffer.from(output).toString())}`).toEqual(all)
      await before.close()
    }
  }

  it('are the same as all of it, cut in a letter or in a sequence', async () => {
    const output = bytesOf(
      'é漢👩 \x1b[1;38:2::1:2:3mx\x1b]2;a title é\x07\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\' +
        '\u009b31mred\x1bP$qm\x1b\\\x1b(0q\x1b(B\x1b[?1049h\x1b[2;\r3Hy\x1b[>1u' +
        '\x1b]7501;state=blocked:kind=question:msg=w6k=\x07\x1b7',
    )
    await sameWhereverCut(output, Array(output.length + 1).keys())
  })

  it.each(['', '\x1b[?2027l'])('are the same, cut in an emoji (%j)', async (mode) => {
    const output = bytesOf(`${mode}\x1b[1;7mא👍🏽⚠\ufe0f🇩🇪🇫🇷e\u0301👨\u200d👩\u200d👧1\ufe0f\u20e3|`)
    await sameWhereverCut(output, Array(output.length + 1).keys())
  })

  it('are the same after any output', async () => {
    for (let seed = 1; seed <= 100; seed++) {
      const next = numbers(seed)
      const output = bytesOf(Array.from({ length: 60 }, () => anything(next)).join(''))
      await sameWhereverCut(output, [next(output.length), next(output.length)])
    }
  })

  it('bounds what is kept of a sequence that does not end', async () => {
    const screen = await screenWith(bytesOf(`\x1b]2;${'t'.repeat(300_000)}`))
    expect(screen.unfinished.length).toBe(65_536)
    const emulator = await restored(printed(screen), bytesOf('and more\x07shown'))
    expect(textOf(emulator)).toEqual(['shown'])
    await screen.close()
  })
})

describe('a change of size', () => {
  it('is said before and after, as each piece is: it may take long, and ten times the memory', async () => {
    const told: string[] = []
    const screen: SessionScreen = new SessionScreen(
      size,
      () => void told.push(`before ${screen.emulator.terminal.cols}`),
      () => void told.push(`after ${screen.emulator.terminal.cols}`),
    )
    await screen.write(bytesOf('x'))
    await screen.resize({ cols: 30, rows: 6 })
    expect(told).toEqual(['before 20', 'after 20', 'before 20', 'after 30'])
    await screen.close()
  })
})

describe('a screen that is printed while no viewer waits', () => {
  it('does not hold its session up, and shows what there was when it was begun', async () => {
    const lines = (name: string): string => Array.from({ length: 4000 }, (_, at) => `${name} ${at}\r\n`).join('')
    const [first, second] = [bytesOf(lines('first')), bytesOf(lines('second'))]
    const screen = await screenWith(first)
    const found = { to: 0, screen: '' }
    const [begun, enough] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()]
    const printing = screen.meanwhile(async () => {
      begun.resolve(null)
      await enough.promise
      Object.assign(found, { to: screen.parsedTo, screen: repaint(screen.emulator) })
    })
    await begun.promise
    await screen.write(second)
    await screen.write(second)
    enough.resolve(null)
    await printing
    expect(found).toEqual({ to: first.length, screen: repaint(await whole(first)) })
    await screen.after(nothing)
    expect(stateOf(screen.emulator)).toEqual(stateOf(await whole(Buffer.concat([first, second, second]))))
    expect(screen.parsedTo).toBe(first.length + 2 * second.length)
    await screen.close()
  })
})

describe('a screen that was kept, and what is left of what followed it', () => {
  it('keeps its modes and its lines, says that something is missing, and does not show half of a sequence', async () => {
    const before = await screenWith(bytesOf('\x1b]2;title\x07\x1b[?2004hfirst\r\nsecond\x1b[3'))
    const emulator = await restored(printed(before), bytesOf('8;5;3mhalf a line\r\nthird'), true)
    expect(textOf(emulator)).toEqual(['first', 'second', '[some output is miss', 'ing here]', 'third'])
    expect(emulator.terminal.modes.bracketedPasteMode).toBe(true)
    expect(emulator.core._inputHandler._windowTitle).toBe('title')
    await before.close()
  })

  it('says nothing on a screen that a program draws, and goes on with its next sequence', async () => {
    const before = await screenWith(bytesOf('shell\x1b[?1049h\x1b[Hdrawn'))
    const emulator = await restored(printed(before), bytesOf(';3Hxx\x1b[2;1Hmore'), true)
    expect(textOf(emulator)).toEqual(['drawn', 'more'])
    await before.close()
  })

  it('says so where nothing was kept', async () => {
    const screen = new SessionScreen(size, nothing, nothing)
    void screen.tear()
    await screen.write(bytesOf('half a line\r\nwhole'))
    await screen.after(nothing)
    expect(textOf(screen.emulator)).toEqual(['[some output is miss', 'ing here]', 'whole'])
    await screen.close()
  })

  it('begins with a whole letter where there is neither a line nor a sequence', async () => {
    const emulator = await restored(new Uint8Array(), bytesOf('漢字').subarray(1), true)
    expect(textOf(emulator).at(-1)).toBe('字')
  })
})
