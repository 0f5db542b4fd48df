import { CloseCode } from '@slipway/protocol'
import { ApiError } from '@/api/transport/errors.ts'
import { afterMs, type Schedule } from '@/lib/timing/schedule.ts'
import type { Size } from './frames.ts'
import type { Held, Hello, Introduce } from './hello.ts'
import { TerminalSession, type Connected, type SessionEnd, type SessionOptions, type SessionState } from './session.ts'

/** Delays before each reconnect, in milliseconds. The last one repeats. */
export const RETRY_MS: readonly number[] = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000]
/** How often a first connection is tried again. All tries together last longer than a change of the network. */
const FIRST_AGAIN = 2
/** Share by which a delay may be shorter, so that not all clients reconnect at once after a restart. */
const JITTER = 0.3
/** Close code of a socket without a close frame (RFC 6455, 7.4.1). */
const LOST = 1006

export type LinkState =
  | { phase: 'connecting' }
  | ({ phase: 'connected' } & Connected)
  /** The link retries by itself; `attempt` counts from 1. `because` is the server's reason for refusing for now. */
  | { phase: 'reconnecting'; attempt: number; retryInMs: number; isInputCut: boolean; because: string | null }
  /** `runsOn`: the owner disconnected while the server was out of reach, so the session waits for them. */
  | { phase: 'ended'; end: SessionEnd; runsOn: boolean }
  /** No connection was possible: the server did not answer, or there is no valid token. */
  | { phase: 'failed'; error: unknown }

export interface LinkOptions extends Omit<SessionOptions, 'hello' | 'hasControl' | 'onState'> {
  introduce: Introduce
  /** Whether the session is another user's. Then the owner has control until they hand it over. */
  isGuest: boolean
  onState: (state: LinkState) => void
  /** From 0 to 1. */
  random?: () => number
}

/** One terminal session over many sockets. It reconnects by itself after a loss. */
export class TerminalLink {
  readonly #options: LinkOptions
  readonly #schedule: Schedule
  #session: TerminalSession | null = null
  #size: Size
  /** The session to resume. Null until the server has answered the first socket. */
  #held: Held | null = null
  #hasControl: boolean
  #attempt = 0
  #isOver = false
  #isFresh = false
  /** How often the first connection was retried. */
  #firstAgain = 0
  #cancelRetry: (() => void) | null = null

  constructor(options: LinkOptions) {
    this.#options = options
    this.#schedule = options.schedule ?? afterMs
    this.#size = options.size
    this.#hasControl = !options.isGuest
    void this.#open()
  }

  write(bytes: Uint8Array): boolean {
    return this.#session?.write(bytes) ?? false
  }

  /** See {@link TerminalSession.isInputWaiting}. */
  get isInputWaiting(): boolean {
    return this.#session?.isInputWaiting ?? false
  }

  /** See {@link TerminalSession.dropInput}. */
  dropInput(): void {
    this.#session?.dropInput()
  }

  resize(size: Size): void {
    this.#size = size
    this.#session?.resize(size)
  }

  /** See {@link TerminalSession.ask}. */
  ask(asks: boolean): void {
    this.#session?.ask(asks)
  }

  /** See {@link TerminalSession.give}. */
  give(to: string): void {
    this.#session?.give(to)
  }

  /** See {@link TerminalSession.decline}. */
  decline(to: string): void {
    this.#session?.decline(to)
  }

  /**
   * Ends the session with its processes. While the network is away the session ends when its time is over, and the
   * state says so.
   */
  disconnect(): void {
    this.#stop('user', (session) => session.disconnect())
  }

  /** The page closes. The session waits for a reconnect. */
  leave(): void {
    this.#stop('page', (session) => session.leave())
  }

  /** The browser reports that the network is gone. */
  networkLost(): void {
    this.#session?.hearing.networkLost()
  }

