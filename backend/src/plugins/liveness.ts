/** Pings sockets, and terminates those whose client has disappeared without closing them. */
import type { WebSocket } from 'ws'

/** Time between two pings, in milliseconds. */
export const PING_INTERVAL_MS = 15_000
/**
 * Longest time until a lost connection is noticed, in milliseconds: until the next ping, plus the time to answer it.
 * For a socket that the server does not read, see {@link Liveness.check}.
 */
export const FOUND_WITHIN_MS = 2 * PING_INTERVAL_MS

interface Watched {
  /** Whether the client has sent anything since the last ping. */
  isHeard: boolean
  /** How many bytes were queued for the client at the last ping. */
  unsent: number
  readonly onRound: () => void
}

/** One timer for all sockets. */
export class Liveness {
  readonly #watched = new Map<WebSocket, Watched>()
  readonly #timer: NodeJS.Timeout

  constructor(intervalMs = PING_INTERVAL_MS) {
    // The timers of a process that was suspended run first. setImmediate lets it read first what has arrived.
    this.#timer = setInterval(() => setImmediate(() => this.check()), intervalMs)
    this.#timer.unref()
  }

  /** `onRound` is called at each ping. */
  watch(socket: WebSocket, onRound: () => void = () => undefined): void {
    const watched: Watched = { isHeard: true, unsent: 0, onRound }
    this.#watched.set(socket, watched)
    const heard = (): void => void (watched.isHeard = true)
    socket.on('pong', heard)
    socket.on('message', heard)
    socket.on('close', () => this.#watched.delete(socket))
  }

  /**
   * Terminates the sockets that did not answer the last ping, and pings the others. Two kinds of sockets get more time:
   *
   * - The server reads nothing from a socket that it paused for back-pressure. There the system's timeout for sent data
   *   counts.
   * - While a large screen is sent on a slow line, the ping is queued behind it.
   */
  check(): void {
    for (const [socket, watched] of this.#watched) {
      if (socket.readyState !== socket.OPEN) continue
      const isTaking = socket.bufferedAmount < watched.unsent
      if (!watched.isHeard && !socket.isPaused && !isTaking) {
        socket.terminate()
        continue
      }
      // A paused socket may have an unread answer.
      watched.isHeard = socket.isPaused
      socket.ping()
      watched.onRound()
      watched.unsent = socket.bufferedAmount
    }
  }

  /** Stops the timer. No socket is pinged from now on. */
  quiesce(): void {
    clearInterval(this.#timer)
  }
}
