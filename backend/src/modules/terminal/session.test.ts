import { type Participant, type RecordedParts, WINDOW_BYTES } from '@slipway/protocol'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { scriptedSession } from '../../../test/support/scripted-session.ts'
import { AppError } from '../../lib/errors.ts'
import { ARRIVES_WITHIN_MS } from './awaited-output.ts'
import { disconnected, type Ending, serverStopping, takenOver } from './ending.ts'
import type { Snapshot } from './mirror/mirror.ts'
import { ASKING_MS } from './sharing/company.ts'
import { linkRevoked } from './sharing/watchers.ts'
import { FOLLOWED_MS, STALL_MIN_MS, STALL_MS } from './audience.ts'
import { type Observer, OBSERVER_BYTES } from './observers.ts'
import type { Size, Viewer } from './viewer.ts'

const handsOver = (): Promise<void> => Promise.resolve()
const ann = { name: 'ann@example.org', isHolder: true, mayControl: true, handsOver }
const bob = { name: 'bob@example.org', isHolder: false, mayControl: true, handsOver }

class Reader implements Viewer {
  backlog = 0
  askedSize: Size | null = null
  drains = 0
  people: string[] = []
  tellings = 0
  you = ''
  refusal: string | undefined
  refusals: string[] = []
  recordings: RecordedParts[] = []
  seen = ''
  endings: Ending[] = []

  output(chunk: Uint8Array): void {
    this.seen += Buffer.from(chunk).toString()
  }

  snapshot({ offset, data }: Snapshot): void {
    this.seen += `<screen at ${offset}: ${Buffer.from(data).toString()}>`
  }

  resized({ cols, rows }: Size): void {
    this.seen += `<${cols}x${rows}>`
  }

  company(people: readonly Participant[], you: string, refusal?: string): void {
    this.you = you
    this.refusal = refusal
    if (refusal !== undefined) this.refusals.push(refusal)
    this.tellings += 1
    this.people = people.map(
      ({ id, name, hasControl, asks }) => `${id} ${name}${hasControl ? ' has control' : ''}${asks ? ' asks' : ''}`,
    )
  }

  recorded(parts: RecordedParts): void {
    this.recordings.push(parts)
  }

  drained(): void {
    this.drains += 1
  }

  ended(ending: Ending): void {
    this.endings.push(ending)
  }
}

const open = scriptedSession

