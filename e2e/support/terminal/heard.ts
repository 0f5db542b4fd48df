/** What came to a page over its terminal's sockets. */
import type { ServerFrame } from '@slipway/protocol'
import type { Page } from 'playwright'

const OF_A_TERMINAL = /\/api\/(watch|agents\/[^/]+\/terminal)$/

export class Heard {
  #frames: ServerFrame[] = []
  #bytes = 0

  /** Of a page that has not opened its terminal yet. */
  constructor(page: Page) {
    page.on('websocket', (socket) => {
      if (!OF_A_TERMINAL.test(new URL(socket.url()).pathname)) return
      socket.on('framereceived', ({ payload }) => {
        if (typeof payload === 'string') this.#frames.push(JSON.parse(payload) as ServerFrame)
        else this.#bytes += payload.length
      })
    })
  }

  /** Of output and of screens. */
  get bytes(): number {
    return this.#bytes
  }

  /** Those of one type. */
  frames<T extends ServerFrame['type']>(type: T): Extract<ServerFrame, { type: T }>[] {
    return this.#frames.filter((frame) => frame.type === type) as Extract<ServerFrame, { type: T }>[]
  }

  /** From now on it counts anew. */
  forget(): void {
    this.#frames = []
    this.#bytes = 0
  }
}
