import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readHandshake } from './handshake.ts'

const socketWith = (...pieces: string[]) => {
  const socket = new PassThrough()
  for (const piece of pieces) socket.write(piece)
  return socket
}

describe('the line with which a terminal announces itself', () => {
  it('is taken, and what follows it is left for the reader', async () => {
    const socket = socketWith('slipway 17 123456 2\r\nhello')
    expect(await readHandshake(socket)).toEqual({ leader: '17:123456', kills: 2 })
    expect(String(socket.read())).toBe('hello')
  })

  it('may come in pieces', async () => {
    const reading = readHandshake(socketWith('sli', 'pway 1 ', '2 0'))
    const socket = socketWith('slip', 'way 1 2 0', '\n')
    expect(await readHandshake(socket)).toEqual({ leader: '1:2', kills: 0 })
    reading.catch(() => undefined)
  })

  it.each(['OCI runtime exec failed: no such folder\r\n', 'slipway x y z\n', 'slipway 1 2\n', 'x'.repeat(2000)])(
    'is missed in %j, which then is what failed',
    async (text) => {
      const socket = socketWith(text)
      await expect(readHandshake(socket)).rejects.toMatchObject({ code: 'start_failed' })
      expect(socket.destroyed).toBe(true)
    },
  )

  it('is missed when the socket ends, or breaks, before it', async () => {
    const ended = socketWith('exec failed')
    ended.end()
    await expect(readHandshake(ended)).rejects.toMatchObject({ code: 'start_failed', message: 'exec failed' })
    const broken = socketWith()
    const reading = readHandshake(broken)
    broken.destroy(new Error('gone'))
    await expect(reading).rejects.toMatchObject({ code: 'start_failed' })
  })
})