  /** The browser reports that the network is back. */
  networkBack(): void {
    if (this.#held !== null) this.#session?.hearing.networkBack()
    this.retryNow()
  }

  /** There is a network, or the user looks at the page. Reconnects without delay, and checks a silent server. */
  retryNow(): void {
    this.#attempt = 0
    if (this.#held !== null) this.#session?.hearing.check()
    if (this.#cancelRetry === null) return
    this.#cancelRetry()
    this.#cancelRetry = null
    void this.#open()
  }

  #stop(by: SessionEnd['by'], end: (session: TerminalSession) => void): void {
    if (this.#isOver) return
    this.#cancelRetry?.()
    if (this.#session !== null) return end(this.#session)
    this.#isOver = true
    const frame = null
    const wasConnected = this.#held !== null
    this.#options.onState({
      phase: 'ended',
      end: { by, code: CloseCode.NORMAL, frame, wasConnected, isInputCut: false },
      runsOn: this.#leavesBehind(by),
    })
  }

  /** Whether the session runs on if its end cannot be sent to the server. */
  #leavesBehind(by: SessionEnd['by']): boolean {
    return by === 'user' && this.#held !== null && !this.#options.isGuest
  }

  async #open(): Promise<void> {
    let hello: Hello
    try {
      hello = await this.#options.introduce(this.#isFresh)
    } catch (error) {
      return this.#withoutToken(error)
    }
    if (this.#isOver) return
    this.#session = new TerminalSession({
      ...this.#options,
      size: this.#size,
      hello: (size) => hello(size, this.#held),
      hasControl: this.#hasControl,
      onState: (state) => this.#follow(state),
    })
  }

  /** If the server does not answer and there is a session to resume, retries. */
  #withoutToken(error: unknown): void {
    if (this.#isOver) return
    const isRefused = error instanceof ApiError && error.statusCode === 401
    if (this.#held !== null && !isRefused) return this.#retry()
    this.#isOver = true
    this.#options.onState({ phase: 'failed', error })
  }

  #follow(state: SessionState): void {
    if (state.phase === 'connected') {
      this.#attempt = 0
      this.#isFresh = false
      this.#held = state.sessionId === null ? null : { session: state.sessionId }
      return this.#options.onState(state)
    }
    if (state.phase !== 'ended') return
    const session = this.#session
    this.#session = null
    if (this.#held !== null && session !== null) this.#held = this.#heldAfter(this.#held, session)
    // A guest who leaves loses control.
    if (session !== null && !this.#options.isGuest) this.#hasControl = session.hasControl
    if (session !== null && this.#mayTryAgain(session, state.end)) return this.#openIn(RETRY_MS[this.#firstAgain++]!)
    if (this.#mayComeBack(state.end)) return this.#retry(state.end)
    this.#isOver = true
    const { end } = state
    this.#options.onState({ phase: 'ended', end, runsOn: !end.wasConnected && this.#leavesBehind(end.by) })
  }

  /** A socket that was lost before the server answered has changed nothing. */
  #heldAfter({ session, offset }: Held, { isScreenMissing, offset: reached }: TerminalSession): Held {
    const last = isScreenMissing ? undefined : (reached ?? offset)
    return { session, ...(last !== undefined && { offset: last }) }
  }

  /**
   * Retries the first connection, like all requests of this page: a change of the network breaks connections. No program
   * has started then.
   */
  #mayTryAgain({ isReached }: TerminalSession, { by, code }: SessionEnd): boolean {
    return this.#held === null && !isReached && this.#firstAgain < FIRST_AGAIN && by === 'server' && code === LOST
  }

  /** Whether only the socket was lost, so that the session can be resumed. */
  #mayComeBack({ by, code, frame }: SessionEnd): boolean {
    if (by !== 'server' || this.#held === null) return false
    const isTokenOld = code === CloseCode.UNAUTHENTICATED && frame?.reason === undefined
    if (isTokenOld && !this.#isFresh) return (this.#isFresh = true)
    if (frame?.reason === 'server_stopping' || frame?.reason === 'engine_unavailable') return true
    // The server could not answer, perhaps because too many clients reconnected at once. The session waits.
    if (code === CloseCode.INTERNAL && frame?.reason === undefined) return true
    return frame === null && code !== CloseCode.NORMAL
  }

  #retry({ isInputCut, code, frame }: Partial<SessionEnd> = {}): void {
    const delay = RETRY_MS[Math.min(this.#attempt, RETRY_MS.length - 1)] ?? 0
    const retryInMs = Math.round(delay * (1 - JITTER * (this.#options.random ?? Math.random)()))
    this.#attempt += 1
    this.#openIn(retryInMs)
    const because = code === CloseCode.INTERNAL ? (frame?.message ?? null) : null
    const attempt = this.#attempt
    this.#options.onState({ phase: 'reconnecting', attempt, retryInMs, isInputCut: isInputCut === true, because })
  }

  #openIn(ms: number): void {
    this.#cancelRetry = this.#schedule(() => {
      this.#cancelRetry = null
      void this.#open()
    }, ms)
  }
}
