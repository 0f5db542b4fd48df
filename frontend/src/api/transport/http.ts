import { REFRESH_KEY_HEADER, type SignedIn, type User } from '@slipway/protocol'
import type { Schedule } from '@/lib/timing/schedule.ts'
import { limitOfRead, RENEWED_WITHIN_MS, watched } from './answerLimit.ts'
import { ApiError, errorOf, messageOf, otherUser, unreachable } from './errors.ts'
import type { RefreshKey } from './refreshKey.ts'
import { answerOfFirst } from './inProgress.ts'
import { gather, type Gathered, type Gathering } from './gather.ts'

/** The client's dependencies; tests pass their own. */
export interface HttpSurroundings {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Runs one function at a time across all tabs of this browser. */
  exclusively: <T>(run: () => Promise<T>) => Promise<T>
  /** Milliseconds since some fixed moment. */
  now: () => number
  /** Resolves after so many milliseconds. */
  pause: (ms: number) => Promise<void>
  later: Schedule
  refreshKey: RefreshKey
}

/** A token that expires sooner than this is renewed before use, in milliseconds. */
export const RENEW_BEFORE_MS = 60_000

/**
 * Delays before a request without a response is sent again, in milliseconds. A change of the network takes a moment, in
 * which a request fails at once.
 */
export const AGAIN_AFTER_MS: readonly number[] = [0, 500]

const REFRESH_PATH = '/auth/refresh'
/** The two routes that need both halves of the refresh secret. */
const WITH_REFRESH_KEY: readonly string[] = [REFRESH_PATH, '/auth/logout']

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * How to retry a request whose response was lost. `named` sends an `Idempotency-Key`, so that the server acts only
 * once; `key` is one of the caller's own, who may send the request again later. `harmless` repeats the request as it is, because a second time changes nothing. GET, PUT and DELETE are
 * idempotent anyway (RFC 9110, 9.2.2).
 */
export type Again = 'named' | 'harmless' | { readonly key: string }
const IDEMPOTENT: readonly Method[] = ['GET', 'PUT', 'DELETE']

/** What a request for {@link Http.open} sends, besides its address. With a body it is a POST that changes nothing. */
export interface Sent {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Typed requests, with the sign-in that they need. */
export interface Http {
  request: <T>(method: Method, path: string, body?: unknown, again?: Again) => Promise<T>
  /** Like `request`, but ignores the response's body. */
  send: (method: Method, path: string, body?: unknown) => Promise<void>
  /**
   * A response to read as it arrives. `signal` ends it. Until the response begins, failures are as with {@link
   * Http.request}.
   */
  open: (path: string, signal: AbortSignal, sent?: Sent) => Promise<Response>
  /** Loads a response to save as a file. */
  download: (path: string, way: Gathering) => Promise<Gathered>
  /** For routes without a sign-in. */
  requestPublic: <T>(method: Method, path: string, body?: unknown) => Promise<T>
  /** A token that does not expire soon. Renews it if needed. */
  accessToken: () => Promise<string>
  /** Renews the sign-in with the cookie, even if the present token is valid. */
  renew: () => Promise<SignedIn>
  /** Stores the tokens of a new sign-in. */
  adopt: (answer: SignedIn) => void
  forget: () => void
  /** The listener gets the user as the server has them, at each renewal. */
  onRenewed: (listener: (user: User) => void) => void
  /** The listener is called each time the sign-in of this page is over, with the reason if it is not the usual one. */
  onExpired: (listener: (why: string | null) => void) => void
}

/** How a request is sent. */
interface Further {
  readonly signal?: AbortSignal
  readonly again?: Again | undefined
  readonly more?: Readonly<Record<string, string>>
}

/** The access token lives only in this closure: no storage and no global, where a script could read it. */
export function createHttp(surroundings: HttpSurroundings): Http {
  let token: string | null = null
  let validUntil = 0
  /** The user of the token, also once it is dropped. Another tab may sign in another one, for whom this page must not act. */
  let userId: string | null = null
  /** Whether a renewal has answered another user. Further ones would only replace the tokens of that user's pages. */
  let isOfOther = false
  let renewing: Promise<SignedIn> | null = null
  let expired: (why: string | null) => void = () => {}
  let renewed: (user: User) => void = () => {}

  async function answerTo(
    method: Method,
    path: string,
    body: unknown,
    bearer: string | null,
    { signal, again, more }: Further = {},
  ): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json', ...more }
    if (bearer !== null) headers['authorization'] = `Bearer ${bearer}`
    if (body !== undefined) headers['content-type'] = 'application/json'
    const key = WITH_REFRESH_KEY.includes(path) ? surroundings.refreshKey.read() : null
    if (key !== null) headers[REFRESH_KEY_HEADER] = key
    const init: RequestInit = { method, headers, credentials: 'same-origin', cache: 'no-store' }
    if (signal !== undefined) init.signal = signal
    if (body !== undefined) init.body = JSON.stringify(body)
    if (again === 'named') headers['idempotency-key'] = newKey()
    else if (typeof again === 'object') headers['idempotency-key'] = again.key
    let tries = 0
    /** Whether the last try had no answer in its time. */
    let isLate = false
    const limit = limitOf(method, path, signal)
    const call = async (): Promise<Response> => {
      tries += 1
      if (limit === null) return surroundings.fetch(`/api${path}`, init)
      const late = new AbortController()
      const begin = (): (() => void) => surroundings.later(() => late.abort(), limit)
      let cancel = begin()
      const goesOn = (): void => {
        cancel()
        cancel = begin()
      }
      try {
        const response = await surroundings.fetch(`/api${path}`, { ...init, signal: late.signal })
        goesOn()
        return watched(response, goesOn, () => cancel())
      } catch (cause) {
        cancel()
        isLate = late.signal.aborted
        throw cause
      }
    }
    // A change of the network breaks requests under way. A second renewal is safe: the server has a grace period,
    // because the first response, with the next refresh token, may be lost.
    const repeatable = again !== undefined || IDEMPOTENT.includes(method) || path === REFRESH_PATH
    const persist = async (): Promise<Response> => {
      for (const ms of repeatable ? AGAIN_AFTER_MS : []) {
        try {
          return await call()
        } catch (cause) {
          // A late read has waited long enough. Its user, or the next poll, tries again.
          if (signal?.aborted === true || (isLate && method === 'GET')) throw cause
          await surroundings.pause(ms)
        }
      }
      return call()
    }
    const isNamed = 'idempotency-key' in headers
    const sent = isNamed ? answerOfFirst(persist, surroundings.pause) : persist()
    const response = await sent.catch((cause: unknown) => {
      throw unreachable(cause)
    })
    // An earlier try, whose response was lost, has deleted the resource.
    if (method === 'DELETE' && tries > 1 && response.status === 404) return new Response(null, { status: 204 })
    if (!response.ok) throw await errorOf(response)
    return response
  }

