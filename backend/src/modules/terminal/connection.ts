/** One WebSocket of the terminal's protocol, from the first message to the close. */
import {
  AUTH_TIMEOUT_MS,
  type AuthFrame,
  CloseCode,
  INPUT_WINDOW_BYTES,
  type Participant,
  PROTOCOL_VERSION,
  type RecordedParts,
  type ServerFrame,
  TERMINAL_MESSAGE,
} from '@slipway/protocol'
import type { RawData, WebSocket } from 'ws'
import type { Log } from '../../lib/log.ts'
import { disconnected, type Ending } from '../sessions/ending.ts'
import { AuthFrameError, parseControl, print, VersionError } from './frames.ts'
import type { Entrance, Opened } from './gate.ts'
import { RefusedError } from './refused.ts'
import { Coalescer } from './session/coalescer.ts'
import type { Snapshot } from './screen/snapshot.ts'
import type { Session } from './session/session.ts'
import type { Size } from '@slipway/emulator'
import type { Viewer } from './session/viewer.ts'
import { Typing } from './session/typing.ts'

/** Frames that may come while the terminal is being opened. The socket is paused then, so this is what one read held. */
const EARLY_FRAMES = 256
/** The close reason of RFC 6455 (5.5.1) holds 123 bytes. */
const REASON_BYTES = 123
/** A client's Disconnect: a close with this code, or with none (which ws reports as 1005). Anything else lost its socket. */
const ENDS_SESSION: readonly number[] = [CloseCode.NORMAL, 1005]

/** What every first message may say. */
type First = Pick<AuthFrame, 'v' | 'cols' | 'rows' | 'offset'>

interface Parts<F extends First> {
  readonly socket: WebSocket
  readonly entrance: Entrance<F>
  readonly query: unknown
  readonly log: Log
}

interface Frame {
  readonly data: Buffer
  readonly isBinary: boolean
}

