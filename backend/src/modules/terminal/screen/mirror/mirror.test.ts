import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { kept, scriptedMirror, type Sent, size } from '../../../../../test/support/scripted/mirror.ts'
import { Semaphore } from '../../../../lib/semaphore.ts'
import type { Past } from '../journal/past.ts'
import { serverStopping } from '../../../sessions/ending.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a mirror that begins with a kept screen', () => {
  it('is printed when the output of before is there, and waits for no other', () => {
    const { mirror, comes, types } = scriptedMirror(100)
    mirror.begin({ kept, to: 900 })
    void mirror.print()
    comes(300)
    expect([types(), mirror.isWaiting, mirror.backlog]).toEqual([['open'], false, 0])
    comes(600)
    expect(types()).toEqual(['open', 'write'])
    comes(900)
    mirror.hear({ type: 'taken', key: 1 })
    expect(types()).toEqual(['open', 'write', 'write'])
    mirror.hear({ type: 'taken', key: 1 })
    expect(types()).toEqual(['open', 'write', 'write', 'print'])
    expect(mirror.isWaiting).toBe(true)
  })

  it('gives no viewer a screen from which the output does not go on, however long they wait', async () => {
    const { mirror, comes, types } = scriptedMirror(100)
    mirror.begin({ kept, to: 900 })
    const printed = mirror.print()
    comes(300)
    vi.advanceTimersByTime(10_000)
    expect(await printed).toBeNull()
    expect(await mirror.print()).toBeNull()
    // The output arrives late, but it arrives.
    comes(600)
    void mirror.print()
    expect(types()).toEqual(['open', 'write', 'print'])
    mirror.lose()
  })

  it('is closed with its session where it can no longer be shown to a viewer', () => {
    const { mirror, types } = scriptedMirror(100)
    mirror.begin({ kept, to: 900 })
    void mirror.print()
    mirror.ended(serverStopping, true)
    expect(types()).toEqual(['open'])
    vi.advanceTimersByTime(10_000)
    expect(types()).toEqual(['open', 'close'])
  })

  it('is printed as it is where the output stops before what was said', () => {
    const { mirror, comes, types } = scriptedMirror(100)
    mirror.begin({ kept, to: 900 })
    void mirror.print()
    comes(600)
    expect(types()).toEqual(['open', 'write'])
    vi.advanceTimersByTime(10_000)
    expect(types()).toEqual(['open', 'write', 'print'])
    mirror.lose()
  })
})

describe('a print that many viewers ask for', () => {
  const printed = { type: 'printed', key: 1, taken: 0, data: new Uint8Array(), ...size, base: null } as const

  it('is one for all who ask for the same number of lines, until more output is sent', async () => {
    const { mirror, comes, types } = scriptedMirror(100)
    mirror.begin()
    const [one, same, fewer] = [mirror.print(), mirror.print(), mirror.print(1000)]
    comes(300)
    void mirror.print()
    vi.advanceTimersByTime(5)
    const later = mirror.print()
    expect(types()).toEqual(['open', 'tear', 'print', 'print', 'write', 'print'])
    expect([same === one, fewer === one, later === one]).toEqual([true, false, false])
    mirror.hear({ ...printed, request: 1 })
    expect(await same).toMatchObject({ offset: 100 })
    mirror.lose()
    expect(await later).toBeNull()
  })

  it('is another one after the answer, and while it is held back the same all the time', () => {
    const { mirror, comes, types } = scriptedMirror(100)
    mirror.begin({ kept, to: 900 })
    for (const until of [300, 600, 700]) {
      for (let n = 0; n < 50; n++) void mirror.print()
      comes(until)
      mirror.hear({ type: 'taken', key: 1 })
    }
    comes(900)
    for (let n = 0; n < 3; n++) mirror.hear({ type: 'taken', key: 1 })
    expect(types().filter((type) => type === 'print').length).toBe(1)
    mirror.hear({ ...printed, request: 1 })
    void mirror.print()
    expect(types().filter((type) => type === 'print').length).toBe(2)
    mirror.lose()
  })
})

