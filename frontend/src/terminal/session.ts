import { CloseCode, type ErrorFrame } from '@slipway/protocol'
import { Acknowledger } from './acknowledger.ts'
import { ackFrame, authFrame, parseServerFrame, resizeFrame, type Size } from './frames.ts'
import { InputQueue } from './inputQueue.ts'
import { afterMs, type Schedule } from './schedule.ts'

/** Sent when the page leaves: for the server a loss of the socket, not a wish to end. */
export const PAGE_LEFT = 3001
/** How long opening, authentication and starting the program may take together, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 30_000

/** How a session ended, as it was seen from here. */
export interface SessionEnd {
  by: 'user' | 'page' | 'server'
  code: number
  /** The last error frame before the end, with its sentence and reason. */
  frame: ErrorFrame | null
  /** Whether the program had been reached. */
  wasConnected: boolean
}

/** Only moves forward, and ends once. */
export type SessionState =
  { phase: 'connecting' } | { phase: 'connected'; sessionId: string | null } | { phase: 'ended'; end: SessionEnd }

export interface SessionOptions {
  url: string
  token: string
  size: Size
  /** Bytes for the parser, which calls `consumed` when it is done with them. */
  onOutput: (bytes: Uint8Array, consumed: () => void) => void
  onState: (state: SessionState) => void
  openSocket?: (url: string) => WebSocket
  schedule?: Schedule
}

/** One terminal session over one socket. For another one, make another. */
export class TerminalSession {
  #state: SessionState = { phase: 'connecting' }
  #by: SessionEnd['by'] = 'server'
  #frame: ErrorFrame | null = null
  #acks: Acknowledger | null = null
  #size: Size
  #sentSize: Size
  readonly #input: InputQueue
  readonly #socket: WebSocket
  readonly #options: SessionOptions
  readonly #schedule: Schedule
  readonly #cancelTimeout: () => void

  constructor(options: SessionOptions) {
    this.#options = options
    this.#schedule = options.schedule ?? afterMs
    this.#size = options.size
    this.#sentSize = options.size
    const socket = (options.openSocket ?? ((url: string) => new WebSocket(url)))(options.url)
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      this.#sentSize = this.#size
      socket.send(authFrame(options.token, this.#size))
    }
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.#receive(event.data)
    socket.onclose = (event) => this.#settle(event.code)
    this.#input = new InputQueue(
      { send: (bytes) => socket.send(bytes), buffered: () => socket.bufferedAmount },
      this.#schedule,
    )
    this.#cancelTimeout = this.#schedule(() => this.#close('server', PAGE_LEFT), CONNECT_TIMEOUT_MS)
  }

  get state(): SessionState {
    return this.#state
  }

  /** Types into the program. False where it was not taken: no session, or more than the queue holds. */
  write(bytes: Uint8Array): boolean {
    return this.#state.phase === 'connected' && this.#input.push(bytes)
  }

  /** Only a changed size is sent, and none before the program exists. */
  resize(size: Size): void {
    this.#size = size
    const changed = size.cols !== this.#sentSize.cols || size.rows !== this.#sentSize.rows
    if (this.#state.phase !== 'connected' || !changed) return
    this.#sentSize = size
    this.#socket.send(resizeFrame(size))
  }

  /** Ends the session, processes and all. */
  disconnect(): void {
    this.#close('user', CloseCode.NORMAL)
  }

  /** The page goes away; what becomes of the session is the server's to decide. */
  leave(): void {
    this.#close('page', PAGE_LEFT)
  }

  #receive(data: string | ArrayBuffer): void {
    if (this.#state.phase === 'ended') return
    if (typeof data !== 'string') {
      const bytes = new Uint8Array(data)
      this.#options.onOutput(bytes, () => this.#acks?.consumed(bytes.length))
      return
    }
    const frame = parseServerFrame(data)
    if (frame?.type === 'auth_success' && this.#state.phase === 'connecting') {
      this.#cancelTimeout()
      this.#acks = new Acknowledger(
        frame.offset ?? 0,
        (offset) => this.#socket.readyState === WebSocket.OPEN && this.#socket.send(ackFrame(offset)),
        this.#schedule,
      )
      this.#become({ phase: 'connected', sessionId: frame.sessionId ?? null })
      this.resize(this.#size)
    } else if (frame?.type === 'error') {
      this.#frame = frame
    }
  }

  // The closing handshake of a dead network takes long; the person who asked for the end sees it at once.
  #close(by: SessionEnd['by'], code: number): void {
    if (this.#state.phase === 'ended') return
    this.#by = by
    this.#socket.close(code)
    this.#settle(code)
  }

  #settle(code: number): void {
    if (this.#state.phase === 'ended') return
    this.#cancelTimeout()
    this.#acks?.stop()
    this.#input.stop()
    const wasConnected = this.#state.phase === 'connected'
    this.#become({ phase: 'ended', end: { by: this.#by, code, frame: this.#frame, wasConnected } })
  }

  #become(state: SessionState): void {
    this.#state = state
    this.#options.onState(state)
  }
}
