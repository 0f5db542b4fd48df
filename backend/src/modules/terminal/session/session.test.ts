import { WINDOW_BYTES } from '@slipway/protocol'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ann, bob, Reader } from '../../../../test/support/terminals/reader.ts'
import { scriptedSession } from '../../../../test/support/scripted/session.ts'
import { disconnected, serverStopping, takenOver } from '../../sessions/ending.ts'

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

  it('waits for its user to reconnect, for the configured time, and then ends', async () => {
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

  it('tells when it begins to wait for its user, who may never have connected, and when it no longer waits', () => {
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

  it('acknowledges what every viewer has consumed, and everything while there is no viewer', () => {
    const { pty, session } = open()
    const slow = new Reader()
    session.attach(slow, 0, ann)
    slow.backlog = 3
    pty.print('hello')
    session.consumed()
    expect(pty.acknowledged.stdout).toBe(2)
    session.detach(slow)
    expect(pty.acknowledged.stdout).toBe(5)
    pty.print('!')
    expect(pty.acknowledged.stdout).toBe(6)
  })

  it('can be detached: its viewers are told, and its processes go on', async () => {
    const goesOn: boolean[] = []
    const { pty, session } = open({ onEnd: (_ending, on) => void goesOn.push(on) })
    const reader = new Reader()
    session.attach(reader, 0, ann)
    session.release(serverStopping)
    await session.gone
    expect(reader.endings).toEqual([serverStopping])
    expect([pty.releases, pty.hangUps, goesOn]).toEqual([1, 0, [true]])
  })

  it('ends once, and later events change nothing', async () => {
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
})
