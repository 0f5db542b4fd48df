/** Finds sockets whose other end is gone without a word: pings, and ends those that stay silent. */
import type { WebSocket } from 'ws'

/** Between two pings, in milliseconds. */
export const PING_INTERVAL_MS = 15_000
/**
 * Longest that a lost connection goes unnoticed, in milliseconds: it takes until the next ping, which then has until the one after
 * it to be answered. A socket that we do not read cannot answer, see {@link Liveness.check}.
 */
export const FOUND_WITHIN_MS = 2 * PING_INTERVAL_MS

interface Watched {
  /** Whether anything was heard since the last ping. */
  isHeard: boolean
  /** What was left to be sent at the last ping, in bytes. */
  unsent: number
  readonly onRound: () => void
}

/** One timer for all sockets. */
export class Liveness {
  readonly #watched = new Map<WebSocket, Watched>()
  readonly #timer: NodeJS.Timeout

  constructor(intervalMs = PING_INTERVAL_MS) {
    // After a process that stood still its timers come first: what came meanwhile is to be read before it is missed.
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
   * One round: ends who did not answer the last ping, and pings the others. Two kinds are given more time. One that we paused (its
   * program takes no input) cannot be heard: there the system's own timeout for what it was sent has to do. And a ping that stands behind a
   * large screen on a slow line has not arrived, as long as that goes out.
   */
  check(): void {
    for (const [socket, watched] of this.#watched) {
      if (socket.readyState !== socket.OPEN) continue
      const isTaking = socket.bufferedAmount < watched.unsent
      if (!watched.isHeard && !socket.isPaused && !isTaking) {
        socket.terminate()
        continue
      }
      // Paused until now, it may not have been asked.
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