export class Connection<F extends First = AuthFrame> implements Viewer {
  readonly #parts: Parts<F>
  readonly #authTimer: NodeJS.Timeout
  #phase: 'waiting' | 'opening' | 'open' | 'closed' = 'waiting'
  #early: Frame[] = []
  #version = 1
  #session: Session | null = null
  /** Whether the session is theirs, to end it and to come back to it. */
  #isHolder = false
  /** For whoever keeps count of those who are there. */
  #left = (): void => undefined
  /** Offsets of the output: what was handed over to be sent, and what the client says that it has parsed. */
  #sent = 0
  #acknowledged = 0
  /** Bytes of a screen that are on their way: not what the program waits for. */
  #screenBytes = 0
  /** What the client asked for last. */
  #askedSize: Size | null = null
  /** Until the other end has said that it wants the session no more. */
  #isLost = true
  /** Bound once: every chunk of output uses it. */
  readonly #flushed = (): void => this.#session?.consumed()
  readonly #typing = new Typing({
    tell: (bytes) => this.#say({ type: 'taken', bytes }),
    pause: () => this.#parts.socket.pause(),
    resume: () => this.#parts.socket.resume(),
  })
  readonly #output = new Coalescer((bytes) => this.#parts.socket.send(bytes, { binary: true }, this.#flushed))

  /** Listens at once: a listener attached after an `await` loses frames. */
  constructor(parts: Parts<F>) {
    this.#parts = parts
    const { socket } = parts
    socket.on('message', (data, isBinary) => this.#received({ data: toBuffer(data), isBinary }))
    socket.on('close', (code) => this.#closed(code))
    // Malformed and oversized frames; ws closes the socket itself.
    socket.on('error', () => undefined)
    this.#authTimer = setTimeout(
      () => this.#refuse(CloseCode.UNAUTHENTICATED, TERMINAL_MESSAGE.authTimeout),
      AUTH_TIMEOUT_MS,
    )
  }

  /** A version 2 client says what it has parsed; of others only the own end of the socket is known. */
  get backlog(): number {
    const held = this.#parts.socket.bufferedAmount - this.#screenBytes
    return this.#version >= PROTOCOL_VERSION ? Math.max(this.#sent - this.#acknowledged, held) : held
  }

  get askedSize(): Size | null {
    return this.#askedSize
  }

  output(chunk: Uint8Array): void {
    this.#sent += chunk.length
    this.#output.push(chunk)
  }

  snapshot({ offset, size, data }: Snapshot): void {
    this.#showScreen({ offset, size, data }, 0)
  }

  resized({ cols, rows }: Size): void {
    const { cols: askedCols, rows: askedRows } = this.#askedSize ?? {}
    const isOwn = this.#session?.controls(this) === true && askedCols === cols && askedRows === rows
    if (!isOwn) this.#say({ type: 'size', cols, rows })
  }

  company(people: readonly Participant[], you: string, refusal?: string): void {
    this.#say({ type: 'people', you, people: [...people], ...(refusal !== undefined && { refusal }) })
  }

  recorded(parts: RecordedParts): void {
    this.#say({ type: 'recorded', recorded: parts })
  }

  drained(): void {
    this.#typing.drained()
  }

  ended(ending: Ending): void {
    this.#refuse(ending.code, ending.message, ending)
  }

  /** Something to hear for a client that wants to know whether anybody is still there. */
  alive(): void {
    if (this.#phase === 'open') this.#say({ type: 'alive' })
  }

  #received(frame: Frame): void {
    switch (this.#phase) {
      case 'waiting':
        clearTimeout(this.#authTimer)
        this.#phase = 'opening'
        this.#parts.socket.pause()
        void this.#open(frame)
        return
      case 'opening':
        if (this.#early.push(frame) > EARLY_FRAMES) this.#refuse(CloseCode.BAD_REQUEST, 'Wait for auth_success')
        return
      case 'open':
        this.#handle(frame)
        return
      case 'closed':
        return
    }
  }

  async #open(first: Frame): Promise<void> {
    const { entrance, query, socket } = this.#parts
    try {
      if (first.isBinary) throw new AuthFrameError(TERMINAL_MESSAGE.expectedAuth)
      const auth = entrance.read(first.data.toString('utf8'))
      this.#version = auth.v ?? 1
      const opened = await entrance.open(auth, this, query)
      const { session } = opened
      this.#session = session
      this.#isHolder = opened.person.isHolder
      this.#left = () => opened.left?.()
      const size = auth.cols !== undefined && auth.rows !== undefined ? { cols: auth.cols, rows: auth.rows } : null
      this.#askedSize = size
      const screen = opened.resumed ? await session.view(auth.offset ?? null, size, this.#isHolder) : null
      // The other end left meanwhile, and may come back to it.
      if (this.#phase !== 'opening') {
        this.#left()
        return this.#leftWhileOpening(session)
      }
      if (session.ending) return this.ended(session.ending)
      opened.take()
      this.#phase = 'open'
      this.#welcome(opened, auth, screen)
      socket.resume()
      for (const frame of this.#early.splice(0)) this.#handle(frame)
    } catch (error) {
      this.#openFailed(error)
    }
  }

  /** Who lost their socket, or was refused, may come back; who disconnected wants it no more. */
  #leftWhileOpening(session: Session): void {
    if (!this.#isHolder || session.isAttended) return
    if (this.#isLost) session.waitForSomebody()
    else session.end(disconnected)
  }

  #welcome({ session, resumed, person, guest }: Opened, { offset }: First, screen: Snapshot | null): void {
    const { socket } = this.#parts
    const from = screen?.offset ?? (resumed ? offset! : session.start)
    this.#sent = this.#acknowledged = from
    const replay = session.offset - from
    const { id: sessionId, mode, survives, recorded } = session
    const said = { mode, resumed, survives, recorded, inputWindow: INPUT_WINDOW_BYTES }
    const more = { sessionId, offset: from, replay, ...session.size, ...said }
    const isPlain = this.#version < PROTOCOL_VERSION
    socket.send(print({ type: 'auth_success', ...(isPlain ? {} : more), ...guest }))
    session.attach(this, from, person, () => {
      if (screen) this.#showScreen(screen, replay)
    })
  }

  /** What somebody sees who does not speak version 2 is the same: it begins with a full reset. */
  #showScreen({ offset, size, data }: Snapshot, replay: number): void {
    const { socket } = this.#parts
    this.#output.flush()
    this.#sent = this.#acknowledged = offset
    this.#say({ type: 'snapshot', bytes: data.length, offset, ...size, replay })
    if (data.length === 0) return
    this.#screenBytes += data.length
    socket.send(data, { binary: true }, () => {
      this.#screenBytes -= data.length
      this.#flushed()
    })
  }

  /** Others know no such frames. */
  #say(frame: ServerFrame): void {
    if (this.#version >= PROTOCOL_VERSION) this.#parts.socket.send(print(frame))
  }

  #openFailed(error: unknown): void {
    if (error instanceof AuthFrameError) return this.#refuse(CloseCode.UNAUTHENTICATED, error.message)
    if (error instanceof VersionError) return this.#refuse(CloseCode.BAD_REQUEST, error.message)
    if (error instanceof RefusedError) return this.#refuse(error.closeCode, error.message, error.ending)
    this.#parts.log.error({ err: error }, 'terminal could not be opened')
    this.#refuse(CloseCode.INTERNAL, 'The terminal could not be opened. Try again in a moment.')
  }

  #handle({ data, isBinary }: Frame): void {
    const session = this.#session
    if (!session || this.#phase !== 'open') return
    const control = isBinary ? null : parseControl(data.toString('utf8'), this.#version)
    switch (control?.type) {
      case 'resize':
        this.#askedSize = { cols: control.cols, rows: control.rows }
        if (session.controls(this)) session.resize(control.cols, control.rows)
        return
      case 'ack':
        // One that runs ahead of what was sent, or back, is a client's mistake and changes nothing.
        if (control.offset > this.#acknowledged && control.offset <= this.#sent) this.#acknowledged = control.offset
        return session.consumed()
      case 'ask_control':
        return session.ask(this, control.asks)
      case 'give_control':
        return void session.give(this, control.to)
      case 'decline_control':
        return session.decline(this, control.to)
      case 'ignored':
        return
      case undefined:
        return this.#input(session, data)
    }
  }

  #input(session: Session, data: Buffer): void {
    const counts = session.controls(this)
    if (counts) this.#output.await()
    this.#typing.came(data.length, !counts || session.write(data, this))
  }

  /** Says why and closes. What the socket still holds for the other end is sent before. */
  #refuse(code: CloseCode, message: string, ending?: Ending): void {
    if (this.#phase === 'closed') return
    clearTimeout(this.#authTimer)
    this.#phase = 'closed'
    this.#early = []
    const more =
      this.#version >= PROTOCOL_VERSION && ending
        ? { reason: ending.reason, ...(ending.exitCode === undefined ? {} : { exitCode: ending.exitCode }) }
        : {}
    const { socket } = this.#parts
    this.#output.flush()
    socket.send(print({ type: 'error', message, close: true, ...more }))
    socket.close(code, fitReason(message))
    // Paused, it would never see the other end's answer to the close.
    socket.resume()
  }

  #closed(code: number): void {
    clearTimeout(this.#authTimer)
    this.#phase = 'closed'
    this.#early = []
    this.#isLost = !ENDS_SESSION.includes(code)
    this.#left()
    const session = this.#session
    if (!session) return
    const wasAttached = session.has(this)
    session.detach(this)
    if (wasAttached && this.#isHolder && !this.#isLost) session.end(disconnected)
  }
}

const toBuffer = (data: RawData): Buffer => {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}

/** Cuts at a character, not in one. */
const fitReason = (message: string): string => {
  let reason = message
  while (Buffer.byteLength(reason) > REASON_BYTES) reason = reason.slice(0, -1)
  return reason
}
