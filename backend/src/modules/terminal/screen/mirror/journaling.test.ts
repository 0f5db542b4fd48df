import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { kept, scriptedMirror, type Sent } from '../../../../../test/support/scripted/mirror.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('what follows a kept screen', () => {
  const journaled = (sent: readonly Sent[]) =>
    sent.flatMap((message): (number | null | number[])[] => {
      if (message.type === 'journal') return [[message.from, message.bytes.length, ...message.older]]
      return message.type === 'kept' ? [message.offset] : []
    })
  const follows = () => {
    const its = scriptedMirror(500, true)
    its.mirror.begin({ kept, to: 500 })
    let at = 500
    const comes = (bytes: number): void => {
      its.comes((at += bytes))
      its.mirror.hear({ type: 'taken', key: 1 })
      its.mirror.hear({ type: 'taken', key: 1 })
    }
    return { ...its, comes, at: () => at }
  }

  it('is on the disk from where it is much, with all that came before, until little has followed the next', () => {
    const { mirror, source, comes, sent, at } = follows()
    comes(200_000)
    expect(journaled(sent)).toEqual([])
    comes(100_000)
    comes(100_000)
    expect(journaled(sent)).toEqual([[500, 300_000]])
    expect(mirror.kept(500 + 100_000)).toBe(false)
    // Output that the container may have dropped stays on the disk.
    source.acknowledged = at()
    expect(mirror.kept(at() - 100)).toBe(false)
    source.acknowledged = at() - 100
    expect(mirror.kept(at() - 100)).toBe(true)
    expect(journaled(sent).slice(1)).toEqual([100_500, at() - 100, null])
    comes(200_000)
    mirror.kept(at())
    comes(200_000)
    expect(journaled(sent).length).toBe(4)
    comes(200_000)
    comes(1)
    expect(journaled(sent).length).toBe(5)
  })

  it('cannot be written any more where the session has forgotten it, and is with a later screen', () => {
    const { mirror, source, comes, sent, at } = follows()
    comes(300_000)
    comes(1)
    mirror.hear({ type: 'unjournaled', key: 1, cause: 'full' })
    source.start = at() + 1
    void mirror.print(null, { base: null })
    expect(journaled(sent).length).toBe(1)
    source.start = at()
    void mirror.print(null, { base: null })
    expect(journaled(sent).slice(1)).toEqual([[at(), 0]])
  })

  it('stays in the container until it is on the disk', () => {
    const { mirror, source, comes, at } = follows()
    comes(200_000)
    expect(mirror.keptTo).toBe(500)
    comes(100_000)
    source.offset += 10
    mirror.output(new Uint8Array(10))
    vi.advanceTimersByTime(5)
    expect(mirror.keptTo).toBe(500)
    mirror.hear({ type: 'taken', key: 1 })
    expect(mirror.keptTo).toBe(at() + 10)
    mirror.kept(at() + 10)
    expect(mirror.keptTo).toBe(at() + 10)
    mirror.lose()
    expect(mirror.keptTo).toBe(Infinity)
  })

  it('is tried again with the next screen after a failed write, and the session does not wait for it until then', () => {
    const { mirror, comes, sent, at } = follows()
    comes(300_000)
    comes(1)
    mirror.hear({ type: 'unjournaled', key: 1, cause: 'disk full' })
    comes(300_000)
    expect([journaled(sent).length, mirror.keptTo]).toEqual([1, Infinity])
    for (let n = 0; n < 3; n++) mirror.hear({ type: 'taken', key: 1 })
    void mirror.print(null, { base: null })
    expect(journaled(sent).at(-1)).toEqual([at(), 0])
    mirror.kept(at())
    expect(mirror.keptTo).toBe(at())
  })

  it('is not believed to be on the disk where it was given up before the screen was kept', () => {
    const { mirror, source, comes, sent, at } = follows()
    comes(300_000)
    comes(1)
    const printedAt = at()
    mirror.hear({ type: 'unjournaled', key: 1, cause: 'disk full' })
    source.acknowledged = printedAt + 100
    mirror.kept(printedAt)
    expect(mirror.keptTo).toBe(Infinity)
    mirror.kept(printedAt + 100)
    expect(mirror.keptTo).toBe(printedAt + 100)
    expect(journaled(sent).length).toBe(1)
  })

  it('begins with the next screen where its thread was replaced', () => {
    const { mirror, source, comes, sent } = follows()
    // All output is available, but the kept screen is a later one.
    source.start = 0
    mirror.beginAgain()
    for (let n = 0; n < 5; n++) comes(100_000)
    expect([journaled(sent), mirror.keptTo]).toEqual([[], Infinity])
    mirror.lose()
  })

  it('is not printed for the disk while what came before is still on its way', async () => {
    const { mirror, types } = scriptedMirror(100)
    mirror.begin({ kept, to: 900 })
    expect(await mirror.print(null, { base: null })).toBeNull()
    expect(types()).toEqual(['open'])
    mirror.lose()
  })
})