describe('a session', () => {
  it('tells every viewer the same, and one that comes later what it missed', () => {
    const { pty, session } = open()
    const [first, second] = [new Reader(), new Reader()]
    session.attach(first, 0, ann)
    pty.print('hello ')
    session.attach(second, 2, ann)
    pty.print('world')
    expect(first.seen).toBe('hello world')
    expect(second.seen).toBe('llo world')
  })

  it('gives only what is missing to somebody whose screen is otherwise right', async () => {
    const { pty, session } = open()
    pty.print('hello world')
    expect(await session.view(5, { cols: 80, rows: 24 }, true)).toBeNull()
    expect(await session.view(5, null, true)).toBeNull()
  })

  it('gives only what is missing to somebody who is back before what they have seen has come from the container', async () => {
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

  it('shows the screen where what they have seen does not come, and nothing more once it has ended', async () => {
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

  it('shows the screen to somebody who has none, whose offset is gone or never was, or who has another size', async () => {
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

  it('shows all lines above the screen to the one whose session it is, and to others a thousand', async () => {
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

  it('waits for somebody to come back, as long as it is told, and then ends', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { pty, session, told } = open({ keepSeconds: 60 })
    const reader = new Reader()
    session.attach(reader, 0, ann)
    session.detach(reader)
    await vi.advanceTimersByTimeAsync(59_000)
    pty.print('meanwhile')
    session.attach(reader, 0, ann)
    expect(pty.keptFor).toBe(60)
    await vi.advanceTimersByTimeAsync(120_000)
    expect(told).toEqual([])
    session.detach(reader)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(told).toMatchObject([{ reason: 'connection_lost' }])
    expect([reader.seen, pty.hangUps]).toEqual(['meanwhile', 1])
  })

  it('tells when it begins to wait for its user, who may never have come, and when it does not any more', () => {
    const told: boolean[] = []
    const { session } = open({ onWaits: () => void told.push(session.waits) })
    const [reader, guest] = [new Reader(), new Reader()]
    session.waitForSomebody()
    session.waitForSomebody()
    session.attach(guest, 0, bob)
    session.detach(guest)
    expect(told).toEqual([true])
    session.attach(reader, 0, ann)
    session.detach(reader)
    expect(told).toEqual([true, false, true])
  })

  it('is taken from one viewer and given to another without losing a byte', () => {
    const { pty, session, told } = open()
    const [first, second] = [new Reader(), new Reader()]
    session.attach(first, 0, ann)
    pty.print('one ')
    session.dismiss(takenOver('ann@example.org'))
    pty.print('two ')
    session.attach(second, 0, ann)
    pty.print('three')
    expect([first.seen, second.seen]).toEqual(['one ', 'one two three'])
    expect(first.endings).toMatchObject([{ reason: 'taken_over', message: expect.stringContaining('ann@') as string }])
    expect(told).toEqual([])
  })

  it('acknowledges what everybody has consumed, and everything while nobody looks', () => {
    const { pty, session } = open()
    const slow = new Reader()
    session.attach(slow, 0, ann)
    slow.backlog = 3
    pty.print('hello')
    session.consumed()
    expect(pty.acknowledged).toBe(2)
    session.detach(slow)
    expect(pty.acknowledged).toBe(5)
    pty.print('!')
    expect(pty.acknowledged).toBe(6)
  })

  it('can be let go: its viewers are told, and its processes are not touched', async () => {
    const goesOn: boolean[] = []
    const { pty, session } = open({ onEnd: (_ending, on) => void goesOn.push(on) })
    const reader = new Reader()
    session.attach(reader, 0, ann)
    session.release(serverStopping)
    await session.gone
    expect(reader.endings).toEqual([serverStopping])
    expect([pty.releases, pty.hangUps, goesOn]).toEqual([1, 0, [true]])
  })

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

  it('leaves somebody behind who cannot follow, and shows them the screen when they have caught up', async () => {
    const { pty, session, slow, printed } = await stalledBehind()
    expect(pty.paused).toBe(false)
    pty.print('three ')
    slow.backlog = 100_000
    session.consumed()
    expect([slow.seen, printed]).toEqual(['one two ', []])
    slow.backlog = 0
    session.consumed()
    // While it is being printed they are not told in between.
    pty.print('four ')
    await vi.advanceTimersByTimeAsync(0)
    pty.print('five')
    expect([slow.seen, printed]).toEqual(['one two <screen at 14: now>four five', [null]])
  })

  it('sends less ahead to somebody who was left behind, and more again to somebody who is quick', async () => {
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

  it('waits for less each time that they cannot follow, and as long as at first when they have followed for a while', async () => {
    const { pty, session, slow } = await stalledBehind()
    /** For how long the program waits until they are left behind once more. */
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

  it('keeps no clock for somebody who has left', async () => {
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

  it('shows nothing more to somebody who was behind when their right was taken', async () => {
    const { pty, session, slow } = await stalledBehind()
    pty.print('three')
    session.end(linkRevoked)
    expect(slow.endings).toEqual([linkRevoked])
    await vi.advanceTimersByTimeAsync(0)
    expect(slow.seen).toBe('one two ')
  })

  it('shows the last screen to somebody who was behind when it ended, before it tells them', async () => {
    const { pty, session, slow } = await stalledBehind()
    pty.print('three')
    session.end(serverStopping)
    expect(slow.endings).toEqual([])
    await vi.advanceTimersByTimeAsync(0)
    expect(slow.seen).toBe('one two <screen at 13: now>')
    expect(slow.endings).toEqual([serverStopping])
  })

  it('lets one that is slow hold nobody else up', async () => {
    const { pty, session } = await stalledBehind()
    const quick = new Reader()
    session.attach(quick, session.offset, ann)
    pty.print('x'.repeat(WINDOW_BYTES * 2))
    expect([quick.seen.length, pty.paused]).toEqual([WINDOW_BYTES * 2, false])
  })

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
      // What it has not dealt with holds nobody up any more.
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

  it('goes on reading when the viewer that held it back leaves', () => {
    const { pty, session } = open()
    const slow = new Reader()
    session.attach(slow, 0, ann)
    slow.backlog = WINDOW_BYTES * 2
    pty.print('x')
    session.detach(slow)
    expect(pty.paused).toBe(false)
  })

  it('ends once, whatever happens after it', async () => {
    const { pty, session, told } = open()
    const reader = new Reader()
    session.attach(reader, 0, ann)
    session.end(serverStopping)
    session.end(disconnected)
    pty.end({ exitCode: 0, cause: 'exited' })
    await session.gone
    expect(told).toEqual([serverStopping])
    expect(reader.endings).toEqual([serverStopping])
    expect(pty.hangUps).toBe(1)
  })

  it('executes no key and shows no output after its end', () => {
    const { pty, session } = open()
    const reader = new Reader()
    session.attach(reader, 0, ann)
    session.end(serverStopping)
    session.write(Buffer.from('rm -rf ~\r'), new Reader())
    pty.print('late')
    expect(pty.written).toEqual([])
    expect(reader.seen).toBe('')
  })

  it('reads on after its end, so that a blocked program can be hung up', () => {
    const { pty, session } = open()
    const slow = new Reader()
    session.attach(slow, 0, ann)
    slow.backlog = WINDOW_BYTES * 2
    pty.print('x')
    session.end(disconnected)
    expect(pty.paused).toBe(false)
  })

  it.each([
    [{ exitCode: 0, cause: 'exited' as const }, 'exited', /^Bash ended \(exit code 0\)\.$/],
    [{ exitCode: 137, cause: 'out_of_memory' as const }, 'out_of_memory', /ran out of memory/],
    [{ exitCode: 137, cause: 'container_stopped' as const }, 'container_stopped', /^Agent 'a' was stopped\.$/],
    [{ exitCode: null, cause: 'engine_unavailable' as const }, 'engine_unavailable', /engine does not answer/],
    [{ exitCode: 127, cause: 'exited' as const }, 'exited', /not in this agent's image/],
  ])('says how its program ended: %j', async (exit, reason, message) => {
    const { pty, session } = open()
    const reader = new Reader()
    session.attach(reader, 0, ann)
    pty.end(exit)
    await session.gone
    expect(reader.endings).toMatchObject([{ reason, message: expect.stringMatching(message) as string }])
  })

  describe('with others in it', () => {
    const shared = () => {
      const here = open()
      const [holder, guest] = [new Reader(), new Reader()]
      here.session.attach(holder, 0, ann)
      here.session.attach(guest, 0, bob)
      return { ...here, holder, guest }
    }

    it('tells everybody who is there, and nobody who is alone', () => {
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

    it('hands control over to one who asks, with the size that they have, and back', async () => {
      vi.useFakeTimers()
      onTestFinished(() => void vi.useRealTimers())
      const { session, holder, guest } = shared()
      guest.askedSize = { cols: 60, rows: 20 }
      // However often somebody asks: everybody is told a few times each second.
      for (let time = 0; time < 1000; time++) session.ask(guest, time % 2 === 0)
      session.ask(guest, true)
      const before = holder.tellings
      await vi.advanceTimersByTimeAsync(ASKING_MS)
      expect([holder.people[1], holder.tellings - before]).toEqual(['2 bob@example.org asks', 1])
      await session.give(holder, '2')
      expect(guest.people).toEqual(['1 ann@example.org', '2 bob@example.org has control'])
      expect([session.controls(guest), session.controls(holder), session.size]).toEqual([
        true,
        false,
        { cols: 60, rows: 20 },
      ])
      expect(holder.seen).toBe('<60x20>')
      await session.give(holder, '1')
      expect([session.controls(guest), session.controls(holder)]).toEqual([false, true])
    })

    it('lets nobody take control, or get it who may not have it', async () => {
      const { session, guest, holder } = shared()
      const looker = new Reader()
      session.attach(looker, 0, { ...bob, mayControl: false })
      await session.give(guest, '2')
      session.ask(looker, true)
      await session.give(holder, '3')
      await session.give(holder, 'nobody')
      expect(session.controls(holder)).toBe(true)
      expect(holder.people).toEqual(['1 ann@example.org has control', '2 bob@example.org', '3 bob@example.org'])
    })

    it('tells one who asks that it is not now, and nobody else, as often as they ask', () => {
      vi.useFakeTimers()
      onTestFinished(() => void vi.useRealTimers())
      const { session, holder, guest } = shared()
      for (let time = 0; time < 2; time++) {
        vi.advanceTimersByTime(ASKING_MS)
        session.ask(guest, true)
        expect(guest.people).toEqual(['1 ann@example.org has control', '2 bob@example.org asks'])
        vi.advanceTimersByTime(ASKING_MS)
        session.decline(holder, '2')
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
        session.ask(guest, true)
        session.decline(holder, '2')
      }
      vi.advanceTimersByTime(ASKING_MS)
      expect([holder.tellings - before, guest.people[1], guest.refusals.length]).toEqual([2, '2 bob@example.org', 1])
    })

    it('lets nobody say no who has no control, or to somebody who is not there or does not ask', async () => {
      const { session, holder, guest } = shared()
      const other = new Reader()
      session.attach(other, 0, bob)
      session.ask(guest, true)
      await vi.waitFor(() => expect(holder.people[1]).toBe('2 bob@example.org asks'))
      const before = holder.tellings
      session.decline(other, '2')
      session.decline(guest, '2')
      session.decline(new Reader(), '2')
      session.decline(holder, 'nobody')
      session.decline(holder, '3')
      session.ask(other, true)
      await vi.waitFor(() => expect(holder.tellings).toBeGreaterThan(before))
      expect(guest.people.slice(1)).toEqual(['2 bob@example.org asks', '3 bob@example.org asks'])
      expect([guest.refusals, other.refusals]).toEqual([[], []])
      // Whose session it is says no only while they have control.
      await session.give(holder, '3')
      session.decline(holder, '2')
      session.decline(other, '2')
      await vi.waitFor(() => expect(guest.refusals).toEqual(['bob@example.org said: not now.']))
    })

    it('leaves control where it is, and says why, when that it is handed over cannot be recorded', async () => {
      const { session, guest } = shared()
      const holder = new Reader()
      const refused = vi.fn(() => Promise.reject(new AppError('AUDIT_REFUSED', 'It could not be recorded.')))
      session.dismiss(takenOver(null))
      session.attach(holder, 0, { ...ann, handsOver: refused })
      await session.give(holder, '2')
      expect(refused.mock.calls).toEqual([['bob@example.org']])
      expect([session.controls(holder), holder.refusal, guest.refusal]).toEqual([
        true,
        'It could not be recorded.',
        undefined,
      ])
    })

    it('hands nothing over to somebody who leaves while it is recorded, and records one at a time', async () => {
      const { session, guest } = shared()
      const holder = new Reader()
      const recorded = Promise.withResolvers<undefined>()
      const handsOver = vi.fn(() => recorded.promise)
      session.dismiss(takenOver(null))
      session.attach(holder, 0, { ...ann, handsOver })
      const giving = [session.give(holder, '2'), session.give(holder, '2')]
      session.detach(guest)
      recorded.resolve(undefined)
      await Promise.all(giving)
      expect([handsOver.mock.calls.length, session.controls(holder)]).toEqual([1, true])
    })

    it('gives control back when whoever has it leaves, and waits for nobody but the one whose it is', async () => {
      const { session, holder, guest, pty } = shared()
      await session.give(holder, '2')
      session.detach(guest)
      expect(session.controls(holder)).toBe(true)
      session.attach(guest, 0, bob)
      session.detach(holder)
      await vi.waitFor(() => expect(pty.keptFor).toBe(300))
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

    it('says who has control to its user who comes back, before it shows them anything', async () => {
      const { session, holder } = shared()
      await session.give(holder, '2')
      session.detach(holder)
      const again = new Reader()
      let known: string[] = []
      session.attach(again, 0, ann, () => (known = again.people))
      expect(known).toEqual(['2 bob@example.org has control', '3 ann@example.org'])
    })

    it('tells everybody in it what of it is recorded, when that changes', () => {
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

    it('is never held up by somebody who looks on', () => {
      const { session, guest, pty } = shared()
      guest.backlog = WINDOW_BYTES + 1
      pty.print('x')
      expect(pty.paused).toBe(false)
      pty.print('y')
      expect(guest.seen).toBe('x')
      session.end(disconnected)
    })

    it('tells whoever types that more is taken', () => {
      const { holder, pty } = shared()
      pty.drain()
      expect(holder.drains).toBe(1)
    })
  })
})
