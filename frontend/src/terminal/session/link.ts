import { CloseCode } from '@slipway/protocol'
import { ApiError } from '@/api/transport/errors.ts'
import { afterMs, type Schedule } from '@/lib/timing/schedule.ts'
import type { Size } from './frames.ts'
import type { Held, Hello, Introduce } from './hello.ts'
import { TerminalSession, type Connected, type SessionEnd, type SessionOptions, type SessionState } from './session.ts'

/** Between a loss and each attempt to come back, in milliseconds; the last one counts for all further ones. */
export const RETRY_MS: readonly number[] = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000]
/** How much an attempt may come earlier, as a share: so that a server's restart is not met by all at once. */
const JITTER = 0.3
/** What a socket's end is called where no close frame came (RFC 6455, 7.4.1). */
const LOST = 1006

export type LinkState =
  | { phase: 'connecting' }
  | ({ phase: 'connected' } & Connected)
  /** It goes on by itself; `attempt` counts from 1. `because`: what the server said when it could not be done now. */
  | { phase: 'reconnecting'; attempt: number; retryInMs: number; isInputCut: boolean; because: string | null }
  /** `runsOn`: whose session it is gave it up while it could not be told so, and it waits for them. */
  | { phase: 'ended'; end: SessionEnd; runsOn: boolean }
  /** Nobody to be asked, or nobody to ask with. */
  | { phase: 'failed'; error: unknown }

export interface LinkOptions extends Omit<SessionOptions, 'hello' | 'hasControl' | 'onState'> {
  introduce: Introduce
  /** Whether it is somebody else's session: then control is theirs until they hand it over. */
  isGuest: boolean
  onState: (state: LinkState) => void
  /** From 0 to 1. */
  random?: () => number
}

/** One terminal session over as many sockets as it takes: whoever loses one comes back by itself. */
export class TerminalLink {
  readonly #options: LinkOptions
  readonly #schedule: Schedule
  #session: TerminalSession | null = null
  #size: Size
  /** What to come back to; null until the first socket was answered. */
  #held: Held | null = null
  #hasControl: boolean
  #attempt = 0
  #isOver = false
  #isFresh = false
  /** Whether the first connection was tried a second time. */
  #isTriedAgain = false
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

  /** Ends the session, processes and all; while the network is away it ends when its time is over, which the state says. */
  disconnect(): void {
    this.#stop('user', (session) => session.disconnect())
  }

  /** The page goes away; the session waits. */
  leave(): void {
    this.#stop('page', (session) => session.leave())
  }

  /** The browser says that the network is gone. */
  networkLost(): void {
    this.#session?.hearing.networkLost()
  }

  /** The browser says that it is back. */
  networkBack(): void {
    if (this.#held !== null) this.#session?.hearing.networkBack()
    this.retryNow()
  }

  /** There is a network, or somebody looks: no need to wait, neither for the next attempt nor for a server that is silent. */
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

  /** Whether an end that no server hears of leaves a session behind. */
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

  /** A server that does not answer is waited for, once there is something to come back to. */
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
    // A guest who leaves with control has left it behind.
    if (session !== null && !this.#options.isGuest) this.#hasControl = session.hasControl
    if (session !== null && this.#mayTryAgain(session, state.end)) return this.#openIn(RETRY_MS[0]!)
    if (this.#mayComeBack(state.end)) return this.#retry(state.end)
    this.#isOver = true
    const { end } = state
    this.#options.onState({ phase: 'ended', end, runsOn: !end.wasConnected && this.#leavesBehind(end.by) })
  }

  /** A socket that was lost before it was answered has changed nothing. */
  #heldAfter({ session, offset }: Held, { isScreenMissing, offset: reached }: TerminalSession): Held {
    const last = isScreenMissing ? undefined : (reached ?? offset)
    return { session, ...(last !== undefined && { offset: last }) }
  }

  /** Once, as with everything that a page asks for: a network that changes fails what is connecting. Nothing has begun then. */
  #mayTryAgain({ isReached }: TerminalSession, { by, code }: SessionEnd): boolean {
    if (this.#held !== null || isReached || this.#isTriedAgain || by !== 'server' || code !== LOST) return false
    return (this.#isTriedAgain = true)
  }

  /** Whether the socket was lost, and not the session. */
  #mayComeBack({ by, code, frame }: SessionEnd): boolean {
    if (by !== 'server' || this.#held === null) return false
    const isTokenOld = code === CloseCode.UNAUTHENTICATED && frame?.reason === undefined
    if (isTokenOld && !this.#isFresh) return (this.#isFresh = true)
    if (frame?.reason === 'server_stopping' || frame?.reason === 'engine_unavailable') return true
    // The server could not answer, perhaps for too many who came at once; the session waits.
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
