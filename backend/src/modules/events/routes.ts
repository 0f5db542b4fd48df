/** `WS /api/events`. */
import { AUTH_TIMEOUT_MS, CloseCode, type PlatformEvent, TERMINAL_MESSAGE } from '@slipway/protocol'
import type { FastifyPluginAsync } from 'fastify'
import type { WebSocket } from 'ws'
import type { Log } from '../../lib/log.ts'
import { allows } from '../access/policy.ts'
import { sourceOf } from '../audit/actor.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import type { EventFeed } from './feed.ts'

/** The server closes a page's socket when this many bytes wait for it. The page then reconnects and loads anew. */
const BACKLOG_BYTES = 1_048_576

interface Parts {
  readonly authenticator: Authenticator
  readonly feed: EventFeed
  readonly log: Log
  /** Detects that the page is gone. `onRound` is called with each ping. */
  watch(socket: WebSocket, onRound: () => void): void
}

const tokenOf = (text: string): string | null => {
  try {
    const { type, token } = JSON.parse(text) as { type?: unknown; token?: unknown }
    return type === 'auth' && typeof token === 'string' ? token : null
  } catch {
    return null
  }
}

export const eventRoutes: FastifyPluginAsync<Parts> = async (app, { authenticator, feed, log, watch }) => {
  app.get(
    '/events',
    { websocket: true, config: { action: 'events.listen', firstMessage: true }, schema: { hide: true } },
    (socket, request) => {
      const send = (event: PlatformEvent): void => {
        if (socket.bufferedAmount > BACKLOG_BYTES) socket.terminate()
        else socket.send(JSON.stringify(event))
      }
      const refuse = (message: string): void => {
        send({ type: 'error', message, close: true })
        socket.close(CloseCode.UNAUTHENTICATED, message)
      }
      const timer = setTimeout(() => refuse(TERMINAL_MESSAGE.authTimeout), AUTH_TIMEOUT_MS)
      let remove: (() => void) | null = null
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearTimeout(timer)
        remove?.()
      })
      socket.once('message', (data: Buffer) => {
        clearTimeout(timer)
        const token = tokenOf(data.toString('utf8'))
        if (token === null) return refuse(TERMINAL_MESSAGE.expectedAuth)
        feed
          .admit(
            async () => {
              const caller = await authenticator.authenticate(token, sourceOf(request))
              // The socket may have closed meanwhile; then the caller is not admitted.
              return caller && socket.readyState === socket.OPEN && allows(caller, 'events.listen') ? caller : null
            },
            (caller) => ({ caller, send, revoke: refuse }),
          )
          .then((leave) => {
            if (!leave) return refuse(TERMINAL_MESSAGE.invalidToken)
            remove = leave
            send({ type: 'auth_success' })
          })
          .catch((error: unknown) => {
            log.error({ err: error }, 'event listener could not be authenticated')
            socket.close(CloseCode.INTERNAL)
          })
      })
      watch(socket, () => remove && send({ type: 'alive' }))
    },
  )
}
