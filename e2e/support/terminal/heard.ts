/** Messages that a page received over its terminal's sockets. */
import type { ServerFrame } from '@slipway/protocol'
import type { Page } from 'playwright'

const OF_A_TERMINAL = /\/api\/(watch|agents\/[^/]+\/terminal)$/

export class Heard {
  #frames: ServerFrame[] = []
  #bytes = 0

  /** Call it before the page opens its terminal. */
  constructor(page: Page) {
    page.on('websocket', (socket) => {
      if (!OF_A_TERMINAL.test(new URL(socket.url()).pathname)) return
      socket.on('framereceived', ({ payload }) => {
        if (typeof payload === 'string') this.#frames.push(JSON.parse(payload) as ServerFrame)
        else this.#bytes += payload.length
      })
    })
  }

  /** Bytes of output and snapshots. */
  get bytes(): number {
    return this.#bytes
  }

  /** The frames of one type. */
  frames<T extends ServerFrame['type']>(type: T): Extract<ServerFrame, { type: T }>[] {
    return this.#frames.filter((frame) => frame.type === type) as Extract<ServerFrame, { type: T }>[]
  }

  /** Resets the counts. */
  forget(): void {
    this.#frames = []
    this.#bytes = 0
  }
}
