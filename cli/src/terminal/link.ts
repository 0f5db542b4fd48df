/**
 * One terminal over many sockets, by version 2 of docs/programs/terminal.md. It reconnects by itself. It knows no screen.
 */
import { randomUUID } from 'node:crypto'
import type { CloseCode } from '@slipway/protocol'
import { WebSocket } from 'ws'
import { SlipwayError } from '../api/errors.ts'
import { unreachable } from '../api/failures.ts'
import { type EndFrame, type Frame, frameIn } from './frames.ts'
import { ReceivedOutput } from './received.ts'
import { TypedInput } from './typed.ts'

/** Pauses before each reconnect, in milliseconds. The last one repeats. */
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000] as const
/** Longest silence of a server, which sends something every 15 s, in milliseconds. */
const SILENCE_MS = 35_000
/** Longest time for a connection, in milliseconds. */
const HANDSHAKE_MS = 15_000
/** Largest message of the server, in bytes. A screen has 8 MiB at most. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024
/** Close code of a client that leaves. The session waits for its user. */
const DETACHED = 3001
/** The codes of `CloseCode`. To load all schemas of the protocol for them would take longer than all else at a start. */
const NORMAL = 1000 satisfies typeof CloseCode.NORMAL
const INTERNAL = 1011 satisfies typeof CloseCode.INTERNAL
/** Close code without a close frame (RFC 6455, 7.4.1). */
const LOST = 1006
/** After these the session goes on. */
const COMES_BACK = ['server_stopping', 'engine_unavailable']

export interface Size {
  readonly cols: number
  readonly rows: number
}

/** How it ended. Null: the user detached, and the session waits. */
export type LinkEnd = Pick<EndFrame, 'message' | 'reason' | 'exitCode'> | null

export interface LinkOptions {
  /** `wss://...` */
  readonly url: string
  readonly token: string
  /** Whether to take the session from another client. */
  readonly takesOver: boolean
  readonly size: () => Size
  readonly draw: (bytes: Buffer, drawn: () => void) => void
  /** The connection is lost, or is back. */
  readonly onLost: (isLost: boolean) => void
  /** More input may be typed, see {@link TerminalLink.type}. */
  readonly onRoom: () => void
}

export class TerminalLink {
  /** Settles when it does not come back. Rejects if it never began. */
  readonly ended: Promise<LinkEnd>
  readonly #options: LinkOptions
  readonly #client = randomUUID()
  #resolve: (end: LinkEnd) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined
  #socket: WebSocket | null = null
  #session: string | null = null
  #output: ReceivedOutput | null = null
  /** What this client has, once it has lost a socket. */
  #offset: number | undefined
  #input: TypedInput | null = null
  #end: EndFrame | null = null
  #failure: Error | null = null
  #silence: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  #attempt = 0
  #takesOver: boolean
  #hasLostInput = false
  #isOver = false

  constructor(options: LinkOptions) {
    this.#options = options
    this.#takesOver = options.takesOver
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#connect()
  }

  /** Whether input waited while a connection was lost. */
  get hasLostInput(): boolean {
    return this.#hasLostInput
  }

  /** Sends input. While the terminal shows the past, its answers to it are dropped. False: wait for `onRoom`. */
  type(bytes: Buffer): boolean {
    if (this.#output?.isLive !== true || this.#input === null) return true
    return this.#input.push(bytes)
  }

  resize(): void {
    if (this.#output?.isLive === true) this.#send({ type: 'resize', ...this.#options.size() })
  }

  /** The screen was written over. The next connection gets a new one. */
  forgetScreen(): void {
    this.#offset = undefined
  }

  /** Leaves the session to wait for its user. */
  detach(): void {
    this.#socket?.close(DETACHED)
    this.#over(null)
  }

  #connect(): void {
    this.#end = this.#failure = null
    const socket = new WebSocket(this.#options.url, {
      ...{ perMessageDeflate: false, handshakeTimeout: HANDSHAKE_MS, maxPayload: MESSAGE_BYTES_MAX },
      // Whatever the environment says.
      rejectUnauthorized: true,
    })
    this.#socket = socket
    const hasOffset = this.#session !== null && this.#offset !== undefined
    const from = hasOffset ? { offset: this.#offset } : {}
    socket.on('open', () => {
      const has = { ...(this.#session === null ? {} : { session: this.#session }), ...from }
      const takeover = this.#takesOver ? { takeover: true } : {}
      const { token, size } = this.#options
      this.#send({ type: 'auth', token, v: 2, client: this.#client, ...size(), ...has, ...takeover })
    })
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.#heard()
      if (isBinary) this.#output?.receive(data)
      else this.#hear(frameIn(data.toString()), from.offset)
    })
    socket.on('error', (error) => (this.#failure = error))
    socket.once('close', (code) => this.#closed(code))
    this.#heard()
  }

  #heard(): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#socket?.terminate(), SILENCE_MS)
  }

  #hear(frame: Frame | null, claimed: number | undefined): void {
    switch (frame?.type) {
      case 'error':
        this.#end = frame
        return
      case 'auth_success':
        this.#welcome(frame, claimed)
        return
      case 'snapshot':
        this.#output?.snapshot(frame)
        return
      case 'taken':
        this.#input?.taken(frame.bytes)
        return
      case undefined:
        return
    }
  }

  #welcome(frame: Extract<Frame, { type: 'auth_success' }>, claimed: number | undefined): void {
    this.#session = frame.sessionId
    this.#attempt = 0
    this.#takesOver = false
    this.#input = new TypedInput(frame.inputWindow, (bytes) => this.#socket?.send(bytes), this.#options.onRoom)
    const { offset, replay } = frame
    this.#output = new ReceivedOutput(
      {
        draw: this.#options.draw,
        acknowledge: (upTo) => this.#send({ type: 'ack', offset: upTo }),
        onRestored: () => this.resize(),
      },
      // If the server answers with another offset than ours, a screen comes next.
      { offset, replay, isScreenMissing: frame.resumed && offset !== claimed },
    )
    this.#options.onLost(false)
    this.resize()
  }

  #closed(code: number): void {
    clearTimeout(this.#silence)
    this.#offset = this.#output === null ? this.#offset : this.#output.offset
    this.#output?.stop()
    const isInputCut = this.#input?.isWaiting === true
    this.#output = this.#input = null
    if (this.#isOver) return
    if (this.#session === null) return this.#refused(code)
    if (!this.#comesBack(code)) return this.#over(this.#end ?? { message: 'The terminal has ended.', ...NO_REASON })
    this.#hasLostInput ||= isInputCut
    this.#options.onLost(true)
    // What waited is gone, so the user need not wait for it.
    this.#options.onRoom()
    this.#retry = setTimeout(() => this.#connect(), RETRY_MS[Math.min(this.#attempt++, RETRY_MS.length - 1)])
  }

  #comesBack(code: number): boolean {
    if (this.#end === null) return code !== NORMAL
    const { reason } = this.#end
    return reason === null ? code === INTERNAL : COMES_BACK.includes(reason)
  }

  #refused(code: number): void {
    this.#isOver = true
    if (this.#end !== null) this.#reject(new SlipwayError('WRONG_STATE', this.#end.message))
    else if (code === LOST) this.#reject(unreachable(this.#options.url, this.#failure))
    else this.#reject(new SlipwayError('UNEXPECTED', `The server closed the terminal (${code}).`))
  }

  #over(end: LinkEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#retry)
    clearTimeout(this.#silence)
    this.#resolve(end)
  }

  #send(frame: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame))
  }
}

const NO_REASON = { reason: null, exitCode: null }
