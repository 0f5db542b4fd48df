import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ann, Reader } from '../../../../../test/support/terminals/reader.ts'
import { scriptedSession } from '../../../../../test/support/scripted/session.ts'
import { STALL_MS } from './audience.ts'
import { disconnected, serverStopping } from '../../../sessions/ending.ts'
import { type Observer, OBSERVER_BYTES } from './observers.ts'

const open = scriptedSession

describe('a session that is observed', () => {
  it('waits for an observer, however long it takes', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { pty, session } = open()
    const seen: string[] = []
    const recording: Observer & { backlog: number } = {
      backlog: 0,
      output: (chunk, offset) => void seen.push(`${offset}: ${Buffer.from(chunk).toString()}`),
      resized: ({ cols, rows }) => void seen.push(`${cols}x${rows}`),
      typed: (data) => void seen.push(`typed ${Buffer.from(data).toString()}`),
      marked: (mark) => void seen.push(mark),
      ended: ({ reason }, goesOn) => void seen.push(`${reason} ${String(goesOn)}`),
      failed: () => undefined,
    }
    session.observe(recording)
    session.attach(new Reader(), 0, ann)
    session.write(Buffer.from('ls'), new Reader())
    session.resize(90, 30)
    pty.print('one')
    recording.backlog = OBSERVER_BYTES + 1
    pty.print('two')
    await vi.advanceTimersByTimeAsync(STALL_MS * 10)
    expect(pty.paused).toBe(true)
    recording.backlog = 0
    session.consumed()
    expect(pty.paused).toBe(false)
    session.release(serverStopping)
    expect(seen).toEqual(['attached', 'typed ls', '90x30', '0: one', '3: two', 'server_stopping true'])
  })

  it.each(['output', 'resized', 'typed', 'marked', 'ended'] as const)(
    'goes on without an observer that fails at %s, and tells it so',
    (step) => {
      const errors: unknown[] = []
      const { pty, session, told } = open({ onFailure: (error) => void errors.push(error) })
      const mistake = new Error('a mistake')
      const fail = (): never => {
        throw mistake
      }
      const nothing = (): void => undefined
      const calm = { backlog: 0, output: nothing, ended: nothing, failed: nothing }
      const seen: string[] = []
      // A failed observer must not slow the program down, however large its backlog.
      const failing: Observer = {
        ...calm,
        backlog: OBSERVER_BYTES + 1,
        [step]: fail,
        failed: () => {
          seen.push('failed')
          fail()
        },
      }
      session.observe(failing)
      session.observe({
        ...calm,
        output: (chunk) => void seen.push(Buffer.from(chunk).toString()),
        ended: ({ reason }) => void seen.push(reason),
      })
      const reader = new Reader()
      session.attach(reader, 0, ann)
      session.write(Buffer.from('ls'), reader)
      session.resize(90, 30)
      pty.print('one')
      if (step !== 'ended') expect(pty.paused).toBe(false)
      session.end(disconnected)
      expect([errors, told, reader.seen]).toEqual([[mistake], [disconnected], '<90x30>one'])
      expect([...seen].sort()).toEqual(['disconnected', 'failed', 'one'])
    },
  )
})
