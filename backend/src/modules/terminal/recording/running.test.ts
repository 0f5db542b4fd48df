import { describe, expect, it } from 'vitest'
import { scriptedSession } from '../../../../test/support/scripted-session.ts'
import { OBSERVER_BYTES } from '../session.ts'
import type { FromWriter, ToWriter } from './cast/messages.ts'
import type { Hear } from './cast/writer.ts'
import { type RecordingEnd, RunningRecording } from './running.ts'

const OPEN = { path: '/nowhere', secrets: [], limits: { maxBytes: 1, minFreeBytes: 0 }, begin: null }

/** A recording of a session that has printed `before` already; the disk answers when the test says so. */
const record = ({ before = '', input = false } = {}) => {
  const { pty, session } = scriptedSession()
  if (before !== '') pty.print(before)
  const sent: ToWriter[] = []
  let hear: Hear = () => undefined
  const ends: RecordingEnd[] = []
  const running = new RunningRecording({
    id: 's',
    writer: { listen: (_id, heard) => (hear = heard), send: (message) => void sent.push(message) },
    elapsed: () => 0,
    input,
    over: (end) => void ends.push(end),
  })
  running.follow(session, OPEN, 'Bash was started')
  const answer = (message: Partial<FromWriter>): void =>
    hear({ type: 'taken', id: 's', offset: 0, input: 0, bytes: 0, atMs: 0, ...message } as FromWriter)
  return { pty, session, running, sent, ends, answer }
}
const textOf = (sent: readonly ToWriter[], type: 'output' | 'input'): string =>
  sent
    .map((message) => (message.type === type && 'bytes' in message ? Buffer.from(message.bytes).toString() : ''))
    .join('')
const marksOf = (sent: readonly ToWriter[]): string[] =>
  sent.flatMap((message) => (message.type === 'event' && message.code === 'm' ? [message.data] : []))

describe('a recording', () => {
  it('has what its session printed before it followed, and what comes after, with their offsets', () => {
    const { pty, running, sent } = record({ before: 'before ' })
    pty.print('after')
    running.stop('The end')
    expect(textOf(sent, 'output')).toBe('before after')
    expect(sent.find(({ type }) => type === 'output')).toMatchObject({ offset: 0 })
  })

  it('makes the program wait for a disk that is slow, until it has caught up', () => {
    const { pty, answer } = record()
    pty.print('x'.repeat(OBSERVER_BYTES + 1))
    expect([pty.paused, pty.acknowledged]).toEqual([true, 0])
    answer({ offset: OBSERVER_BYTES + 1 })
    expect([pty.paused, pty.acknowledged]).toEqual([false, OBSERVER_BYTES + 1])
  })

  it('that is lost leaves its session alone, which goes on at its own pace', () => {
    const { pty, session, sent, ends, answer } = record()
    pty.print('x'.repeat(OBSERVER_BYTES + 1))
    answer({ type: 'lost', loss: 'disk_full', cause: null })
    const { length } = sent
    pty.print('more')
    session.resize(100, 30)
    expect({ paused: pty.paused, ending: session.ending, ends }).toEqual({
      paused: false,
      ending: null,
      ends: ['disk_full'],
    })
    expect(sent).toHaveLength(length)
  })

  it('holds what is typed only where it is to, and says so where the disk did not keep up with that', () => {
    const plain = record()
    plain.session.write(Buffer.from('secret'))
    expect(textOf(plain.sent, 'input')).toBe('')
    const { session, sent, answer } = record({ input: true })
    session.write(Buffer.alloc(900_000, 'a'))
    session.write(Buffer.alloc(900_000, 'b'))
    session.write(Buffer.alloc(900_000, 'c'))
    answer({ input: 900_000 })
    session.write(Buffer.from('d'))
    expect(textOf(sent, 'input')).toMatch(/^a+d$/)
    expect(marksOf(sent)).toEqual(['Bash was started', 'Some of what was typed is missing here'])
  })

  it('is left open for the server that takes its session over, and closed with the reason otherwise', () => {
    const { session, sent, ends, answer } = record()
    session.release({ reason: 'server_stopping', message: 'Stopping.', code: 1001 })
    expect(sent.at(-1)).toEqual({ type: 'close', id: 's', isOver: false })
    answer({ type: 'closed' })
    expect(ends).toEqual([null])
    const other = record()
    other.session.end({ reason: 'exited', message: 'Bash ended (exit code 3).', code: 1000, exitCode: 3 })
    expect(other.sent.slice(-3)).toMatchObject([
      { code: 'm', data: 'Bash ended (exit code 3).' },
      { code: 'x', data: '3' },
      { type: 'close', isOver: true },
    ])
  })
})
