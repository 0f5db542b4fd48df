import { describe, expect, it } from 'vitest'
import { blindViewer } from '../../../../test/support/terminals/blind.ts'
import { scriptedSession } from '../../../../test/support/scripted/session.ts'
import { serverStopping, takenOver } from '../../sessions/ending.ts'
import { OBSERVER_BYTES } from '../session/viewers/observers.ts'
import type { Person } from '../sharing/company.ts'
import { BLOCK_BYTES, type FromWriter, type ToWriter } from './cast/messages.ts'
import type { Hear } from './cast/writer.ts'
import { type RecordingEnd, RunningRecording } from './running.ts'

const OPEN = { path: '/nowhere', secrets: [], limits: { maxBytes: 1, minFreeBytes: 0 }, begin: null }

/** Records a session that has printed `before` already. The disk answers when the test calls `answer`. */
const record = ({ before = '', input = false } = {}) => {
  const { pty, session } = scriptedSession()
  if (before !== '') pty.print(before)
  const sent: ToWriter[] = []
  let hear: Hear = () => undefined
  const ends: RecordingEnd[] = []
  const running = new RunningRecording({
    id: 's',
    writer: {
      block: () => Buffer.allocUnsafeSlow(BLOCK_BYTES),
      giveBack: () => undefined,
      listen: (_id, heard) => (hear = heard),
      send: (message) => void sent.push(message),
    },
    elapsed: () => 0,
    input,
    over: (end) => void ends.push(end),
  })
  running.follow(session, OPEN, 'Bash was started')
  const answer = (message: Partial<FromWriter>): void =>
    hear({ type: 'taken', id: 's', offset: 0, input: 0, spare: null, ...message } as FromWriter)
  return { pty, session, running, sent, ends, answer }
}
const handsOver = (): Promise<void> => Promise.resolve()
const ann: Person = { name: 'ann@example.org', isHolder: true, mayControl: true, handsOver }
const ben: Person = { name: 'ben@example.org', isHolder: false, mayControl: true, handsOver }
/** All events but output, as `code data`, after the mark of the start. */
const eventsOf = (sent: readonly ToWriter[]): string[] =>
  sent.flatMap((message) => (message.type === 'event' ? [`${message.code} ${message.data}`] : [])).slice(1)
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
    expect([pty.paused, pty.acknowledged.stdout]).toEqual([true, 0])
    answer({ offset: OBSERVER_BYTES + 1 })
    expect([pty.paused, pty.acknowledged.stdout]).toEqual([false, OBSERVER_BYTES + 1])
  })

  it('that makes a mistake ends its file, and says that it is not whole', () => {
    const { pty, running, sent, ends, answer } = record()
    pty.print('one')
    running.failed()
    expect(sent.at(-1)).toEqual({ type: 'close', id: 's', isOver: true })
    const { length } = sent
    pty.print('two')
    running.failed()
    answer({ type: 'closed' })
    expect([sent.length, ends]).toEqual([length, ['failed']])
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

  it('that is lost with its thread has the extent that it is known to have', () => {
    const { running, ends, answer } = record()
    answer({ bytes: 700, atMs: 1500 })
    answer({ type: 'lost', loss: 'failed', cause: 'the thread is gone' })
    expect({ extent: running.extent, ends }).toEqual({ extent: { bytes: 700, atMs: 1500 }, ends: ['failed'] })
  })

  it('holds typed input only if it should, and says so if the disk did not keep up with that', () => {
    const plain = record()
    plain.session.write(Buffer.from('secret'), blindViewer())
    expect(textOf(plain.sent, 'input')).toBe('')
    const { session, sent, answer } = record({ input: true })
    session.write(Buffer.alloc(900_000, 'a'), blindViewer())
    session.write(Buffer.alloc(900_000, 'b'), blindViewer())
    session.write(Buffer.alloc(900_000, 'c'), blindViewer())
    answer({ input: 900_000 })
    session.write(Buffer.from('d'), blindViewer())
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

  it('has a mark where its session’s user arrives, is disconnected and reconnects, and none for guests', () => {
    const { session, sent } = record()
    const [holder, back, watcher] = [blindViewer(), blindViewer(), blindViewer()]
    session.attach(holder, session.offset, ann)
    session.attach(watcher, session.offset, ben)
    session.detach(watcher)
    session.detach(holder)
    session.detach(holder)
    session.attach(back, session.offset, ann)
    session.dismiss(takenOver(null))
    expect(eventsOf(sent)).toEqual([
      'm A client connected',
      'm The connection was closed or lost',
      'm A client connected',
      'm The connection was closed or lost',
    ])
    // The session's end has a mark of its own, so there is none for the detach.
    session.attach(blindViewer(), session.offset, ann)
    session.release(serverStopping)
    expect(eventsOf(sent).slice(4)).toEqual(['m A client connected'])
  })

  it('has a mark where control is handed over, before the size that comes with it, and again when it falls back', async () => {
    const { pty, session, sent } = record()
    const [holder, watcher] = [
      blindViewer({ askedSize: { cols: 80, rows: 24 } }),
      blindViewer({ askedSize: { cols: 100, rows: 30 } }),
    ]
    session.attach(holder, session.offset, ann)
    session.attach(watcher, session.offset, ben)
    pty.print('one')
    await session.control.give(holder, '2')
    pty.print('two')
    session.detach(watcher)
    expect(eventsOf(sent)).toEqual([
      'm A client connected',
      'm Control was handed over',
      'r 100x30',
      'm Control was handed over',
      'r 80x24',
    ])
    // Output that was printed before a mark comes before it.
    const order = sent.map((message) => (message.type === 'event' ? message.data : message.type))
    expect(order.slice(2)).toEqual([
      'A client connected',
      'output',
      'Control was handed over',
      '100x30',
      'output',
      'Control was handed over',
      '80x24',
    ])
  })

  it('has no mark of control that was asked for in vain', async () => {
    const { session, sent } = record()
    const [holder, watcher] = [blindViewer(), blindViewer()]
    session.attach(holder, session.offset, ann)
    session.attach(watcher, session.offset, { ...ben, mayControl: false })
    session.control.ask(watcher, true)
    await session.control.give(holder, '2')
    await session.control.give(watcher, '2')
    await session.control.give(holder, '1')
    expect(eventsOf(sent)).toEqual(['m A client connected'])
  })
})
