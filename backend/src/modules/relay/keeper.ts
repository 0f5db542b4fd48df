/** Keeps the relay of one container: starts it again after it has ended. */
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE_MS, SECOND_MS } from '../../lib/time/clock.ts'
import type { Attended } from '../sessions/claim.ts'
import { openRelay, type Relay, type RelayDeps } from './open.ts'

/** Time before a relay that has ended is started again, in milliseconds: doubled with each end that follows soon. */
const AGAIN_MIN_MS = 250
const AGAIN_MAX_MS = MINUTE_MS
/** A relay that has lived as long was no failure, in milliseconds. */
const STEADY_MS = 30 * SECOND_MS

export class Keeper {
  readonly containerId: string
  readonly #deps: RelayDeps
  readonly #connected: (stream: Duplex) => void
  readonly #stopped = new AbortController()
  readonly #over: Promise<void>
  #relay: Relay | null = null
  /** The session of the relay that is starting. Its processes are no processes that were left. */
  #starting: Attended | null = null

  /** `connected` gets each connection of a program in the container. */
  constructor(deps: RelayDeps, containerId: string, connected: (stream: Duplex) => void) {
    this.#deps = deps
    this.containerId = containerId
    this.#connected = connected
    this.#over = this.#keep()
  }

  /** Accounts for the relay's processes. */
  attended(): Attended[] {
    const attended = this.#relay ?? this.#starting
    return attended ? [attended] : []
  }

  /** Ends the relay. Resolves when it has ended, also if the engine is away. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#relay?.end().catch(() => undefined)
    await this.#over
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopped
    const isStopped = (): boolean => signal.aborted
    for (let failures = 0; !isStopped();) {
      const beganAt = performance.now()
      try {
        const sessionId = randomUUID()
        this.#starting = { sessionId, leader: null }
        this.#relay = await openRelay(this.#deps, this.containerId, this.#connected, sessionId)
        if (isStopped()) await this.#relay.end()
        else await this.#relay.over
      } catch (error) {
        // An image of an earlier version has no relay. That is told once.
        const level = failures === 0 ? 'warn' : 'debug'
        this.#deps.log[level]({ containerId: this.containerId, err: error }, 'a relay could not be started')
      }
      this.#relay = this.#starting = null
      failures = performance.now() - beganAt > STEADY_MS ? 0 : failures + 1
      const waitMs = Math.min(AGAIN_MAX_MS, AGAIN_MIN_MS * 2 ** failures)
      await delay(waitMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
}
