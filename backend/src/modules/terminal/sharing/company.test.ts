import { WINDOW_BYTES } from '@slipway/protocol'
import { PATIENTLY } from '@slipway/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ann, bob, Reader } from '../../../../test/support/terminals/reader.ts'
import { scriptedSession } from '../../../../test/support/scripted/session.ts'
import { AppError } from '../../../lib/errors.ts'
import { disconnected, takenOver } from '../../sessions/ending.ts'
import { ASKING_MS } from './company.ts'

const open = scriptedSession

describe('a session with others in it', () => {
  const shared = () => {
    const here = open()
    const [holder, guest] = [new Reader(), new Reader()]
    here.session.attach(holder, 0, ann)
    here.session.attach(guest, 0, bob)
    return { ...here, holder, guest }
  }

  it('tells every user in it who is there, and sends nothing to a user who is alone', () => {
    const { session } = open()
    const [holder, guest] = [new Reader(), new Reader()]
    session.attach(holder, 0, ann)
    expect(holder.people).toEqual([])
    session.attach(guest, 0, bob)
    const both = ['1 ann@example.org has control', '2 bob@example.org']
    expect([holder.people, holder.you, guest.people, guest.you]).toEqual([both, '1', both, '2'])
    session.detach(guest)
    expect(holder.people).toEqual(['1 ann@example.org has control'])
    expect(session.isAttended).toBe(true)
  })

  it('hands control over to a user who asks, with the size of their window, and back', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { session, holder, guest } = shared()
    guest.askedSize = { cols: 60, rows: 20 }
    // However often a guest asks, each person is told only a few times per second.
    for (let time = 0; time < 1000; time++) session.control.ask(guest, time % 2 === 0)
    session.control.ask(guest, true)
    const before = holder.tellings
    await vi.advanceTimersByTimeAsync(ASKING_MS)
    expect([holder.people[1], holder.tellings - before]).toEqual(['2 bob@example.org asks', 1])
    await session.control.give(holder, '2')
    expect(guest.people).toEqual(['1 ann@example.org', '2 bob@example.org has control'])
    expect([session.controls(guest), session.controls(holder), session.size]).toEqual([
      true,
      false,
      { cols: 60, rows: 20 },
    ])
    expect(holder.seen).toBe('<60x20>')
    await session.control.give(holder, '1')
    expect([session.controls(guest), session.controls(holder)]).toEqual([false, true])
  })

  it('lets no user take control, and gives none to a user without the right to it', async () => {
    const { session, guest, holder } = shared()
    const looker = new Reader()
    session.attach(looker, 0, { ...bob, mayControl: false })
    await session.control.give(guest, '2')
    session.control.ask(looker, true)
    await session.control.give(holder, '3')
    await session.control.give(holder, 'nobody')
    expect(session.controls(holder)).toBe(true)
    expect(holder.people).toEqual(['1 ann@example.org has control', '2 bob@example.org', '3 bob@example.org'])
  })

  it('tells a user who asks that control is refused, and no other user, each time they ask', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { session, holder, guest } = shared()
    for (let time = 0; time < 2; time++) {
      vi.advanceTimersByTime(ASKING_MS)
      session.control.ask(guest, true)
      expect(guest.people).toEqual(['1 ann@example.org has control', '2 bob@example.org asks'])
      vi.advanceTimersByTime(ASKING_MS)
      session.control.decline(holder, '2')
      expect(guest.people).toEqual(['1 ann@example.org has control', '2 bob@example.org'])
    }
    session.detach(holder)
    const not = 'ann@example.org said: not now.'
    expect([guest.refusals, guest.refusal, holder.refusals]).toEqual([[not, not], undefined, []])
  })

  it('tells of questions and answers a few times each second, however many there are', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { session, holder, guest } = shared()
    vi.advanceTimersByTime(ASKING_MS)
    const before = holder.tellings
    for (let time = 0; time < 100; time++) {
      session.control.ask(guest, true)
      session.control.decline(holder, '2')
    }
    vi.advanceTimersByTime(ASKING_MS)
    expect([holder.tellings - before, guest.people[1], guest.refusals.length]).toEqual([2, '2 bob@example.org', 1])
  })

  it('lets only the user in control decline, and only a user who is there and asks', async () => {
    const { session, holder, guest } = shared()
    const other = new Reader()
    session.attach(other, 0, bob)
    session.control.ask(guest, true)
    await vi.waitFor(() => expect(holder.people[1]).toBe('2 bob@example.org asks'), PATIENTLY)
    const before = holder.tellings
    session.control.decline(other, '2')
    session.control.decline(guest, '2')
    session.control.decline(new Reader(), '2')
    session.control.decline(holder, 'nobody')
    session.control.decline(holder, '3')
    session.control.ask(other, true)
    await vi.waitFor(() => expect(holder.tellings).toBeGreaterThan(before), PATIENTLY)
    expect(guest.people.slice(1)).toEqual(['2 bob@example.org asks', '3 bob@example.org asks'])
    expect([guest.refusals, other.refusals]).toEqual([[], []])
    // The session's user can decline a request only while they have control.
    await session.control.give(holder, '3')
    session.control.decline(holder, '2')
    session.control.decline(other, '2')
    await vi.waitFor(() => expect(guest.refusals).toEqual(['bob@example.org said: not now.']), PATIENTLY)
  })

  it('leaves control where it is, and says why, when the handover cannot be recorded', async () => {
    const { session, guest } = shared()
    const holder = new Reader()
    const refused = vi.fn(() => Promise.reject(new AppError('AUDIT_REFUSED', 'It could not be recorded.')))
    session.dismiss(takenOver(null))
    session.attach(holder, 0, { ...ann, handsOver: refused })
    await session.control.give(holder, '2')
    expect(refused.mock.calls).toEqual([[{ to: 'bob@example.org' }]])
    expect([session.controls(holder), holder.refusal, guest.refusal]).toEqual([
      true,
      'It could not be recorded.',
      undefined,
    ])
  })

  it('hands nothing over to a user who leaves while the handover is recorded, and records one at a time', async () => {
    const { session, guest } = shared()
    const holder = new Reader()
    const recorded = Promise.withResolvers<undefined>()
    const handsOver = vi.fn(() => recorded.promise)
    session.dismiss(takenOver(null))
    session.attach(holder, 0, { ...ann, handsOver })
    const giving = [session.control.give(holder, '2'), session.control.give(holder, '2')]
    session.detach(guest)
    recorded.resolve(undefined)
    await Promise.all(giving)
    expect([handsOver.mock.calls.length, session.controls(holder)]).toEqual([1, true])
  })

  it('gives control back when its holder leaves, and waits for no user but its own', async () => {
    const { session, holder, guest, pty } = shared()
    await session.control.give(holder, '2')
    session.detach(guest)
    expect(session.controls(holder)).toBe(true)
    session.attach(guest, 0, bob)
    session.detach(holder)
    await vi.waitFor(() => expect(pty.keptFor).toBe(300), PATIENTLY)
    expect([session.isAttended, session.waits, session.watchers, session.controls(guest)]).toEqual([
      false,
      true,
      1,
      false,
    ])
  })

  it('is taken over by its user in another place, and the others stay', () => {
    const { session, holder, guest } = shared()
    session.dismiss(takenOver(null))
    expect([holder.endings.length, guest.endings.length]).toEqual([1, 0])
    const again = new Reader()
    session.attach(again, 0, ann)
    expect([again.people, session.controls(again)]).toEqual([
      ['2 bob@example.org', '3 ann@example.org has control'],
      true,
    ])
  })

  it('says who has control to its user who reconnects, before it shows them anything', async () => {
    const { session, holder } = shared()
    await session.control.give(holder, '2')
    session.detach(holder)
    const again = new Reader()
    let known: string[] = []
    session.attach(again, 0, ann, () => (known = again.people))
    expect(known).toEqual(['2 bob@example.org has control', '3 ann@example.org'])
  })

  it('tells every user in it what is recorded, when that changes', () => {
    const { session, holder, guest } = shared()
    session.recordedAs('output_and_input')
    session.recordedAs('output_and_input')
    session.detach(guest)
    session.recordedAs('nothing')
    expect([session.recorded, holder.recordings, guest.recordings]).toEqual([
      'nothing',
      ['output_and_input', 'nothing'],
      ['output_and_input'],
    ])
  })

  it('is never slowed down by a viewer', () => {
    const { session, guest, pty } = shared()
    guest.backlog = WINDOW_BYTES + 1
    pty.print('x')
    expect(pty.paused).toBe(false)
    pty.print('y')
    expect(guest.seen).toBe('x')
    session.end(disconnected)
  })

  it('tells the user who types that more input is accepted', () => {
    const { holder, pty } = shared()
    pty.drain()
    expect(holder.drains).toBe(1)
  })
})
