/** The events of a run as a response: JSON lines, or server-sent events. */
import { Readable } from 'node:stream'
import type { RunEvent } from '@slipway/protocol'
import { SECOND_MS } from '../../../lib/time/clock.ts'

/** The two forms. */
export type StreamFormat = 'ndjson' | 'sse'

export const CONTENT_TYPE = { ndjson: 'application/x-ndjson', sse: 'text/event-stream' } as const satisfies Record<
  StreamFormat,
  string
>

/** Time between two heartbeats, in milliseconds. Proxies cut connections that are silent for a minute. */
const ALIVE_EVERY_MS = 15 * SECOND_MS
/** Bytes that wait for the network. Further events wait on the disk. */
const STREAM_BYTES = 65_536

const ALIVE = { ndjson: '\n', sse: ': alive\n\n' } as const satisfies Record<StreamFormat, string>

const textOf = (format: StreamFormat, event: RunEvent): string =>
  format === 'ndjson' ? `${JSON.stringify(event)}\n` : `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`

/** `onEnd` is called as soon as the reader is gone, even while the stream waits for the next event. */
export const eventStream = (events: AsyncGenerator<RunEvent>, format: StreamFormat, onEnd: () => void): Readable => {
  let isReading = false
  const alive = setInterval(() => stream.push(ALIVE[format]), ALIVE_EVERY_MS)
  const stream = new Readable({
    highWaterMark: STREAM_BYTES,
    read() {
      // A heartbeat asks for more, too.
      if (isReading) return
      isReading = true
      events.next().then(
        ({ done, value }) => {
          isReading = false
          if (done === true) clearInterval(alive)
          this.push(done === true ? null : textOf(format, value))
        },
        (error: unknown) => this.destroy(error as Error),
      )
    },
    destroy(error, callback) {
      clearInterval(alive)
      onEnd()
      // Closes the file that it reads.
      void events.return(undefined).catch(() => undefined)
      callback(error)
    },
  })
  return stream
}
