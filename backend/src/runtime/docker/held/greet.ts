/** The first words of a holder, and the stream of frames after them. */
import type { Duplex } from 'node:stream'
import { COLS_MAX, ROWS_MAX } from '@slipway/protocol'
import { RuntimeError } from '../../errors.ts'
import type { OutputOffsets, ProgramOptions } from '../../port.ts'
import { FrameError, type FrameListener, FrameReader, type Notice } from './frames.ts'

/** An engine under load takes seconds to start an exec; beyond this it does not answer. */
const TIMEOUT_MS = 20_000

/** A holder that has said what it holds. */
export interface Greeted {
  /** The first process: "pid:start ticks". */
  readonly leader: string
  /** The container's count of memory kills when the program started. */
  readonly kills: number
  readonly kind: ProgramOptions['io']['kind']
  /** Whether the program has ended. Holders of the first version do not say so. */
  readonly hasEnded: boolean
  /** The size of a terminal now; of pipes 0. */
  readonly cols: number
  readonly rows: number
  /** Offset of the first byte of output that follows. */
  readonly from: OutputOffsets
  /** Offset up to which there is output now. */
  readonly to: OutputOffsets
  /** How much input may be on its way to the program, in bytes; null: it was put there by an earlier release, and does not say what was taken. */
  readonly window: number | null
  /** How much of it there is already. */
  readonly typing: number
  /** From now on the socket is read, and the listener told of everything after the greeting. Call it once. */
  listen(listener: FrameListener): void
}

/**
 * Leaves the socket paused. Fails with `start_failed` and what was said instead, or `timed_out`, and then destroys the socket. What comes
 * later and is not a holder's destroys it with a `FrameError`.
 */
export const greet = (socket: Duplex): Promise<Greeted> =>
  new Promise((resolve, reject) => {
    let told: FrameListener | null = null
    let isGreeted = false
    /** What came in one piece with the greeting. */
    const early: ((listener: FrameListener) => void)[] = []
    const tell = (event: (listener: FrameListener) => void): void => {
      // Kept only as far as it came in one piece with the greeting.
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
        // Whatever speaks there is no holder, or none any more.
        socket.destroy(error)
      }
    }
    const onEarlyClose = (): void =>
      reject(new RuntimeError('start_failed', reader.complaint || 'the terminal closed before it was open'))
    const timer = setTimeout(() => {
      reject(new RuntimeError('timed_out', 'the holder did not say in time what it holds'))
      socket.destroy()
    }, TIMEOUT_MS)
    const settle = (hello: Notice & { type: 'hello' }): void => {
      // It is said once.
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
    // An error is followed by the close, which is what counts.
    socket
      .on('data', onData)
      .once('close', onEarlyClose)
      .on('error', () => undefined)
    socket.once('close', () => clearTimeout(timer))
  })

/** The first version, which holds terminals alone and says neither its kind nor anything of a second output. */
const VERSION_TERMINALS = 1

/** Null for anything that no holder says: it decides how large an emulator is made here. */
const wordsOf = (fields: ReadonlyMap<string, string>): Omit<Greeted, 'listen'> | null => {
  const leader = leaderOf(fields)
  const version = numberIn(fields, 'version')
  const names = ['kills', 'cols', 'rows', 'from', 'to'] as const
  const [kills, cols, rows, from, to] = names.map((name) => numberIn(fields, name))
  if (leader === null || !version || kills === undefined || from === undefined || to === undefined || to < from)
    return null
  const kind = version === VERSION_TERMINALS ? 'terminal' : fields.get('kind')
  const errorFrom = numberIn(fields, 'error_from') ?? 0
  const errorTo = numberIn(fields, 'error_to') ?? 0
  if (errorTo < errorFrom) return null
  const common = {
    leader,
    kills,
    hasEnded: fields.get('ended') === '1',
    from: { stdout: from, stderr: errorFrom },
    to: { stdout: to, stderr: errorTo },
    window: numberIn(fields, 'window') ?? null,
    typing: numberIn(fields, 'typing') ?? 0,
  }
  if (kind === 'pipes') return { ...common, kind, cols: 0, rows: 0 }
  if (kind !== 'terminal' || !cols || cols > COLS_MAX || !rows || rows > ROWS_MAX) return null
  return { ...common, kind, cols, rows }
}

const leaderOf = (fields: ReadonlyMap<string, string>): string | null => {
  const leader = `${fields.get('pid') ?? ''}:${fields.get('ticks') ?? ''}`
  return /^\d{1,10}:\d{1,20}$/.test(leader) ? leader : null
}

/** Undefined for what is no number, or none that any holder says. */
const numberIn = (fields: ReadonlyMap<string, string>, name: string): number | undefined => {
  const text = fields.get(name) ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
