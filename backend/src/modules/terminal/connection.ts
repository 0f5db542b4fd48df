/** One WebSocket of the terminal's protocol, from the first message to the close. */
import {
  AUTH_TIMEOUT_MS,
  type AuthFrame,
  CloseCode,
  INPUT_WINDOW_BYTES,
  type Participant,
  type RecordedParts,
  TERMINAL_MESSAGE,
} from '@slipway/protocol'
import type { RawData, WebSocket } from 'ws'
import type { Log } from '../../lib/log.ts'
import { disconnected, type Ending } from '../sessions/ending.ts'
import { Delivery } from './delivery.ts'
import { AuthFrameError, parseControl, print, VersionError } from './frames.ts'
import type { Entrance, Opened } from './gate.ts'
import { RefusedError } from './refused.ts'
import type { Snapshot } from './screen/snapshot.ts'
import type { Session } from './session/session.ts'
import type { Size } from '@slipway/emulator'
import type { Viewer } from './session/viewers/viewer.ts'
import { Typing } from './session/typing.ts'

/** How many frames may come while the terminal opens. The socket is paused then, so these are from one read. */
const EARLY_FRAMES = 256
/** Longest close reason, in bytes (RFC 6455, 5.5.1). */
const REASON_BYTES = 123
/** Close codes of a client's Disconnect; ws reports a close without a code as 1005. Other codes: a lost client. */
const ENDS_SESSION: readonly number[] = [CloseCode.NORMAL, 1005]

/** The fields that every kind of first message may have. */
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
  #session: Session | null = null
  /** Whether the client belongs to the session's user, who may end and resume the session. */
  #isHolder = false
  /** Tells the entrance that the client has left. */
  #left = (): void => undefined
  /** The size that the client requested last. */
  #askedSize: Size | null = null
  /** False once the client has disconnected, and so does not want the session any more. */
  #isLost = true
  readonly #delivery: Delivery
  readonly #typing = new Typing({
    tell: (bytes) => this.#delivery.say({ type: 'taken', bytes }),
    pause: () => this.#parts.socket.pause(),
    resume: () => this.#parts.socket.resume(),
  })

  /** Listens at once, because a listener added after an `await` loses frames. */
  constructor(parts: Parts<F>) {
    this.#parts = parts
    const { socket } = parts
    this.#delivery = new Delivery(socket, () => this.#session?.consumed())
    socket.on('message', (data, isBinary) => this.#received({ data: toBuffer(data), isBinary }))
    socket.on('close', (code) => this.#closed(code))
    // Malformed and oversized frames. ws closes the socket itself.
    socket.on('error', () => undefined)
    this.#authTimer = setTimeout(
      () => this.#refuse(CloseCode.UNAUTHENTICATED, TERMINAL_MESSAGE.authTimeout),
      AUTH_TIMEOUT_MS,
    )
  }

  get backlog(): number {
    return this.#delivery.backlog
  }

  get askedSize(): Size | null {
    return this.#askedSize
  }

  output(chunk: Uint8Array): void {
    this.#delivery.output(chunk)
  }

  snapshot(screen: Snapshot): void {
    this.#delivery.screen(screen, 0)
  }

  resized({ cols, rows }: Size): void {
    const { cols: askedCols, rows: askedRows } = this.#askedSize ?? {}
    const isOwn = this.#session?.controls(this) === true && askedCols === cols && askedRows === rows
    if (!isOwn) this.#delivery.say({ type: 'size', cols, rows })
  }

  company(people: readonly Participant[], you: string, refusal?: string): void {
    this.#delivery.say({ type: 'people', you, people: [...people], ...(refusal !== undefined && { refusal }) })
  }

  recorded(parts: RecordedParts): void {
    this.#delivery.say({ type: 'recorded', recorded: parts })
  }

  drained(): void {
    this.#typing.drained()
  }

  ended(ending: Ending): void {
    this.#refuse(ending.code, ending.message, ending)
  }

  /** Sends a frame by which the client can tell that the connection is alive. */
  alive(): void {
    if (this.#phase === 'open') this.#delivery.say({ type: 'alive' })
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
      this.#delivery.version = auth.v ?? 1
      const opened = await entrance.open(auth, this, query)
      const { session } = opened
      this.#session = session
      this.#isHolder = opened.person.isHolder
      this.#left = () => opened.left?.()
      const size = auth.cols !== undefined && auth.rows !== undefined ? { cols: auth.cols, rows: auth.rows } : null
      this.#askedSize = size
      const screen = opened.resumed ? await session.view(auth.offset ?? null, size, this.#isHolder) : null
      // The client has left meanwhile. It may reconnect.
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

  /** A client that lost its socket, or was refused, may reconnect. One that disconnected ends the session. */
  #leftWhileOpening(session: Session): void {
    if (!this.#isHolder || session.isAttended) return
    if (this.#isLost) session.waitForSomebody()
    else session.end(disconnected)
  }

  #welcome({ session, resumed, person, guest }: Opened, { offset }: First, screen: Snapshot | null): void {
    const { socket } = this.#parts
    const from = screen?.offset ?? (resumed ? offset! : session.start)
    this.#delivery.begin(from)
    const replay = session.offset - from
    const { id: sessionId, mode, survives, recorded } = session
    const said = { mode, resumed, survives, recorded, inputWindow: INPUT_WINDOW_BYTES }
    const more = { sessionId, offset: from, replay, ...session.size, ...said }
    socket.send(print({ type: 'auth_success', ...(this.#delivery.isPlain ? {} : more), ...guest }))
    session.attach(this, from, person, () => {
      if (screen) this.#delivery.screen(screen, replay)
    })
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
    const control = isBinary ? null : parseControl(data.toString('utf8'), this.#delivery.version)
    switch (control?.type) {
      case 'resize':
        this.#askedSize = { cols: control.cols, rows: control.rows }
        if (session.controls(this)) session.resize(control.cols, control.rows)
        return
      case 'ack':
        this.#delivery.acknowledge(control.offset)
        return session.consumed()
      case 'ask_control':
        return session.control.ask(this, control.asks)
      case 'give_control':
        return void session.control.give(this, control.to)
      case 'decline_control':
        return session.control.decline(this, control.to)
      case 'ignored':
        return
      case undefined:
        return this.#input(session, data)
    }
  }

  #input(session: Session, data: Buffer): void {
    const counts = session.controls(this)
    if (counts) this.#delivery.await()
    this.#typing.came(data.length, !counts || session.write(data, this))
  }

  /** Sends the reason and closes. Everything that was sent before still reaches the client. */
  #refuse(code: CloseCode, message: string, ending?: Ending): void {
    if (this.#phase === 'closed') return
    clearTimeout(this.#authTimer)
    this.#phase = 'closed'
    this.#early = []
    const more =
      !this.#delivery.isPlain && ending
        ? { reason: ending.reason, ...(ending.exitCode === undefined ? {} : { exitCode: ending.exitCode }) }
        : {}
    const { socket } = this.#parts
    this.#delivery.flush()
    socket.send(print({ type: 'error', message, close: true, ...more }))
    socket.close(code, fitReason(message))
    // A paused socket would never see the client's answer to the close.
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

/** Cuts between characters. */
const fitReason = (message: string): string => {
  let reason = message
  while (Buffer.byteLength(reason) > REASON_BYTES) reason = reason.slice(0, -1)
  return reason
}
