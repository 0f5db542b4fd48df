import { beforeEach, expect, it, vi } from 'vitest'
import { http } from '../transport/client.ts'
import { ApiError, otherUser } from '../transport/errors.ts'
import { refreshKey } from '../transport/refreshKey.ts'
import { logOut } from './auth.ts'

vi.mock('../transport/client.ts', () => ({ http: { send: vi.fn(), forget: vi.fn() } }))

beforeEach(() => refreshKey.keep('key'))

it.each([
  ['the server has answered', null, null],
  ['the server does not answer', new ApiError(0, 'UNREACHABLE', 'No answer.'), null],
  ['the browser belongs to another user now, whose key stays', otherUser(), 'key'],
])('a sign-out forgets the sign-in of the page: %s', async (_when, error, left) => {
  vi.mocked(http.forget).mockClear()
  vi.mocked(http.send).mockImplementationOnce(() => (error === null ? Promise.resolve() : Promise.reject(error)))
  await logOut().catch(() => undefined)
  expect(refreshKey.read()).toBe(left)
  expect(http.forget).toHaveBeenCalledOnce()
})
