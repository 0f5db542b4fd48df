import { REFRESH_KEY_HEADER, type SignedIn } from '@slipway/protocol'
import { describe, expect, test, vi } from 'vitest'
import { ApiError } from './errors.ts'
import { AGAIN_AFTER_MS, createHttp, RENEW_BEFORE_MS } from './http.ts'
import type { RefreshKey } from './refreshKey.ts'

const USER = { id: 'u', email: 'a@b.c', role: 'user', disabledAt: null, invited: false, createdAt: '' } as const

const signedIn = (accessToken: string): SignedIn => ({ accessToken, expiresIn: 900, refreshKey: 'k1', user: USER })
const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })
const refusal = (status: number, code: string) =>
  json(status, { statusCode: status, code, error: 'x', message: `Refused: ${code}` })

/** A server that accepts the access tokens in `valid`. Each renewal returns the next token: `t2`, `t3`, ... */
function setUp(valid: Set<string>) {
  let renewals = 0
  let now = 0
  const held: string[] = []
  const pauses: number[] = []
  const stored: { key: string | null } = { key: null }
  const refreshKey: RefreshKey = {
    read: () => stored.key,
    keep: (key) => void (stored.key = key),
    forget: (key) => void (stored.key = stored.key === key ? null : stored.key),
  }
  const fetch = vi.fn(async (url: string, init: RequestInit) => {
    const headers = init.headers as Record<string, string>
    if (url === '/api/auth/refresh') {
      renewals += 1
      valid.add(`t${renewals + 1}`)
      return json(200, signedIn(`t${renewals + 1}`))
    }
    const token = headers['authorization']?.replace('Bearer ', '')
    return token !== undefined && valid.has(token) ? json(200, { token }) : refusal(401, 'UNAUTHENTICATED')
  })
  const http = createHttp({
    fetch,
    exclusively: async (run) => {
      held.push('held')
      return run()
    },
    now: () => now,
    pause: async (ms) => void pauses.push(ms),
    later: () => () => undefined,
    refreshKey,
  })
  const keysSent = (): (string | null)[] =>
    fetch.mock.calls.map(([, { headers }]) => new Headers(headers).get(REFRESH_KEY_HEADER))
  return { http, fetch, stored, keysSent, held, pauses, renewals: () => renewals, pass: (ms: number) => (now += ms) }
}

test('a request carries the access token', async () => {
  const { http } = setUp(new Set(['t1']))
  http.adopt(signedIn('t1'))
  await expect(http.request('GET', '/agents')).resolves.toEqual({ token: 't1' })
})

test('a refused token is renewed once and the request repeated', async () => {
  const { http, fetch, renewals } = setUp(new Set())
  http.adopt(signedIn('t1'))
  await expect(http.request('GET', '/agents')).resolves.toEqual({ token: 't2' })
  expect(renewals()).toBe(1)
  expect(fetch).toHaveBeenCalledTimes(3)
})

