import { WINDOW_BYTES } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { ScriptedPty } from '../../../test/support/scripted-pty.ts'
import { disconnected, type Ending, serverStopping } from './ending.ts'
import { Session, type Viewer } from './session.ts'

class Reader implements Viewer {
  backlog = 0
  seen = ''
  endings: Ending[] = []

  output(chunk: Uint8Array): void {
    this.seen += Buffer.from(chunk).toString()
  }

  ended(ending: Ending): void {
    this.endings.push(ending)
  }
}

const open = (notice: string | null = null) => {
  const pty = new ScriptedPty()
  const told: Ending[] = []
  const session = new Session({
    id: 's',
    pty,
    mode: 'bash',
    agentName: 'a',
    notice,
    onEnd: (ending) => told.push(ending),
  })
  return { pty, session, told }
}

describe('a session', () => {
  it('tells every viewer the same, and one that comes later what it missed', () => {
    const { pty, session } = open()
    const [first, second] = [new Reader(), new Reader()]
    session.attach(first, 0)
    pty.print('hello ')
    expect(session.attach(second, 2)).toBe(true)
    pty.print('world')
    expect(first.seen).toBe('hello world')
    expect(second.seen).toBe('llo world')
  })

  it('refuses a viewer who wants what is gone', () => {
    const { pty, session } = open()
    for (let chunk = 0; chunk < 40; chunk++) pty.print('x'.repeat(65_536))
    expect(session.attach(new Reader(), 0)).toBe(false)
  })

  it('shows its notice before the output of the program', () => {
    const { pty, session } = open('No key is set')
    pty.print('prompt')
    const reader = new Reader()
    session.attach(reader, 0)
    expect(reader.seen).toMatch(/No key is set.*\r\nprompt$/s)
  })

  it('stops reading while a viewer is a window behind, and goes on when it has caught up', () => {
    const { pty, session } = open()
    const slow = new Reader()
    session.attach(slow, 0)
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

  it('goes on reading when the viewer that held it back leaves', () => {
    const { pty, session } = open()
    const slow = new Reader()
    session.attach(slow, 0)
    slow.backlog = WINDOW_BYTES * 2
    pty.print('x')
    session.detach(slow)
    expect(pty.paused).toBe(false)
  })

  it('ends once, whatever happens after it', async () => {
    const { pty, session, told } = open()
    const reader = new Reader()
    session.attach(reader, 0)
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
    session.attach(reader, 0)
    session.end(serverStopping)
    session.write(Buffer.from('rm -rf ~\r'))
    pty.print('late')
    expect(pty.written).toEqual([])
    expect(reader.seen).toBe('')
  })

  it('reads on after its end, so that a blocked program can be hung up', () => {
    const { pty, session } = open()
    const slow = new Reader()
    session.attach(slow, 0)
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
    session.attach(reader, 0)
    pty.end(exit)
    await session.gone
    expect(reader.endings).toMatchObject([{ reason, message: expect.stringMatching(message) as string }])
  })
})
