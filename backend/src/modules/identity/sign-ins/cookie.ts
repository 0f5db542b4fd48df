/** The cookie that holds the refresh token: out of reach of scripts, of other sites and of all but the sign-in routes. */
import '@fastify/cookie'
import { REFRESH_COOKIE, REFRESH_KEY_HEADER, type SignedIn } from '@slipway/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { SIGN_IN_IDLE_MS, type Device, type Opened, type RefreshSecret } from './service.ts'

/** The only routes that the browser sends it to. */
export const COOKIE_PATH = '/api/auth'

/** Most cookies of a request that are looked at: more than browsers keep for one domain, which is 180. */
const COOKIES_MAX = 200
/** An id and a secret as `newSecret` makes them. */
const TOKEN = /^[\da-f-]{36}\.[\w-]{43}$/

/** Writes and clears the refresh cookie. */
export interface RefreshCookie {
  /** Sets the cookie and answers what goes into the body. */
  answer(reply: FastifyReply, opened: Opened): SignedIn
  clear(reply: FastifyReply): void
}

/** `secure`: whether the browser may send it over https only. */
export function createRefreshCookie(secure: boolean): RefreshCookie {
  const attributes = { path: COOKIE_PATH, httpOnly: true, sameSite: 'strict', secure } as const
  return {
    answer(reply, { body, refreshToken }) {
      void reply.setCookie(REFRESH_COOKIE, refreshToken, { ...attributes, maxAge: SIGN_IN_IDLE_MS / SECOND_MS })
      return body
    },
    clear: (reply) => void reply.clearCookie(REFRESH_COOKIE, attributes),
  }
}

/**
 * Both halves of the refresh secret that came with a request. A page of another host below the same domain can set
 * cookies of the same name for this one, so there may be several.
 */
export function refreshSecretsOf({ headers }: FastifyRequest): RefreshSecret[] {
  const { cookie = '', [REFRESH_KEY_HEADER]: key } = headers
  if (typeof key !== 'string') return []
  const start = `${REFRESH_COOKIE}=`
  const own = cookie.split(';', COOKIES_MAX).map((entry) => entry.trim())
  return own
    .filter((entry) => entry.startsWith(start) && TOKEN.test(entry.slice(start.length)))
    .map((entry) => ({ token: entry.slice(start.length), key }))
}

/** The device that a request comes from. */
export function deviceOf(request: FastifyRequest): Device {
  return { address: request.ip, requestId: request.id, userAgent: request.headers['user-agent'] ?? null }
}
