import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import type { ServerChannel } from 'ssh2'
import { describe, expect, it } from 'vitest'
import { OUTPUT_QUEUE_BYTES } from '../limits.ts'
import { ChannelOutput, SocketRoom } from './output.ts'

/** A channel whose writes wait until they are let go, as those of ssh2 do without a window. */
const scene = () => {
  const writes: { to: string; text: string; done: () => void }[] = []
  const writable = (to: string) =>
    new Writable({ write: (chunk: Buffer, _encoding, done) => void writes.push({ to, text: chunk.toString(), done }) })
  const channel = Object.assign(writable('stdout'), { stderr: writable('stderr') }) as unknown as ServerChannel
  const socket = Object.assign(new EventEmitter(), { writableNeedDrain: false })
  const source = { paused: false, pause: () => (source.paused = true), resume: () => (source.paused = false) }
  const output = new ChannelOutput(channel, new SocketRoom(socket as unknown as Socket), source)
  /** Lets the oldest write go. */
  const letGo = async (): Promise<void> => {
    writes.shift()?.done()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { output, writes, letGo, source, socket }
}
const shown = ({ writes }: Pick<ReturnType<typeof scene>, 'writes'>) => writes.map(({ to, text }) => `${to} ${text}`)

describe('the output of a channel', () => {
  it('is sent one piece after another, in order, whichever output it is of', async () => {
    const { output, writes, letGo } = scene()
    const sent: string[] = []
    output.push('stdout', Buffer.from('a'), () => sent.push('a'))
    output.push('stderr', Buffer.from('b'), () => sent.push('b'))
    expect([shown({ writes }), sent]).toEqual([['stdout a'], []])
    await letGo()
    expect([shown({ writes }), sent]).toEqual([['stderr b'], ['a']])
    const flushed = output.flushed()
    await letGo()
    await flushed
    expect(sent).toEqual(['a', 'b'])
  })

  it('makes its source wait while too much waits', async () => {
    const { output, letGo, source } = scene()
    output.push('stdout', Buffer.alloc(OUTPUT_QUEUE_BYTES / 2))
    expect(source.paused).toBe(false)
    output.push('stdout', Buffer.alloc(OUTPUT_QUEUE_BYTES / 2))
    expect(source.paused).toBe(true)
    await letGo()
    await letGo()
    expect(source.paused).toBe(false)
  })

  it('waits for a client that allows any number of bytes and does not read them', async () => {
    const { output, writes, socket } = scene()
    socket.writableNeedDrain = true
    output.push('stdout', Buffer.from('a'))
    expect(writes).toEqual([])
    socket.writableNeedDrain = false
    socket.emit('drain')
    expect(shown({ writes })).toEqual(['stdout a'])
  })

  it('is dropped once it is closed, and keeps no program waiting', async () => {
    const { output, source, writes } = scene()
    const sent: string[] = []
    output.push('stdout', Buffer.alloc(OUTPUT_QUEUE_BYTES))
    output.push('stdout', Buffer.from('b'), () => sent.push('b'))
    const flushed = output.flushed()
    output.close()
    await flushed
    output.push('stdout', Buffer.from('c'), () => sent.push('c'))
    expect({ sent, paused: source.paused, writes: writes.length }).toEqual({
      sent: ['b', 'c'],
      paused: false,
      writes: 1,
    })
  })
})
