/** Reads a holder's greeting, and then its stream of frames. */
import type { Duplex } from 'node:stream'
import { COLS_MAX, ROWS_MAX } from '@slipway/protocol'
import { RuntimeError } from '../../errors.ts'
import { type Attached, LOG_BYTES_MAX, LOG_BYTES_MIN, type Offsets, TERMINAL_LOG_BYTES } from '../../program.ts'
import { FrameError, type FrameListener, FrameReader, type Notice, PROTOCOL_VERSION } from './frames.ts'

/** Timeout of the greeting, in milliseconds. An engine under load takes seconds to start an exec. */
const TIMEOUT_MS = 20_000

/** A holder whose greeting has arrived. */
export interface Greeted extends Omit<Attached, 'program'> {
  /** The first process: "pid:start ticks". */
  readonly leader: string
  /** The container's count of memory kills when the program started. */
  readonly kills: number
  /** How much of each output the holder keeps, in bytes. */
  readonly logBytes: number
  /**
   * How much input may be under way to the program, in bytes. Null: a holder of an earlier release, which does not
   * report consumed input.
   */
  readonly window: number | null
  /** How much input is under way already, in bytes. */
  readonly typing: number
  /** Resumes the socket. The listener gets everything after the greeting. Call it once. */
  listen(listener: FrameListener): void
}

/**
 * Leaves the socket paused. Fails with `start_failed` and the text that came instead, or with `timed_out`. Both destroy
 * the socket. If later data is not from a holder, it is destroyed with a `FrameError`.
 */
export const greet = (socket: Duplex): Promise<Greeted> =>
  new Promise((resolve, reject) => {
    let told: FrameListener | null = null
    let isGreeted = false
    /** Events that came in one piece with the greeting. */
    const early: ((listener: FrameListener) => void)[] = []
    const tell = (event: (listener: FrameListener) => void): void => {
      // Only events after the greeting are kept.
      if (!isGreeted) throw new FrameError('something before the greeting')
      if (told) event(told)
      else early.push(event)
    }
    const reader = new FrameReader({
      output: (bytes, from, offset) => tell((listener) => listener.output(bytes, from, offset)),
      notice: (notice) => {
        if (notice.type === 'hello') settle(notice)
        else tell((listener) => listener.notice(notice))
      },
    })
    const listen = (listener: FrameListener): void => {
      told = listener
      for (const event of early.splice(0)) event(listener)
      socket.resume()
    }

    const onData = (chunk: Buffer): void => {
      try {
        reader.push(chunk)
      } catch (error) {
        if (!(error instanceof FrameError)) throw error
        // The sender is not a holder, or not any more.
        socket.destroy(error)
      }
    }
    const onEarlyClose = (): void =>
      reject(new RuntimeError('start_failed', reader.complaint || 'the program ended before it began'))
    const timer = setTimeout(() => {
      reject(new RuntimeError('timed_out', 'the holder did not say in time what it holds'))
      socket.destroy()
    }, TIMEOUT_MS)
    const settle = (hello: Notice & { type: 'hello' }): void => {
      // Only the first greeting counts.
      if (isGreeted) return
      isGreeted = true
      clearTimeout(timer)
      socket.off('close', onEarlyClose)
      const words = wordsOf(hello.fields)
      if (!words) {
        socket.destroy()
        return reject(new RuntimeError('start_failed', 'the holder did not say what it holds'))
      }
      socket.pause()
      resolve({ ...words, listen })
    }
    // After an error the socket closes, and the close is handled.
    socket
      .on('data', onData)
      .once('close', onEarlyClose)
      .on('error', () => undefined)
    socket.once('close', () => clearTimeout(timer))
  })

/** Null unless a holder could have sent it. It decides, for example, how large an emulator becomes here. */
const wordsOf = (fields: ReadonlyMap<string, string>): Omit<Greeted, 'listen'> | null => {
  const number = (name: string, otherwise?: number): number | undefined => numberIn(fields, name) ?? otherwise
  const leader = leaderOf(fields)
  const kills = number('kills')
  const from = offsetsOf(number('from'), number('error_from', 0))
  const to = offsetsOf(number('to'), number('error_to', 0))
  const version = number('version', 0)!
  if (version < 1 || version > PROTOCOL_VERSION || leader === null || kills === undefined || !from || !to) return null
  if (to.stdout < from.stdout || to.stderr < from.stderr) return null
  // A holder of version 1 holds only terminals.
  const isTerminal = (fields.get('io') ?? 'terminal') === 'terminal'
  const size = isTerminal ? sizeOf(number('cols'), number('rows')) : null
  if (isTerminal && !size) return null
  return {
    ...{ leader, kills, size, from, to },
    takesInput: fields.get('input') !== 'ended',
    hasEnded: fields.get('state') === 'ended',
    logBytes: Math.min(Math.max(number('log', TERMINAL_LOG_BYTES)!, LOG_BYTES_MIN), LOG_BYTES_MAX),
    window: number('window') ?? null,
    typing: number('typing', 0)!,
  }
}

const offsetsOf = (stdout: number | undefined, stderr: number | undefined): Offsets | null =>
  stdout === undefined || stderr === undefined ? null : { stdout, stderr }

const sizeOf = (cols = 0, rows = 0): Attached['size'] =>
  cols > 0 && cols <= COLS_MAX && rows > 0 && rows <= ROWS_MAX ? { cols, rows } : null

const leaderOf = (fields: ReadonlyMap<string, string>): string | null => {
  const leader = `${fields.get('pid') ?? ''}:${fields.get('ticks') ?? ''}`
  return /^\d{1,10}:\d{1,20}$/.test(leader) ? leader : null
}

/** Undefined if the field is not a number in the range of a holder. */
const numberIn = (fields: ReadonlyMap<string, string>, name: string): number | undefined => {
  const text = fields.get(name) ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
