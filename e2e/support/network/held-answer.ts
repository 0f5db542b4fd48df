/** One response of the server that stops midway, as on a bad network, until the test releases it. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright'
import { onTestFinished } from 'vitest'
import { intercept } from './intercept.ts'

export interface HeldAnswer {
  /** Settles once the allowed bytes have been sent. */
  readonly held: Promise<null>
  /** Settles once the page has cancelled the request. */
  readonly givenUp: Promise<null>
  /** Sends the rest. */
  release(): void
  /** The network fails. */
  drop(): void
}

/** Holds the page's next response from an address that matches `pattern`, after `bytes` of its body. */
export const holdAnswer = async (page: Page, pattern: string, bytes: number): Promise<HeldAnswer> => {
  const held = Promise.withResolvers<null>()
  const givenUp = Promise.withResolvers<null>()
  const released = Promise.withResolvers<null>()
  let base = ''
  let isTaken = false
  const server = createServer((incoming, outgoing) => {
    isTaken = true
    const { url = '', headers } = incoming
    outgoing.on('close', () => outgoing.writableFinished || givenUp.resolve(null))
    const upstream = request(`${base}${url}`, { headers: { ...headers, host: new URL(base).host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      let left = bytes
      void (async () => {
        for await (const chunk of answer as AsyncIterable<Buffer>) {
          outgoing.write(chunk.subarray(0, left))
          if (left < chunk.length) {
            held.resolve(null)
            await released.promise
            outgoing.write(chunk.subarray(left))
            left = Infinity
          }
          left -= chunk.length
        }
        outgoing.end()
      })().catch(() => undefined)
    })
    outgoing.on('close', () => upstream.destroy())
    upstream.on('error', () => outgoing.destroy())
    upstream.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    released.resolve(null)
    server.closeAllConnections()
    server.close()
  })
  await intercept(page, pattern, (held) => {
    // If the connection failed, the request never reached the server, and the page retries.
    if (isTaken) return held.continue()
    const { origin, pathname, search } = held.url
    base = origin
    const { port } = server.address() as AddressInfo
    return held.continue({ url: `http://127.0.0.1:${port}${pathname}${search}` })
  })
  return {
    held: held.promise,
    givenUp: givenUp.promise,
    release: () => released.resolve(null),
    drop: () => server.closeAllConnections(),
  }
}
