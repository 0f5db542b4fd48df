import { REFRESH_KEY_HEADER, type SignedIn, type User } from '@slipway/protocol'
import { ApiError, errorOf, unreachable } from './errors.ts'
import type { RefreshKey } from './refreshKey.ts'
import { gather, type Gathered, type Gathering } from './gather.ts'

/** What the client needs from its surroundings; tests pass their own. */
export interface HttpSurroundings {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Runs one function at a time over all tabs of this browser. */
  exclusively: <T>(run: () => Promise<T>) => Promise<T>
  /** Milliseconds since some fixed moment. */
  now: () => number
  refreshKey: RefreshKey
}

/** A token with less life than this is renewed before it is used, in milliseconds. */
export const RENEW_BEFORE_MS = 60_000

const REFRESH_PATH = '/auth/refresh'
/** The two routes that need both halves of the refresh secret. */
const WITH_REFRESH_KEY: readonly string[] = [REFRESH_PATH, '/auth/logout']

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * How a request is sent once more whose answer the network lost: with an `Idempotency-Key`, so that the server does it once, or as
 * it is, where doing it twice is as good as once. GET, PUT and DELETE are such by their nature (RFC 9110, 9.2.2).
 */
export type Again = 'named' | 'harmless'
const IDEMPOTENT: readonly Method[] = ['GET', 'PUT', 'DELETE']

/** The typed request function, and the sign-in it carries. */
export interface Http {
  request: <T>(method: Method, path: string, body?: unknown, again?: Again) => Promise<T>
  /** The same where nothing of the answer is wanted. */
  send: (method: Method, path: string, body?: unknown) => Promise<void>
  /** An answer that is read as it comes. `signal` ends it; until it begins, failures are as with {@link Http.request}. */
  open: (path: string, signal: AbortSignal) => Promise<Response>
  /** What is to be saved as a file. */
  download: (path: string, way: Gathering) => Promise<Gathered>
  /** For the few routes that need no sign-in. */
  requestPublic: <T>(method: Method, path: string, body?: unknown) => Promise<T>
  /** A token with some life left; renews it by the cookie where needed. */
  accessToken: () => Promise<string>
  /** Renews by the cookie, whatever the token at hand looks like. */
  renew: () => Promise<SignedIn>
  /** Takes over what a sign-in answered. */
  adopt: (answer: SignedIn) => void
  forget: () => void
  /** Called with the person as the server knows them now, each time the sign-in is renewed. */
  onRenewed: (listener: (user: User) => void) => void
  /** Called once each time the server says that the sign-in is over. */
  onExpired: (listener: () => void) => void
}

/** The access token lives in this closure alone: no storage, no global, nothing a script could read. */
export function createHttp(surroundings: HttpSurroundings): Http {
  let token: string | null = null
  let validUntil = 0
  let renewing: Promise<SignedIn> | null = null
  let expired: () => void = () => {}
  let renewed: (user: User) => void = () => {}

  async function answerTo(
    method: Method,
    path: string,
    body: unknown,
    bearer: string | null,
    { signal, again }: { readonly signal?: AbortSignal; readonly again?: Again | undefined } = {},
  ): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json' }
    if (bearer !== null) headers['authorization'] = `Bearer ${bearer}`
    if (body !== undefined) headers['content-type'] = 'application/json'
    const key = WITH_REFRESH_KEY.includes(path) ? surroundings.refreshKey.read() : null
    if (key !== null) headers[REFRESH_KEY_HEADER] = key
    const init: RequestInit = { method, headers, credentials: 'same-origin', cache: 'no-store' }
    if (signal !== undefined) init.signal = signal
    if (body !== undefined) init.body = JSON.stringify(body)
    if (again === 'named') headers['idempotency-key'] = newKey()
    let tries = 0
    const call = (): Promise<Response> => {
      tries += 1
      return surroundings.fetch(`/api${path}`, init)
    }
    // A network that just changed fails what was under way. Renewing once more is what the server's grace is for: the
    // answer with the next refresh token may be what was lost.
    const repeatable = again !== undefined || IDEMPOTENT.includes(method) || path === REFRESH_PATH
    const response = await (repeatable ? call().catch(call) : call()).catch((cause: unknown) => {
      throw unreachable(cause)
    })
    // What is not there any more was deleted by the try whose answer was lost.
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
    const text = await response.text()
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  function adopt(answer: SignedIn): void {
    token = answer.accessToken
    validUntil = surroundings.now() + answer.expiresIn * 1000
    surroundings.refreshKey.keep(answer.refreshKey)
  }

  function forget(): void {
    token = null
    validUntil = 0
  }

  // The refresh token is used up by each use, and using an old one ends the sign-in everywhere: so one renewal at a
  // time, in this tab by the shared promise, over tabs by the lock.
  function renew(): Promise<SignedIn> {
    renewing ??= surroundings
      .exclusively(async () => {
        const { refreshKey } = surroundings
        const key = refreshKey.read()
        const ask = (): Promise<SignedIn> => exchange('POST', REFRESH_PATH, undefined, null)
        return ask().catch((error: unknown) => {
          // A page that was just left asked, too, and nobody heard what it was answered.
          if (error instanceof ApiError && error.code === 'REFRESH_CONFLICT') return ask()
          if (!isOver(error)) throw error
          // Another tab has signed in meanwhile: the cookie was the new one, and the key still the old one.
          if (refreshKey.read() !== key) return ask()
          if (key !== null) refreshKey.forget(key)
          throw error
        })
      })
      .then((answer) => {
        adopt(answer)
        renewed(answer.user)
        return answer
      })
      .catch((error: unknown) => {
        if (isOver(error)) {
          forget()
          expired()
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

  /** Once more with another token where the one at hand is refused. */
  async function signedIn<T>(ask: (bearer: string) => Promise<T>): Promise<T> {
    const used = await accessToken()
    try {
      return await ask(used)
    } catch (error) {
      const refused = error instanceof ApiError && error.code === 'UNAUTHENTICATED'
      if (!refused) throw error
      // Another request may have renewed meanwhile; then its token is the one to try.
      const next = token !== null && token !== used ? token : (await renew()).accessToken
      return ask(next)
    }
  }

  const request = <T>(method: Method, path: string, body?: unknown, again?: Again): Promise<T> =>
    signedIn((bearer) => exchange<T>(method, path, body, bearer, again))

  return {
    request,
    open: (path, signal) => signedIn((bearer) => answerTo('GET', path, undefined, bearer, { signal })),
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

const isOver = (error: unknown): boolean => error instanceof ApiError && error.statusCode === 401

/** Not `crypto.randomUUID`, which a page has over https and on localhost only. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