describe('a mirror whose session changes its size', () => {
  const sizesOf = (sent: readonly Sent[]): (number | string)[] =>
    sent.map((message) => (message.type === 'resize' ? message.cols : message.type))

  it('tells the thread one at a time, and of those that came meanwhile the last', () => {
    const { mirror, comes, sent } = scriptedMirror(100)
    mirror.begin()
    for (let cols = 1; cols <= 1000; cols++) mirror.resized({ cols, rows: 24 })
    expect(sizesOf(sent)).toEqual(['open', 'tear', 1])
    expect(mirror.isWaiting).toBe(true)
    // The output after the change is for a screen of the new size.
    comes(300)
    expect(sizesOf(sent).length).toBe(3)
    for (let n = 0; n < 2; n++) mirror.hear({ type: 'taken', key: 1 })
    expect(sizesOf(sent).slice(3)).toEqual([1000, 'write'])
    expect(mirror.backlog).toBe(200)
    mirror.hear({ type: 'taken', key: 1 })
    expect([mirror.backlog, mirror.isWaiting]).toEqual([0, false])
  })

  it('is printed with the size of now', () => {
    const { mirror, sent } = scriptedMirror(100)
    mirror.begin()
    for (const cols of [10, 20, 30]) mirror.resized({ cols, rows: 24 })
    void mirror.print()
    expect(sizesOf(sent).slice(2)).toEqual([10, 30, 'print'])
    mirror.resized({ cols: 40, rows: 24 })
    mirror.hear({ type: 'taken', key: 1 })
    expect(sizesOf(sent).length).toBe(5)
    mirror.hear({ type: 'taken', key: 1 })
    expect(sizesOf(sent).slice(5)).toEqual([40])
    mirror.lose()
  })
})

