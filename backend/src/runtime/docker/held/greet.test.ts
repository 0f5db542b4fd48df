/** Never trust what comes from a container, least of all the greeting. */
import { Duplex, PassThrough } from 'node:stream'
import { PATIENTLY } from '@slipway/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { errorOutput, frame, output, piece } from '../../../../test/support/holder/frames.ts'
import { FrameError } from './frames.ts'
import { greet } from './greet.ts'
import { HeldProgram } from './held-program.ts'

const words = { version: '1', pid: '7', ticks: '1', kills: '0', cols: '80', rows: '24', from: '0', to: '0' }
const hello = (more: Record<string, string> = {}): Buffer => {
  const lines = Object.entries({ ...words, ...more }).map(([name, value]) => `${name}=${value}\n`)
  return piece(frame('h', Buffer.from(lines.join(''))))
}
const attachment = (): Duplex => new PassThrough()
const greeted = (...pieces: Buffer[]) => {
  const socket = attachment()
  const answer = greet(socket)
  for (const piece of pieces) socket.write(piece)
  return { socket, answer }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('the first words of a holder', () => {
  it('say what is held', async () => {
    const { socket, answer } = greeted(hello())
    expect(await answer).toMatchObject({
      leader: '7:1',
      size: { cols: 80, rows: 24 },
      takesInput: true,
      from: { stdout: 0, stderr: 0 },
      to: { stdout: 0, stderr: 0 },
    })
    socket.destroy()
  })

  it.each([
    ['a screen wider than any', { cols: '1001' }],
    ['a screen higher than any', { rows: '999999999999999' }],
    ['no screen', { cols: '0' }],
    ['an end before its beginning', { from: '10', to: '9' }],
    ['an offset that is no number', { from: '0x10' }],
    ['a process that is none', { pid: '-1' }],
    ['no version', { version: '' }],
    ['an unknown later version', { version: '3' }],
    ['an end of the errors before their beginning', { error_from: '10', error_to: '9' }],
  ])('are refused with %s', async (_name, more) => {
    const { socket, answer } = greeted(hello(more))
    await expect(answer).rejects.toMatchObject({ code: 'start_failed' })
    expect(socket.destroyed).toBe(true)
  })

  it('of a program on pipes say so, where its outputs go on, and whether it takes input', async () => {
    const more = {
      version: '2',
      io: 'pipes',
      cols: '0',
      rows: '0',
      to: '9',
      error_from: '3',
      error_to: '4',
      input: 'ended',
    }
    const { socket, answer } = greeted(hello(more))
    expect(await answer).toMatchObject({
      size: null,
      takesInput: false,
      from: { stdout: 0, stderr: 3 },
      to: { stdout: 9, stderr: 4 },
    })
    socket.destroy()
  })

  it.each([
    ['an older holder, which does not say', {}, 1_048_576],
    ['one that keeps nothing', { log: '0' }, 65_536],
    ['one that keeps more than any', { log: '999999999999' }, 16_777_216],
  ])('are not believed about what is kept beyond its bounds: %s', async (_name, more, logBytes) => {
    const { socket, answer } = greeted(hello(more))
    expect(await answer).toMatchObject({ logBytes })
    socket.destroy()
  })

  it('come before everything else', async () => {
    const { socket, answer } = greeted(piece(output(0, 'early')), hello())
    await expect(answer).rejects.toMatchObject({ code: 'start_failed' })
    expect(socket.destroyed).toBe(true)
  })

  it('are waited for, and then told apart from a program that could not be started', async () => {
    vi.useFakeTimers()
    const { socket, answer } = greeted()
    const refused = expect(answer).rejects.toMatchObject({ code: 'timed_out' })
    await vi.advanceTimersByTimeAsync(20_000)
    await refused
    expect(socket.destroyed).toBe(true)
  })
})

describe('an attachment', () => {
  const held = async (...pieces: Buffer[]) => {
    const { socket, answer } = greeted(...pieces)
    const asked: string[] = []
    const container = { holds: true }
    const pty = new HeldProgram({
      socket,
      held: await answer,
      context: {
        causeOf: () => Promise.resolve(void asked.push('cause')).then(() => 'exited' as const),
        hangUp: () => Promise.reject(new Error('no room for a process')),
      } as never,
      isStillHeld: () => Promise.resolve(container.holds),
    })
    const received: string[] = []
    pty.onOutput((bytes) => received.push(Buffer.from(bytes).toString()))
    return { socket, pty, asked, received, container }
  }

  it('goes on after words that are said twice', async () => {
    const { socket, pty, received } = await held(hello(), hello({ cols: '10' }))
    socket.write(piece(output(0, 'shown')))
    await vi.waitFor(() => expect(received).toEqual(['shown']), PATIENTLY)
    pty.release()
  })

  it('that was over before there was a listener tells how it ended', async () => {
    const status = Buffer.from([0, 0, 7, 0])
    const all = [hello(), piece(frame('x', status)), piece(frame('g', Buffer.alloc(0)))]
    const { socket, answer } = greeted(Buffer.concat(all))
    const context = {
      causeOf: (code: number | null) => Promise.resolve(code === 7 ? 'exited' : 'out_of_memory'),
    } as never
    const pty = new HeldProgram({ socket, held: await answer, context, isStillHeld: () => Promise.resolve(false) })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.destroy()
    await closed
    pty.onOutput(() => undefined)
    expect(await pty.exit).toEqual({ exitCode: 7, cause: 'exited' })
    await pty.hangUp()
  })

  it('whose program cannot be ended is detached, so that its holder waits for another server', async () => {
    const { socket, pty } = await held(hello())
    vi.useFakeTimers()
    const hungUp = expect(pty.hangUp()).rejects.toThrow('no room for a process')
    await vi.advanceTimersByTimeAsync(12_000)
    await hungUp
    expect(socket.destroyed).toBe(true)
  })

  it('that breaks off is no end of what is still held', async () => {
    const { socket, pty } = await held(hello())
    socket.destroy()
    expect(await pty.exit).toEqual({ exitCode: null, cause: 'engine_unavailable' })
  })

  it('that breaks off is the end of what is held no longer', async () => {
    const { socket, pty, container } = await held(hello())
    container.holds = false
    socket.destroy()
    expect(await pty.exit).toEqual({ exitCode: null, cause: 'exited' })
  })

  it('that leaves something out is no holder’s, and over', async () => {
    const { socket, pty, received } = await held(hello())
    const failed = new Promise((resolve) => socket.once('error', resolve))
    socket.write(piece(output(5, 'not the first')))
    expect(await failed).toBeInstanceOf(FrameError)
    expect(await pty.exit).toEqual({ exitCode: null, cause: 'exited' })
    expect(received).toEqual([])
  })

  it.each([
    ['output that was told before', [output(0, 'once'), output(0, 'once')]],
    ['output that goes back', [output(0, 'once'), output(2, 'ce')]],
    ['the error output of a terminal', [output(0, 'once'), errorOutput(0, 'x')]],
  ])('is over with %s', async (_what, frames) => {
    const { socket, pty, received } = await held(hello())
    for (const one of frames) socket.write(piece(one))
    expect(await pty.exit).toEqual({ exitCode: null, cause: 'exited' })
    expect(received.join('')).toBe('once')
  })

  it('is over with output that comes after the end, and the end stays as it was', async () => {
    const { socket, pty, received } = await held(hello())
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(piece(frame('x', Buffer.from([0, 0, 7, 0]))))
    socket.write(piece(output(0, 'late')))
    await closed
    expect([await pty.exit, received]).toEqual([{ exitCode: 7, cause: 'exited' }, []])
  })

  it('has the end that was told first', async () => {
    const { socket, pty } = await held(hello())
    const told = [7, 9].map((code) => frame('x', Buffer.from([0, 0, code, 0])))
    socket.write(piece(Buffer.concat(told)))
    expect(await pty.exit).toEqual({ exitCode: 7, cause: 'exited' })
    pty.release()
  })

  it('counts each output of a program on pipes by itself', async () => {
    const { socket, pty, received } = await held(
      hello({ version: '2', io: 'pipes', from: '5', to: '9', error_from: '2', error_to: '2' }),
    )
    for (const one of [errorOutput(2, 'e'), output(5, 'o'), errorOutput(3, 'f'), output(6, 'p')])
      socket.write(piece(one))
    await vi.waitFor(() => expect(received).toEqual(['e', 'o', 'f', 'p']), PATIENTLY)
    expect(pty.acknowledged).toEqual({ stdout: 5, stderr: 2 })
    pty.release()
  })

  it('that is detached asks the engine nothing', async () => {
    const { pty, asked } = await held(hello())
    pty.release()
    expect(await pty.exit).toEqual({ exitCode: null, cause: 'engine_unavailable' })
    expect(asked).toEqual([])
  })
})

describe('a log size that lies', () => {
  const PRINTED_BYTES = 1_048_576
  const PIECE_BYTES = 1024

  it.each([
    ['none', '0', 16_384],
    ['a byte', '1', 16_384],
    ['what terminals have', '1048576', 262_144],
    ['more than any', '999999999999', 262_144],
  ])('has an acknowledgement neither too often nor too seldom: %s', async (_what, log, every) => {
    const written: Buffer[] = []
    const socket = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        written.push(chunk)
        done()
      },
    })
    const answer = greet(socket)
    socket.push(hello({ version: '2', log }))
    const pty = new HeldProgram({
      socket,
      held: await answer,
      context: {} as never,
      isStillHeld: () => Promise.resolve(true),
    })
    let printed = 0
    pty.onOutput((bytes, from, offset) => {
      printed += bytes.length
      pty.acknowledge(from, offset + bytes.length)
    })
    for (let at = 0; at < PRINTED_BYTES; at += PIECE_BYTES) socket.push(piece(output(at, 'x'.repeat(PIECE_BYTES))))
    await vi.waitFor(() => expect(printed).toBe(PRINTED_BYTES), PATIENTLY)
    expect(written.filter((bytes) => bytes.toString('latin1').startsWith('a'))).toHaveLength(PRINTED_BYTES / every)
    pty.release()
  })
})
