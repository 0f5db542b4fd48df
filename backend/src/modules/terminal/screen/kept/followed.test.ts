import { describe, expect, it } from 'vitest'
import { connectionLost } from '../../../sessions/ending.ts'
import type { Kept } from '../mirror/mirror.ts'
import { ENOUGH_BYTES, Followed } from './followed.ts'

const size = { cols: 80, rows: 24 }

/** Sets up a session that is looked at every quarter of a second, as the keeper does. */
const setup = (kept: Kept | null = null) => {
  const session = { id: 's', start: 0, offset: kept?.offset ?? 0, size }
  const bases: (number | null | undefined)[] = []
  const toldKept: number[] = []
  let now = 0
  const followed = new Followed({
    session,
    mirror: {
      print: (_lines, keeping) => {
        bases.push(keeping?.base)
        return Promise.resolve(null)
      },
      kept: (offset) => toldKept.push(offset) > 0,
    },
    to: 0,
    kept,
    now,
    resized: () => undefined,
    ended: () => undefined,
  })
  /** Milliseconds until it is due while it prints `bytes` before each look; null: it is not due within `within`. */
  const due = (within: number, bytes = 0): number | null => {
    const from = now
    for (; now - from <= within; now += 250) {
      session.offset += bytes
      followed.look(now)
      if (followed.dueSince(now) !== null) return now - from
    }
    return null
  }
  return { session, followed, due, bases, toldKept, at: () => now }
}

describe('a screen', () => {
  it('is not due where nothing has come', () => {
    expect(setup().due(600_000)).toBeNull()
  })

  it('is due when much has come and it is calm, but not at once again', () => {
    const { session, followed, due, at } = setup()
    session.offset = ENOUGH_BYTES
    expect(due(10_000)).toBe(2000)
    void followed.print(at())
    followed.wasKept({ offset: session.offset, size, data: new Uint8Array() })
    session.offset += ENOUGH_BYTES
    expect(due(10_000)).toBe(2000)
  })

  it('is due after ten seconds where much comes steadily, and after a minute in a flood', () => {
    expect(setup().due(100_000, 40_000)).toBe(10_000)
    expect(setup().due(100_000, 1_000_000)).toBe(60_000)
  })

  it('is due after a minute where little has come, and after a change of its size alone not before more has', () => {
    expect(setup().due(100_000, 100)).toBe(60_000)
    // So little output needs no print: the next server draws the screen from it.
    expect(setup().due(100_000, 10)).toBeNull()
    const other = setup({ offset: 50, size, data: new Uint8Array(), sizes: [], past: null })
    other.followed.resized({ cols: 10, rows: 10 })
    expect(other.due(100_000)).toBeNull()
    expect(other.followed.sizes.all).toEqual([{ offset: 50, size: { cols: 10, rows: 10 } }])
  })

  it('knows the sizes since it was kept, and the first one where none was', () => {
    const { session, followed } = setup()
    session.offset = 10
    followed.resized({ cols: 10, rows: 10 })
    session.offset = 20
    followed.resized({ cols: 20, rows: 20 })
    expect(followed.sizes.all.map(({ offset }) => offset)).toEqual([0, 10, 20])
    followed.wasKept({ offset: 20, size, data: new Uint8Array() })
    expect(followed.sizes.all.map(({ offset }) => offset)).toEqual([20])
  })

  it('knows how much has come since it was kept, and is not printed again at once for that', () => {
    const { session, followed, at } = setup()
    session.offset = 5000
    followed.look(at() + 250)
    expect([followed.unkept, followed.mayPress(at() + 250), followed.mayPress(at() + 249)]).toEqual([5000, true, false])
    void followed.print(at() + 250)
    expect([followed.mayPress(at() + 499), followed.mayPress(at() + 500)]).toEqual([false, true])
    const screen = { offset: 4000, size, data: new Uint8Array() }
    followed.wasKept(screen)
    expect(followed.unkept).toBe(1000)
    expect([followed.isBehind({ ...screen, offset: 3999 }), followed.isBehind(screen)]).toEqual([true, false])
  })

  it('may be lines that followed a whole one that this server has kept, as long as the size is the same', () => {
    const { session, followed, bases, toldKept, at } = setup()
    const keeps = (offset: number, base?: number): void => {
      session.offset = offset + 10
      void followed.print(at())
      followed.wasKept({ offset, size, data: new Uint8Array(), base })
    }
    keeps(1000)
    keeps(2000, 1000)
    keeps(3000, 1000)
    expect(bases).toEqual([null, 1000, 1000])
    followed.resized({ cols: 10, rows: 10 })
    keeps(4000)
    expect(bases.at(-1)).toBeNull()
    keeps(5000)
    expect(bases.at(-1)).toBe(4000)
    expect(toldKept).toEqual([1000, 2000, 3000, 4000, 5000])
  })

  it('has the size that its session began with, however often that changed since', () => {
    const { session, followed } = setup()
    for (let n = 1; n <= 100; n++) {
      session.offset = n
      followed.resized({ cols: n, rows: 10 })
    }
    const all = followed.sizes.all
    expect([all.length, all[0], all.at(-1)?.size.cols]).toEqual([64, { offset: 0, size }, 100])
  })

  it('is nothing any more when its session is over, and goes on where that does', () => {
    const [one, two] = [setup().followed, setup().followed]
    one.ended(connectionLost, false)
    two.ended(connectionLost, true)
    expect([one.isOver, two.isOver]).toEqual([true, false])
  })
})