describe('a mirror that begins with what an earlier server wrote', () => {
  const pieces = (...lengths: number[]) => {
    const left = [...lengths]
    return {
      segments: [3, 4],
      next: () => Promise.resolve(left.length ? new Uint8Array(left.shift()!) : null),
    } as unknown as Past
  }
  const lengths = (sent: readonly Sent[]): (number | string)[] =>
    sent.map((message) => (message.type === 'write' ? message.bytes.length : message.type))
  const reads = () => vi.advanceTimersByTimeAsync(0)

  it('is given that first, in its sizes, and goes on with what the session has of it', async () => {
    const { mirror, comes, sent } = scriptedMirror(100)
    const sizes = [{ offset: 70, size }]
    mirror.begin({ kept: { ...kept, offset: 50, sizes, past: pieces(30, 40) }, to: 200 })
    for (let n = 0; n < 7; n++) {
      await reads()
      mirror.hear({ type: 'taken', key: 1 })
    }
    expect(lengths(sent)).toEqual(['open', 20, 'resize', 10, 40])
    // Output that arrived meanwhile is sent in its turn.
    comes(200)
    mirror.hear({ type: 'taken', key: 1 })
    expect(lengths(sent).slice(5)).toEqual([80])
    const printed = mirror.print()
    mirror.hear({ type: 'taken', key: 1 })
    mirror.hear({ type: 'printed', key: 1, request: 1, taken: 150, data: new Uint8Array(), ...size, base: null })
    expect(await printed).toMatchObject({ offset: 200 })
  })

  it('does not say that it cannot be printed however long that takes', async () => {
    const { mirror, comes, sent } = scriptedMirror(100)
    const left = [15, 15, 15, 15]
    const next = async () => {
      await new Promise((resolve) => setTimeout(resolve, 4000))
      return left.length > 0 ? new Uint8Array(left.shift()!) : null
    }
    mirror.begin({ kept: { ...kept, offset: 50, past: { segments: [], next } as unknown as Past }, to: 120 })
    void mirror.print()
    comes(120)
    for (let n = 0; n < 5; n++) {
      await vi.advanceTimersByTimeAsync(4000)
      mirror.hear({ type: 'taken', key: 1 })
    }
    mirror.hear({ type: 'taken', key: 1 })
    expect(lengths(sent)).toEqual(['open', 15, 15, 15, 15, 10, 'print'])
  })

  it('is read one after the other, and not for one that is lost', async () => {
    const replays = new Semaphore(1, Infinity)
    const [one, two, three] = [
      scriptedMirror(100, false, replays),
      scriptedMirror(100, false, replays),
      scriptedMirror(100, false, replays),
    ]
    for (const { mirror } of [one, two, three])
      mirror.begin({ kept: { ...kept, offset: 50, past: pieces(20, 30) }, to: 100 })
    await reads()
    expect([one, two, three].map(({ sent }) => lengths(sent))).toEqual([['open', 20], ['open'], ['open']])
    two.mirror.lose()
    for (let n = 0; n < 3; n++) {
      one.mirror.hear({ type: 'taken', key: 1 })
      await reads()
    }
    expect(lengths(one.sent)).toEqual(['open', 20, 30])
    await reads()
    expect([two, three].map(({ sent }) => lengths(sent))).toEqual([['open'], ['open', 20]])
    // After its thread was replaced, a mirror begins without the output on the disk.
    three.mirror.beginAgain()
    const four = scriptedMirror(100, false, replays)
    four.mirror.begin({ kept: { ...kept, offset: 50, past: pieces(20) }, to: 100 })
    await reads()
    expect(lengths(four.sent)).toEqual(['open', 20])
  })

  it('is left out where too many wait already', async () => {
    const { mirror, comes, sent } = scriptedMirror(100, false, new Semaphore(0, 0))
    mirror.begin({ kept: { ...kept, offset: 50, past: pieces(50) }, to: 120 })
    comes(120)
    await reads()
    expect(lengths(sent)).toEqual(['open', 'tear', 20])
  })

  it('goes on without where the disk hangs', async () => {
    const { mirror, comes, sent } = scriptedMirror(100)
    const next = () => new Promise(() => undefined)
    mirror.begin({ kept: { ...kept, offset: 50, past: { segments: [], next } as unknown as Past }, to: 120 })
    comes(120)
    await vi.advanceTimersByTimeAsync(5000)
    expect(lengths(sent)).toEqual(['open', 'tear', 20])
  })

  it('says so where it ends before what the container has, and knows where it is', async () => {
    const { mirror, comes, sent, missing } = scriptedMirror(150)
    mirror.begin({ kept: { ...kept, offset: 50, past: pieces(30) }, to: 150 })
    comes(150)
    for (let n = 0; n < 3; n++) {
      await reads()
      mirror.hear({ type: 'taken', key: 1 })
    }
    expect(lengths(sent)).toEqual(['open', 30, 'tear', 50])
    expect(missing).toEqual([20])
    const printed = mirror.print()
    mirror.hear({ type: 'printed', key: 1, request: 1, taken: 80, data: new Uint8Array(), ...size, base: null })
    expect(await printed).toMatchObject({ offset: 150 })
  })
})

describe('a mirror that has made a mistake', () => {
  it('prints nothing, delays no session, and leaves what is on the disk', async () => {
    const { mirror, comes, types, sent } = scriptedMirror(600)
    mirror.begin({ kept, to: 600 })
    const asked = mirror.print()
    mirror.failed()
    mirror.failed()
    comes(700)
    expect(await Promise.all([asked, mirror.print()])).toEqual([null, null])
    expect([types(), sent.at(-1), mirror.backlog]).toEqual([
      ['open', 'write', 'print', 'close'],
      { type: 'close', goesOn: true },
      0,
    ])
  })
})