  async function exchange<T>(
    method: Method,
    path: string,
    body: unknown,
    bearer: string | null,
    again?: Again,
  ): Promise<T> {
    const response = await answerTo(method, path, body, bearer, { again })
    if (response.status === 204) return undefined as T
    const text = await response.text().catch((cause: unknown) => {
      throw unreachable(cause)
    })
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  function adopt(answer: SignedIn): void {
    token = answer.accessToken
    validUntil = surroundings.now() + answer.expiresIn * 1000
    userId = answer.user.id
    isOfOther = false
    surroundings.refreshKey.keep(answer.refreshKey)
  }

  function drop(): void {
    token = null
    validUntil = 0
  }

  function forget(): void {
    drop()
    userId = null
    isOfOther = false
  }

  // Each use replaces the refresh token, and use of an old one ends the sign-in everywhere. So only one renewal runs at
  // a time: the shared promise ensures that in this tab, and the lock across tabs.
  function renew(): Promise<SignedIn> {
    if (isOfOther) return Promise.reject(otherUser())
    renewing ??= surroundings
      .exclusively(async () => {
        const { refreshKey } = surroundings
        const key = refreshKey.read()
        const ask = (): Promise<SignedIn> => exchange('POST', REFRESH_PATH, undefined, null)
        return ask().catch((error: unknown) => {
          // A page that was closed has renewed at the same time, and its response was lost.
          if (error instanceof ApiError && error.code === 'REFRESH_CONFLICT') return ask()
          if (!isOver(error)) throw error
          // Another tab signed in meanwhile, so the cookie was new and the key old.
          if (refreshKey.read() !== key) return ask()
          if (key !== null) refreshKey.forget(key)
          throw error
        })
      })
      .then((answer) => {
        // The other user's pages need the new key.
        surroundings.refreshKey.keep(answer.refreshKey)
        isOfOther = userId !== null && userId !== answer.user.id
        if (isOfOther) throw otherUser()
        adopt(answer)
        renewed(answer.user)
        return answer
      })
      .catch((error: unknown) => {
        if (isOver(error)) {
          drop()
          expired(isOfOther ? messageOf(error) : null)
        }
        throw error
      })
      .finally(() => {
        renewing = null
      })
    return renewing
  }

  async function accessToken(): Promise<string> {
    if (token !== null && validUntil - surroundings.now() > RENEW_BEFORE_MS) return token
    return (await renew()).accessToken
  }

  /** If the server refuses the token, retries once with another one. */
  async function signedIn<T>(ask: (bearer: string) => Promise<T>): Promise<T> {
    const used = await accessToken()
    const asked = userId
    try {
      return await ask(used)
    } catch (error) {
      const refused = error instanceof ApiError && error.code === 'UNAUTHENTICATED'
      if (!refused || userId !== asked) throw error
      // Another request may have renewed meanwhile. Then use its token.
      const next = token !== null && token !== used ? token : (await renew()).accessToken
      return ask(next)
    }
  }

  const request = <T>(method: Method, path: string, body?: unknown, again?: Again): Promise<T> =>
    signedIn((bearer) => exchange<T>(method, path, body, bearer, again))

  return {
    request,
    open: (path, signal, { body, headers = {} } = {}) =>
      signedIn((bearer) =>
        answerTo(body === undefined ? 'GET' : 'POST', path, body, bearer, { signal, again: 'harmless', more: headers }),
      ),
    send: (method, path, body) => request(method, path, body),
    download: (path, way) => signedIn((bearer) => gather(`/api${path}`, bearer, way)),
    requestPublic: (method, path, body) => exchange(method, path, body, null),
    accessToken,
    renew,
    adopt,
    forget,
    onRenewed: (listener) => {
      renewed = listener
    },
    onExpired: (listener) => {
      expired = listener
    },
  }
}

/** How long a request may wait for its answer to begin, in milliseconds. Null: for ever, or until `signal` ends it. */
function limitOf(method: Method, path: string, signal: AbortSignal | undefined): number | null {
  if (path === REFRESH_PATH) return RENEWED_WITHIN_MS
  return method === 'GET' && signal === undefined ? limitOfRead(path) : null
}

const isOver = (error: unknown): boolean => error instanceof ApiError && error.statusCode === 401

/** `crypto.randomUUID` exists on https and localhost only. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
