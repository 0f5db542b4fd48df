import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ann, Reader } from '../../../../../test/support/terminals/reader.ts'
import { scriptedSession } from '../../../../../test/support/scripted/session.ts'
import { ARRIVES_WITHIN_MS } from './awaited-output.ts'
import { disconnected } from '../../../sessions/ending.ts'

const open = scriptedSession

describe('a session', () => {
  it('gives only what is missing to a client whose screen is otherwise right', async () => {
    const { pty, session } = open()
    pty.print('hello world')
    expect(await session.view(5, { cols: 80, rows: 24 }, true)).toBeNull()
    expect(await session.view(5, null, true)).toBeNull()
  })

  it('gives only what is missing to a client who reconnects before the output it has seen has come from the container', async () => {
    const { pty, session } = open({ from: 0, to: 11 })
    const seen: unknown[] = []
    const [behind, exact] = [4, 11].map((offset) => session.view(offset, null, true).then((view) => seen.push(view)))
    pty.print('hello')
    await Promise.resolve()
    expect(seen).toEqual([])
    pty.print(' world!')
    await Promise.all([behind, exact])
    expect(seen).toEqual([null, null])
  })

  it('shows the screen where the output that the client has seen does not come, and nothing more once it has ended', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { pty, session } = open({ from: 0, to: 11 })
    pty.print('hello')
    const late = session.view(11, null, true)
    await vi.advanceTimersByTimeAsync(ARRIVES_WITHIN_MS)
    expect(await late).toMatchObject({ offset: 0 })
    const other = open({ from: 0, to: 11 })
    const view = other.session.view(11, null, true)
    other.session.end(disconnected)
    expect(await view).toMatchObject({ offset: 0 })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('shows the screen to a client without one, with an offset that is gone or never existed, or with another size', async () => {
    const { pty, session } = open({ from: 1000 })
    const screen = { offset: 1000, size: { cols: 80, rows: 24 }, data: Buffer.from('screen') }
    session.mirrorIn(() => Promise.resolve({ ...screen, offset: session.offset }))
    for (let chunk = 0; chunk < 40; chunk++) pty.print('x'.repeat(65_536))
    const all = { ...screen, offset: 1000 + 40 * 65_536 }
    expect(session.start).toBeGreaterThan(1000)
    expect(session.offset - session.start).toBeGreaterThanOrEqual(1_048_576)
    for (const offset of [null, 0, 1000, session.offset + 1])
      expect(await session.view(offset, null, true)).toEqual(all)
    expect(await session.view(session.offset, { cols: 81, rows: 24 }, true)).toEqual(all)
    session.resize(90, 30)
    pty.print('drawn for another size')
    expect(await session.view(all.offset - 1, { cols: 90, rows: 30 }, true)).toMatchObject({ offset: session.offset })
    expect(await session.view(all.offset, { cols: 90, rows: 30 }, true)).toBeNull()
  })

  it('shows all lines above the screen to the session’s user, and a thousand to others', async () => {
    const { session } = open()
    const asked: (number | null)[] = []
    session.mirrorIn((lines) => {
      asked.push(lines)
      return Promise.resolve(null)
    })
    for (const isHolder of [true, false]) await session.view(null, null, isHolder)
    expect(asked).toEqual([null, 1000])
  })

  it('begins at the oldest output that is kept where it has no mirror', async () => {
    const { pty, session } = open()
    for (let chunk = 0; chunk < 40; chunk++) pty.print('x'.repeat(65_536))
    const view = await session.view(0, null, true)
    expect(view).toEqual({ offset: session.start, size: { cols: 80, rows: 24 }, data: new Uint8Array() })
    const late = new Reader()
    session.attach(late, view!.offset, ann)
    expect(late.seen).toHaveLength(session.offset - session.start)
  })
})
