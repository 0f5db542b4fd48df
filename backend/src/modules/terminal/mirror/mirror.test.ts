import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ToMirrors } from './messages.ts'
import { Mirror } from './mirror.ts'

type Sent = ToMirrors extends infer One ? (One extends unknown ? Omit<One, 'key'> : never) : never

const size = { cols: 80, rows: 24 }
/** A session of which the output before `offset` has come. */
const setup = (offset: number) => {
  const sent: Sent[] = []
  const source = {
    id: 's',
    size,
    survives: true,
    start: 100,
    offset,
    read: (from: number, limit: number) => new Uint8Array(Math.max(0, Math.min(limit, source.offset - from))),
    consumed: () => undefined,
  }
  const mirror = new Mirror(source, {
    canJournal: false,
    send: (message) => void sent.push(message),
    closed: () => undefined,
  })
  const types = () => sent.map(({ type }) => type)
  const comes = (until: number): void => {
    source.offset = until
    mirror.output(new Uint8Array(1))
  }
  return { mirror, comes, types }
}
const kept = { offset: 500, size, data: Buffer.from('screen'), sizes: [], past: null }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a mirror that begins with a kept screen', () => {
  it('is printed when the output of before is there, and waits for no other', () => {
    const { mirror, comes, types } = setup(100)
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

  it('gives nobody a screen from which the output does not go on, however long they wait', async () => {
    const { mirror, comes, types } = setup(100)
    mirror.begin({ kept, to: 900 })
    const printed = mirror.print()
    comes(300)
    vi.advanceTimersByTime(10_000)
    expect(await printed).toBeNull()
    expect(await mirror.print()).toBeNull()
    // It is late, and there after all.
    comes(600)
    void mirror.print()
    expect(types()).toEqual(['open', 'write', 'print'])
    mirror.lose()
  })

  it('is printed as it is where the output stops before what was said', () => {
    const { mirror, comes, types } = setup(100)
    mirror.begin({ kept, to: 900 })
    void mirror.print()
    comes(600)
    expect(types()).toEqual(['open', 'write'])
    vi.advanceTimersByTime(10_000)
    expect(types()).toEqual(['open', 'write', 'print'])
    mirror.lose()
  })
})