test('a request that is refused again is not repeated for ever', async () => {
  const { http, fetch } = setUp(new Set())
  fetch.mockImplementation(async (url) =>
    url === '/api/auth/refresh' ? json(200, signedIn('t9')) : refusal(401, 'UNAUTHENTICATED'),
  )
  http.adopt(signedIn('t1'))
  await expect(http.request('GET', '/agents')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(fetch).toHaveBeenCalledTimes(3)
})

test('requests that are refused together share one renewal', async () => {
  const { http, renewals, held } = setUp(new Set())
  http.adopt(signedIn('t1'))
  await Promise.all([http.request('GET', '/a'), http.request('GET', '/b'), http.request('GET', '/c')])
  expect(renewals()).toBe(1)
  expect(held).toEqual(['held'])
})

test('a token near its end is renewed before it is used', async () => {
  const { http, renewals, pass } = setUp(new Set(['t1']))
  http.adopt(signedIn('t1'))
  pass(900_000 - RENEW_BEFORE_MS)
  await expect(http.accessToken()).resolves.toBe('t2')
  expect(renewals()).toBe(1)
})

test('a wrong password is no reason to renew', async () => {
  const { http, fetch, renewals } = setUp(new Set(['t1']))
  fetch.mockResolvedValueOnce(refusal(401, 'INVALID_CREDENTIALS'))
  http.adopt(signedIn('t1'))
  await expect(http.request('PATCH', '/users/me', {})).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' })
  expect(renewals()).toBe(0)
})

test('a refused renewal ends the sign-in, and says so once', async () => {
  const { http, fetch } = setUp(new Set())
  fetch.mockImplementation(async () => refusal(401, 'INVALID_REFRESH'))
  const expired = vi.fn()
  http.onExpired(expired)
  await Promise.allSettled([http.request('GET', '/a'), http.request('GET', '/b')])
  expect(expired).toHaveBeenCalledTimes(1)
})

test('a renewal that another page was faster with is asked for again, and ends nothing', async () => {
  const { http, fetch, renewals } = setUp(new Set())
  fetch.mockImplementationOnce(async () => refusal(409, 'REFRESH_CONFLICT'))
  const expired = vi.fn()
  http.onExpired(expired)
  await expect(http.request('GET', '/a')).resolves.toEqual({ token: 't2' })
  expect([renewals(), expired.mock.calls.length]).toEqual([1, 0])
})

test('a page does not act for another user who has signed in with the same browser', async () => {
  const { http, fetch, stored, pass } = setUp(new Set())
  const [expired, renewed] = [vi.fn(), vi.fn()]
  http.onExpired(expired)
  http.onRenewed(renewed)
  http.adopt(signedIn('t1'))
  fetch.mockImplementation(async (url) =>
    url === '/api/auth/refresh'
      ? json(200, { ...signedIn('theirs'), refreshKey: 'k2', user: { ...USER, id: 'v' } })
      : refusal(401, 'UNAUTHENTICATED'),
  )
  await expect(http.request('POST', '/agents')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  pass(900_000)
  await expect(http.accessToken()).rejects.toMatchObject({ message: expect.stringContaining('Another user') as string })
  const tokens = fetch.mock.calls.map(([, { headers }]) => new Headers(headers).get('authorization'))
  expect(tokens).not.toContain('Bearer theirs')
  expect(expired.mock.calls).toEqual([['Another user has signed in with this browser.']])
  expect([renewed.mock.calls, stored.key]).toEqual([[], 'k2'])
})

test('a request of a user who has signed out is not repeated for the next one', async () => {
  const { http, fetch } = setUp(new Set(['t1']))
  http.adopt(signedIn('t1'))
  fetch.mockImplementationOnce(async () => {
    http.forget()
    http.adopt({ ...signedIn('theirs'), user: { ...USER, id: 'v' } })
    return refusal(401, 'UNAUTHENTICATED')
  })
  await expect(http.request('POST', '/agents')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(fetch).toHaveBeenCalledTimes(1)
})

test('a renewal without an answer does not end the sign-in', async () => {
  const { http, fetch } = setUp(new Set())
  fetch.mockRejectedValue(new TypeError('Failed to fetch'))
  const expired = vi.fn()
  http.onExpired(expired)
  await expect(http.request('GET', '/a')).rejects.toMatchObject({ statusCode: 0, code: 'UNREACHABLE' })
  expect(expired).not.toHaveBeenCalled()
})

describe('the refresh key', () => {
  test('goes with renewing and signing out, and with nothing else', async () => {
    const { http, stored, keysSent } = setUp(new Set(['t1']))
    http.adopt(signedIn('t1'))
    expect(stored.key).toBe('k1')
    await http.request('GET', '/agents')
    await http.renew()
    await http.send('POST', '/auth/logout')
    expect(keysSent()).toEqual([null, 'k1', 'k1'])
  })

  test('is read anew where another tab has signed in between the cookie and the key', async () => {
    const { http, fetch, stored, keysSent } = setUp(new Set())
    stored.key = 'k0'
    const expired = vi.fn()
    http.onExpired(expired)
    fetch.mockImplementationOnce(async () => {
      stored.key = 'k1'
      return refusal(401, 'INVALID_REFRESH')
    })
    await http.renew()
    expect([keysSent(), stored.key, expired.mock.calls.length]).toEqual([['k0', 'k1'], 'k1', 0])
  })

  test('is forgotten where it is refused, and that of another sign-in is not', async () => {
    const { http, fetch, stored } = setUp(new Set())
    stored.key = 'k1'
    fetch.mockImplementation(async () => refusal(401, 'INVALID_REFRESH'))
    await expect(http.renew()).rejects.toMatchObject({ statusCode: 401 })
    expect(stored.key).toBeNull()
    await expect(http.renew()).rejects.toMatchObject({ statusCode: 401 })
  })
})

describe('a request that the network fails', () => {
  const failing = () => {
    const { http, fetch, pauses } = setUp(new Set(['t1']))
    http.adopt(signedIn('t1'))
    fetch.mockRejectedValueOnce(new TypeError('Failed to fetch'))
    return {
      http,
      pauses,
      keys: () => fetch.mock.calls.map(([, { headers }]) => new Headers(headers).get('idempotency-key')),
      fetch,
    }
  }

  test.each(['GET', 'PUT', 'DELETE'] as const)('is sent once more if it is a %s', async (method) => {
    const { http, keys } = failing()
    await expect(http.request(method, '/agents/a')).resolves.toEqual({ token: 't1' })
    expect(keys()).toEqual([null, null])
  })

  test('is sent a third time after a moment, in which the network may change, and then reported', async () => {
    const { http, fetch, pauses } = failing()
    fetch.mockRejectedValueOnce(new TypeError('Failed to fetch'))
    await expect(http.request('GET', '/agents')).resolves.toEqual({ token: 't1' })
    expect(pauses).toEqual(AGAIN_AFTER_MS)
    fetch.mockClear()
    fetch.mockRejectedValue(new TypeError('Failed to fetch'))
    await expect(http.request('GET', '/agents')).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(fetch).toHaveBeenCalledTimes(1 + AGAIN_AFTER_MS.length)
  })

  test('is not sent again once its reader has left', async () => {
    const { http, fetch } = failing()
    const reader = new AbortController()
    reader.abort()
    await expect(http.open('/agents/a/logs/follow', reader.signal)).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  test.each(['POST', 'PATCH'] as const)('is not if it is a %s', async (method) => {
    const { http, fetch } = failing()
    await expect(http.request(method, '/tokens', {})).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  test('is sent once more under the same key, if it has one', async () => {
    const { http, keys } = failing()
    await http.request('POST', '/agents', {}, 'named')
    expect(keys()).toEqual([expect.stringMatching(/^[\w-]{20,}$/), keys()[0]])
    await http.request('POST', '/agents', {}, 'named')
    expect(keys()[2]).not.toBe(keys()[0])
  })

  test('waits for the answer of its first try, if that is still at work, and sends nothing twice', async () => {
    const { http, fetch, keys, pauses } = failing()
    fetch.mockResolvedValueOnce(refusal(409, 'REQUEST_IN_PROGRESS'))
    await expect(http.request('POST', '/messages', {}, { key: 'one' })).resolves.toEqual({ token: 't1' })
    expect([keys(), pauses]).toEqual([
      ['one', 'one', 'one'],
      [0, 1000],
    ])
  })

  test('has deleted what is not there the second time', async () => {
    const { http, fetch } = failing()
    fetch.mockResolvedValueOnce(new Response(null, { status: 204 }))
    fetch.mockResolvedValueOnce(refusal(404, 'NOT_FOUND'))
    await expect(http.send('DELETE', '/tokens/1')).resolves.toBeUndefined()
    await expect(http.send('DELETE', '/tokens/1')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    fetch.mockRejectedValueOnce(new TypeError('Failed to fetch'))
    fetch.mockResolvedValueOnce(refusal(404, 'NOT_FOUND'))
    await expect(http.send('DELETE', '/tokens/1')).resolves.toBeUndefined()
  })
})

test('an answer without a body is no error', async () => {
  const { http, fetch } = setUp(new Set(['t1']))
  fetch.mockResolvedValueOnce(new Response(null, { status: 204 }))
  http.adopt(signedIn('t1'))
  await expect(http.send('DELETE', '/tokens/1')).resolves.toBeUndefined()
})

test("a proxy's page in between becomes a sentence", async () => {
  const { http, fetch } = setUp(new Set(['t1']))
  fetch.mockResolvedValueOnce(new Response('<html>Bad gateway</html>', { status: 502 }))
  http.adopt(signedIn('t1'))
  const error: unknown = await http.request('GET', '/agents').catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ statusCode: 502, code: 'UNEXPECTED', transient: true })
})
