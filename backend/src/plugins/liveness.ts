/** Finds sockets whose other end disappeared without closing: it pings, and terminates those that stay silent. */
import type { WebSocket } from 'ws'

/** Between two pings, in milliseconds. */
export const PING_INTERVAL_MS = 15_000
/**
 * Longest time until a lost connection is noticed, in milliseconds: until the next ping, plus the time to answer it.
 * For a socket that the server does not read, see {@link Liveness.check}.
 */
export const FOUND_WITHIN_MS = 2 * PING_INTERVAL_MS

interface Watched {
  /** Whether anything came since the last ping. */
  isHeard: boolean
  /** Bytes that waited to be sent at the last ping. */
  unsent: number
  readonly onRound: () => void
}

/** One timer for all sockets. */
export class Liveness {
  readonly #watched = new Map<WebSocket, Watched>()
  readonly #timer: NodeJS.Timeout

  constructor(intervalMs = PING_INTERVAL_MS) {
    // After a process was suspended its timers run first: what came meanwhile has to be read before it counts as
    // missing.
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
   * One round: terminates the sockets that did not answer the last ping, and pings the others. Two kinds get more time.
   * A socket that the server paused, because its program takes no input, cannot be heard: there the system's own
   * timeout for sent data counts. And while a large screen goes out on a slow line, the ping behind it has not arrived.
   */
  check(): void {
    for (const [socket, watched] of this.#watched) {
      if (socket.readyState !== socket.OPEN) continue
      const isTaking = socket.bufferedAmount < watched.unsent
      if (!watched.isHeard && !socket.isPaused && !isTaking) {
        socket.terminate()
        continue
      }
      // If it was paused until now, its answer may be unread.
      watched.isHeard = socket.isPaused
      socket.ping()
      watched.onRound()
      watched.unsent = socket.bufferedAmount
    }
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
