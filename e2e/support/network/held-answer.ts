/** One answer of the server's that stops on its way, as over a bad network, until it is let go on. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright'
import { onTestFinished } from 'vitest'
import { intercept } from './intercept.ts'

export interface HeldAnswer {
  /** Settles when so much of it has been passed on as may be. */
  readonly held: Promise<null>
  /** Settles when the page has given it up. */
  readonly givenUp: Promise<null>
  /** The rest of it comes. */
  release(): void
  /** The network fails. */
  drop(): void
}

/** Holds what `page` asks for next at an address like `pattern`, after `bytes` of its body. */
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
    // One that failed as it connected never came to the server, and the page asks once more.
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
