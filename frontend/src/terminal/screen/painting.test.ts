// @vitest-environment happy-dom
import { FRAME_MAX_MS } from '@slipway/emulator'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openScreen, painted } from '../testing/screen.ts'

/** The timers of the page, oldest first. Time goes on only where a test lets it. */
let timers: { readonly act: () => void; readonly ms: number }[]
vi.mock('@/lib/timing/schedule.ts', () => ({
  afterMs: (act: () => void, ms: number) => {
    const timer = { act, ms }
    timers.push(timer)
    return () => void (timers = timers.filter((one) => one !== timer))
  },
}))

beforeEach(() => {
  timers = []
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => void vi.useRealTimers())

/** Lets the longest time pass that a frame is held back. */
const waitTooLong = async (): Promise<void> => {
  vi.advanceTimersByTime(FRAME_MAX_MS)
  const due = timers.filter(({ ms }) => ms <= FRAME_MAX_MS)
  for (const { act } of due) act()
  await painted()
}

const BEGIN = '\x1b[?2026h'
const END = '\x1b[?2026l'
const OLD = '\x1b[2J\x1b[Hold frame\r\nof two rows'
const HALF = `${BEGIN}\x1b[2J\x1b[Hnew half`
const REST = ` and the rest${END}`

describe('half of a frame', () => {
  it.each([
    ['', HALF],
    [' where its program goes to the other screen within it', `${BEGIN}\x1b[?1049h\x1b[2J\x1b[Hnew half`],
  ])('is not painted%s', async (_where, half) => {
    const { print, shown } = await openScreen()
    await print(OLD)
    await print(half)
    expect(shown()).toBe('old frame\nof two rows')
    await print(REST)
    expect(shown()).toBe('new half and the rest')
  })

  it('is painted where the rest does not come in time', async () => {
    const { print, shown } = await openScreen()
    await print(OLD)
    await print(HALF)
    await waitTooLong()
    expect(shown()).toBe('new half')
  })

  it('is painted at once where the terminal gets another size', async () => {
    const { print, shown, screen } = await openScreen()
    await print(OLD)
    await print(HALF)
    screen.resize({ cols: 80, rows: 23 })
    await painted()
    expect(shown()).toBe('new half')
  })
})

it('a frame is painted although its program begins the next one at once', async () => {
  const { print, shown } = await openScreen()
  await print(`${BEGIN}\x1b[Hframe 1`)
  vi.advanceTimersByTime(100)
  await print(`${END}${BEGIN}\x1b[Hframe 2`)
  expect(shown()).toBe('frame 1')
})

describe('a view that was scrolled up', () => {
  const lines = (from: number, to: number): string =>
    Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\r\n`).join('')
  const ANEW = `${BEGIN}\x1b[2J\x1b[3J\x1b[H`

  const begin = async () => {
    const opened = await openScreen()
    const { terminal, print, shown } = opened
    await print(lines(1, 300))
    terminal.scrollLines(-100)
    await painted()
    const view = { at: terminal.buffer.active.viewportY, shown: shown() }
    expect(view.shown).toMatch(/^line 178$/m)
    return { ...opened, view, now: () => ({ at: terminal.buffer.active.viewportY, shown: shown() }) }
  }

  it('stays where it is while its program prints everything anew, and nothing else is painted meanwhile', async () => {
    const { print, view, now, shown, terminal } = await begin()
    for (const piece of [`${ANEW}${lines(1, 100)}`, lines(101, 300)]) {
      await print(piece)
      expect(shown()).toBe(view.shown)
    }
    await print(`one more${END}`)
    expect(now()).toEqual(view)
    // Further output and further scrolling start from there.
    await print('\r\nand another')
    expect(now()).toEqual(view)
    terminal.scrollLines(-10)
    expect(now().at).toBe(view.at - 10)
  })

  it('comes back where the frame takes longer than it is held back', async () => {
    const { print, view, now } = await begin()
    await print(ANEW)
    await waitTooLong()
    await print(`${lines(1, 300)}one more${END}`)
    expect(now()).toEqual(view)
  })

  it('ends where there is nothing more, and one at the end stays there', async () => {
    const { print, shown, terminal } = await begin()
    await print(`${ANEW}${lines(1, 3)}one more${END}`)
    expect(shown()).toBe('line 1\nline 2\nline 3\none more')
    await print(`${ANEW}${lines(1, 300)}one more${END}`)
    expect(terminal.buffer.active.viewportY).toBe(terminal.buffer.active.baseY)
  })
})
