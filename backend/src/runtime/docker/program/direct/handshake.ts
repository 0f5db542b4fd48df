/** Reads the launcher's line, which comes before the program's own output. */
import type { Duplex } from 'node:stream'
import { RuntimeError } from '../../../errors.ts'

/** Longest line, in bytes. The launcher's has less than 60, so more without an end is something else. */
export const ANNOUNCEMENT_BYTES = 1024
/** Timeout of the line, in milliseconds. An engine under load takes seconds to start an exec. */
export const ANNOUNCEMENT_MS = 20_000
const LINE = /^slipway (\d{1,10}) (\d{1,20}) (\d{1,20})\r?$/

/** The first process, and the container's count of memory kills at its start. */
export interface Handshake {
  readonly leader: string
  readonly kills: number
}

/** Null unless it is the launcher's line. */
export const parseAnnouncement = (text: string): Handshake | null => {
  const line = LINE.exec(text)
  return line && { leader: `${line[1]}:${line[2]}`, kills: Number(line[3]) }
}

/**
 * Consumes the line, and leaves the socket paused before the next byte. Fails with `start_failed`, and then destroys
 * the socket.
 */
export const readHandshake = (socket: Duplex): Promise<Handshake> =>
  new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0)
    const settle = (): void => {
      clearTimeout(timer)
      socket.off('data', onData).off('close', onClose).off('end', onClose).off('error', onClose)
    }
    const fail = (detail: string): void => {
      settle()
      socket.on('error', () => undefined)
      socket.destroy()
      reject(new RuntimeError('start_failed', detail))
    }
    const onClose = (): void => fail(seen.toString('utf8').trim() || 'the terminal closed before it was open')
    const timer = setTimeout(() => fail('the engine did not start the terminal in time'), ANNOUNCEMENT_MS)
    const onData = (chunk: Buffer): void => {
      seen = Buffer.concat([seen, chunk])
      const end = seen.indexOf(0x0a)
      if (end < 0) return seen.length > ANNOUNCEMENT_BYTES ? fail('the terminal announced nothing') : undefined
      const announced = parseAnnouncement(seen.subarray(0, end).toString('latin1'))
      if (!announced) return fail(seen.subarray(0, ANNOUNCEMENT_BYTES).toString('utf8').trim())
      settle()
      socket.pause()
      const rest = seen.subarray(end + 1)
      if (rest.length > 0) socket.unshift(rest)
      resolve(announced)
    }
    socket.on('data', onData).once('close', onClose).once('end', onClose).once('error', onClose)
  })
