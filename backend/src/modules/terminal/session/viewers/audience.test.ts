import { WINDOW_BYTES } from '@slipway/protocol'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ann, Reader } from '../../../../../test/support/terminals/reader.ts'
import { scriptedSession } from '../../../../../test/support/scripted/session.ts'
import { FOLLOWED_MS, STALL_MIN_MS, STALL_MS } from './audience.ts'
import { serverStopping } from '../../../sessions/ending.ts'
import { linkRevoked } from '../../sharing/watchers.ts'

const open = scriptedSession

describe('a session whose viewer cannot follow', () => {
  it('stops reading while a viewer is a window behind, and goes on when it has caught up', () => {
    const { pty, session } = open()
    const slow = new Reader()
    session.attach(slow, 0, ann)
    slow.backlog = WINDOW_BYTES + 1
    pty.print('x')
    expect(pty.paused).toBe(true)
    slow.backlog = WINDOW_BYTES / 2 + 1
    session.consumed()
    expect(pty.paused).toBe(true)
    slow.backlog = WINDOW_BYTES / 2
    session.consumed()
    expect(pty.paused).toBe(false)
  })

  const stalledBehind = async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const here = open()
    const printed: (number | null)[] = []
    here.session.mirrorIn((lines) => {
      printed.push(lines)
      return Promise.resolve({ offset: here.session.offset, size: here.session.size, data: Buffer.from('now') })
    })
    const slow = new Reader()
    here.session.attach(slow, 0, ann)
    here.pty.print('one ')
    slow.backlog = WINDOW_BYTES + 1
    here.pty.print('two ')
    await vi.advanceTimersByTimeAsync(STALL_MS - 1)
    expect(here.pty.paused).toBe(true)
    await vi.advanceTimersByTimeAsync(1)
    return { ...here, slow, printed }
  }

  it('skips output for a viewer who cannot follow, and shows the screen when the viewer has caught up', async () => {
    const { pty, session, slow, printed } = await stalledBehind()
    expect(pty.paused).toBe(false)
    pty.print('three ')
    slow.backlog = 100_000
    session.consumed()
    expect([slow.seen, printed]).toEqual(['one two ', []])
    slow.backlog = 0
    session.consumed()
    // The viewer is told nothing while its screen is being printed.
    pty.print('four ')
    await vi.advanceTimersByTimeAsync(0)
    pty.print('five')
    expect([slow.seen, printed]).toEqual(['one two <screen at 14: now>four five', [null]])
  })

  it('sends less ahead to a viewer who was left behind, and more again to a viewer who is quick', async () => {
    const { pty, session, slow } = await stalledBehind()
    slow.backlog = 0
    session.consumed()
    await vi.advanceTimersByTimeAsync(0)
    const holdsUpAt = (backlog: number): boolean => {
      slow.backlog = backlog
      pty.print('x')
      const isPaused = pty.paused
      slow.backlog = 0
      session.consumed()
      return isPaused
    }
    expect(holdsUpAt(WINDOW_BYTES / 4)).toBe(false)
    expect(holdsUpAt(WINDOW_BYTES / 4 + 1)).toBe(true)
    expect(holdsUpAt(WINDOW_BYTES / 4 + 1)).toBe(false)
    expect(holdsUpAt(WINDOW_BYTES / 2 + 1)).toBe(true)
  })

  it('waits for less each time that a viewer cannot follow, and as long as at first after the viewer has followed for a while', async () => {
    const { pty, session, slow } = await stalledBehind()
    /** Returns how long the program waits before the viewer is left behind once more. */
    const stall = async (): Promise<number> => {
      slow.backlog = 0
      session.consumed()
      await vi.advanceTimersByTimeAsync(0)
      slow.backlog = WINDOW_BYTES + 1
      pty.print('x')
      const from = performance.now()
      while (pty.paused) await vi.advanceTimersByTimeAsync(1)
      return performance.now() - from
    }
    const waits = [await stall(), await stall(), await stall(), await stall()]
    expect(waits).toEqual([STALL_MS / 2, STALL_MS / 4, STALL_MIN_MS, STALL_MIN_MS])
    slow.backlog = 0
    session.consumed()
    await vi.advanceTimersByTimeAsync(FOLLOWED_MS)
    expect([await stall(), await stall()]).toEqual([STALL_MS, STALL_MS / 2])
  })

  it('keeps no timer for a viewer who has left', async () => {
    const { pty, session, slow } = await stalledBehind()
    const other = new Reader()
    session.attach(other, session.offset, ann)
    other.backlog = WINDOW_BYTES + 1
    pty.print('x')
    expect(pty.paused).toBe(true)
    session.detach(other)
    expect([pty.paused, vi.getTimerCount()]).toEqual([false, 0])
    expect(session.has(slow)).toBe(true)
  })

  it('shows nothing more to a viewer who was behind when their right was revoked', async () => {
    const { pty, session, slow } = await stalledBehind()
    pty.print('three')
    session.end(linkRevoked)
    expect(slow.endings).toEqual([linkRevoked])
    await vi.advanceTimersByTimeAsync(0)
    expect(slow.seen).toBe('one two ')
  })

  it('shows the last screen to a viewer who was behind at the end, before it tells of the end', async () => {
    const { pty, session, slow } = await stalledBehind()
    pty.print('three')
    session.end(serverStopping)
    expect(slow.endings).toEqual([])
    await vi.advanceTimersByTimeAsync(0)
    expect(slow.seen).toBe('one two <screen at 13: now>')
    expect(slow.endings).toEqual([serverStopping])
  })

  it('does not delay other viewers for a slow one', async () => {
    const { pty, session } = await stalledBehind()
    const quick = new Reader()
    session.attach(quick, session.offset, ann)
    pty.print('x'.repeat(WINDOW_BYTES * 2))
    expect([quick.seen.length, pty.paused]).toEqual([WINDOW_BYTES * 2, false])
  })

  it('goes on reading when the viewer that it waited for leaves', () => {
    const { pty, session } = open()
    const slow = new Reader()
    session.attach(slow, 0, ann)
    slow.backlog = WINDOW_BYTES * 2
    pty.print('x')
    session.detach(slow)
    expect(pty.paused).toBe(false)
  })
})
