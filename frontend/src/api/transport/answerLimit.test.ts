import type { SignedIn } from '@slipway/protocol'
import { expect, test, vi } from 'vitest'
import { ANSWER_WITHIN_MS, RENEWED_WITHIN_MS } from './answerLimit.ts'
import { createHttp } from './http.ts'

const USER = { id: 'u', email: 'a@b.c', role: 'user', disabledAt: null, invited: false, createdAt: '' } as const
const SIGNED_IN: SignedIn = { accessToken: 't', expiresIn: 900, refreshKey: 'k', user: USER }

/** Like a connection that a network has dropped without a word. */
const never = (_: string, { signal }: RequestInit): Promise<Response> =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))

/** A client whose requests are answered at once. `limits` are the time limits in force, and `expire` lets them pass. */
function setUp() {
  const timers = new Map<() => void, number>()
  const limits = (): number[] => [...timers.values()]
  const seen: number[][] = []
  const fetch = vi.fn<(url: string, init: RequestInit) => Promise<Response>>(async () => {
    seen.push(limits())
    return Response.json(SIGNED_IN)
  })
  const http = createHttp({
    fetch,
    exclusively: (run) => run(),
    now: () => 0,
    pause: async () => undefined,
    later: (run, ms) => {
      timers.set(run, ms)
      return () => void timers.delete(run)
    },
    refreshKey: { read: () => 'k', keep: () => undefined, forget: () => undefined },
  })
  http.adopt(SIGNED_IN)
  const expire = (): void => [...timers.keys()].forEach((run) => run())
  return { http, fetch, limits, expire, seen }
}

test('a read that nothing answers is told as unreachable after a while, and not sent again', async () => {
  const { http, fetch, limits, expire } = setUp()
  fetch.mockImplementationOnce(never)
  const answer = http.request('GET', '/dashboard')
  await vi.waitFor(() => expect(limits()).toEqual([ANSWER_WITHIN_MS]))
  expire()
  await expect(answer).rejects.toMatchObject({ statusCode: 0, code: 'UNREACHABLE' })
  expect(fetch).toHaveBeenCalledTimes(1)
  await expect(http.request('GET', '/dashboard')).resolves.toEqual(SIGNED_IN)
  expect(limits()).toEqual([])
})

test('an answer that stops in its middle is told as unreachable, and one that goes on is waited for', async () => {
  const { http, fetch, limits, expire } = setUp()
  const text = JSON.stringify(SIGNED_IN)
  const pieces = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>()
  const writer = pieces.writable.getWriter()
  const write = (part: string): Promise<void> => writer.write(new TextEncoder().encode(part))
  fetch.mockResolvedValueOnce(new Response(pieces.readable))
  const whole = http.request('GET', '/dashboard')
  await write(text.slice(0, 5))
  expect(limits()).toEqual([ANSWER_WITHIN_MS])
  await write(text.slice(5))
  await writer.close()
  await expect(whole).resolves.toEqual(SIGNED_IN)
  expect(limits()).toEqual([])

  fetch.mockImplementationOnce(async (_, { signal }) => {
    const body = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>()
    const open = body.writable.getWriter()
    signal?.addEventListener('abort', () => void open.abort(signal.reason))
    void open.write(new TextEncoder().encode('{'))
    return new Response(body.readable)
  })
  const torn = http.request('GET', '/dashboard')
  await vi.waitFor(() => expect(limits()).toEqual([ANSWER_WITHIN_MS]))
  expire()
  await expect(torn).rejects.toMatchObject({ statusCode: 0, code: 'UNREACHABLE' })
})

test('a renewal that nothing answers is sent again while the server accepts the earlier refresh token', async () => {
  const { http, fetch, limits, expire } = setUp()
  fetch.mockImplementationOnce(never)
  const renewed = http.renew()
  await vi.waitFor(() => expect(limits()).toEqual([RENEWED_WITHIN_MS]))
  expire()
  await expect(renewed).resolves.toEqual(SIGNED_IN)
  expect(fetch).toHaveBeenCalledTimes(2)
})

test.each([
  '/coding-agents/status?agent=a',
  '/coding-agents/sessions/1/publication',
  '/coding-agents/sessions/1/publication/feedback',
  '/agents/a/git/status?repository=%2Fr',
  '/system-agent/git/repositories',
  '/agents/a/worktrees',
  '/agents/a/worktrees?folder=%2Fr',
])('a read that may take the server minutes has no limit: %s', async (path) => {
  const { http, seen } = setUp()
  await http.request('GET', path)
  expect(seen).toEqual([[]])
})

test.each(['/agents/a/ports', '/agents/git', '/agents/a/worktree-settings', '/coding-agents/sessions/1'])(
  'any other read has one: %s',
  async (path) => {
    const { http, seen } = setUp()
    await http.request('GET', path)
    expect(seen).toEqual([[ANSWER_WITHIN_MS]])
  },
)

test('what changes something, and what its reader ends, has no limit', async () => {
  const { http, seen } = setUp()
  await http.request('POST', '/agents', {})
  await http.request('PUT', '/users/me/preferences', {})
  await http.open('/agents/a/logs/follow', new AbortController().signal)
  expect(seen).toEqual([[], [], []])
})
