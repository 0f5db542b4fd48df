/** Finds sockets whose other end is gone without a word: pings, and ends those that stay silent. */
import type { WebSocket } from 'ws'

/** Between two pings, in milliseconds. */
export const PING_INTERVAL_MS = 15_000
/** Unanswered pings after which the other end counts as gone. */
export const PINGS_MISSED = 2

/** One timer for all sockets. */
export class Liveness {
  readonly #missed = new Map<WebSocket, number>()
  readonly #onRound = new Map<WebSocket, () => void>()
  readonly #timer: NodeJS.Timeout

  constructor(intervalMs = PING_INTERVAL_MS) {
    this.#timer = setInterval(() => this.check(), intervalMs)
    this.#timer.unref()
  }

  /** `onRound` is called at each ping. */
  watch(socket: WebSocket, onRound: () => void = () => undefined): void {
    this.#onRound.set(socket, onRound)
    this.#missed.set(socket, 0)
    socket.on('pong', () => this.#missed.set(socket, 0))
    socket.on('close', () => {
      this.#missed.delete(socket)
      this.#onRound.delete(socket)
    })
  }

  /** One round. A socket that we paused cannot answer, so it is pinged (which finds a broken one) but not counted. */
  check(): void {
    for (const [socket, missed] of this.#missed) {
      if (missed >= PINGS_MISSED && !socket.isPaused) socket.terminate()
      else if (socket.readyState === socket.OPEN) {
        this.#missed.set(socket, socket.isPaused ? 0 : missed + 1)
        socket.ping()
        this.#onRound.get(socket)?.()
      }
    }
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
