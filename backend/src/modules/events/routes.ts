/** `WS /api/events`. */
import { AUTH_TIMEOUT_MS, CloseCode, type PlatformEvent, TERMINAL_MESSAGE } from '@slipway/protocol'
import type { FastifyPluginAsync } from 'fastify'
import type { WebSocket } from 'ws'
import type { Log } from '../../lib/log.ts'
import { allows, refusalText } from '../access/policy.ts'
import { sourceOf } from '../audit/actor.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import type { Caller } from '../identity/caller.ts'
import type { Correspondent, Page } from '../agents/news/topic.ts'
import type { EventFeed } from './feed.ts'

/**
 * Beyond this many bytes, a sequence of events waits for the page. A slow page answers a ping in time, which is queued
 * behind them.
 */
const SEQUENCE_BYTES = 65_536
/** The server closes a page's socket when this many bytes wait for it. The page then reconnects and loads anew. */
const BACKLOG_BYTES = 1_048_576

interface Parts {
  readonly authenticator: Authenticator
  readonly feed: EventFeed
  readonly correspondents: readonly Correspondent[]
  readonly log: Log
  /** Detects that the page is gone. `onRound` is called with each ping. */
  watch(socket: WebSocket, onRound: () => void): void
}

/** The JSON value of a message; null for anything else. */
const messageOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const tokenOf = (text: string): string | null => {
  const { type, token } = (messageOf(text) ?? {}) as { type?: unknown; token?: unknown }
  return type === 'auth' && typeof token === 'string' ? token : null
}

export const eventRoutes: FastifyPluginAsync<Parts> = async (app, parts) => {
  const { authenticator, feed, correspondents, log, watch } = parts
  app.get(
    '/events',
    { websocket: true, config: { action: 'events.listen', firstMessage: true }, schema: { hide: true } },
    (socket, request) => {
      const send = (event: PlatformEvent): void => {
        if (socket.bufferedAmount > BACKLOG_BYTES) socket.terminate()
        else socket.send(JSON.stringify(event))
      }
      const closed = new Promise<null>((resolve) => socket.once('close', () => resolve(null)))
      /** Settles when the next event of a sequence may be sent. The sequences of a page share its bound. */
      let mayFollow: Promise<unknown> = Promise.resolve()
      const deliver = async (event: PlatformEvent): Promise<void> => {
        const before = mayFollow
        const { promise, resolve } = Promise.withResolvers<null>()
        mayFollow = promise
        await before
        if (socket.readyState !== socket.OPEN) return resolve(null)
        const sent = new Promise<null>((taken) => socket.send(JSON.stringify(event), () => taken(null)))
        if (socket.bufferedAmount > SEQUENCE_BYTES) await Promise.race([sent, closed])
        resolve(null)
      }
      const refuse = (message: string): void => {
        send({ type: 'error', message, close: true })
        socket.close(CloseCode.UNAUTHENTICATED, message)
      }
      /** As the API refuses a request without the scope. */
      const forbid = (caller: Caller): void => {
        const message = refusalText(caller, 'events.listen')
        send({ type: 'error', message, close: true, code: 'FORBIDDEN' })
        socket.close(CloseCode.FORBIDDEN, message)
      }
      const timer = setTimeout(() => refuse(TERMINAL_MESSAGE.authTimeout), AUTH_TIMEOUT_MS)
      let remove: (() => void) | null = null
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearTimeout(timer)
        remove?.()
      })
      /** Lets the modules read what comes after the first message. */
      const converse = (page: Page): void => {
        const all = correspondents.map((one) => one.open(page))
        socket.on('close', () => all.forEach((one) => one.close()))
        socket.on('message', (data: Buffer) => {
          const message = messageOf(data.toString('utf8'))
          for (const one of all) one.receive(message)
        })
      }
      socket.once('message', (data: Buffer) => {
        clearTimeout(timer)
        const token = tokenOf(data.toString('utf8'))
        if (token === null) return refuse(TERMINAL_MESSAGE.expectedAuth)
        let known: Caller | null = null
        feed
          .admit(
            async () => {
              known = await authenticator.authenticate(token, sourceOf(request))
              // The socket may have closed meanwhile; then the caller is not admitted.
              return known && socket.readyState === socket.OPEN && allows(known, 'events.listen') ? known : null
            },
            (caller) => ({ caller, send, revoke: refuse }),
          )
          .then((admitted) => {
            if (!admitted && known && !allows(known, 'events.listen')) return forbid(known)
            if (!admitted) return refuse(TERMINAL_MESSAGE.invalidToken)
            remove = admitted.leave
            send({ type: 'auth_success' })
            converse({ caller: admitted.caller, send, deliver })
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
