import { effectScope, nextTick, ref } from 'vue'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ApiError, unreachable } from '@/api/transport/errors.ts'
import { useNamedRequest } from './useNamedRequest.ts'

/** A field whose text is sent, and the keys with which it was sent. Requests fail with the given errors, in their order. */
function setUp(...failures: ApiError[]) {
  const scope = effectScope()
  onTestFinished(() => scope.stop())
  const text = ref('continue')
  const send = vi.fn<(text: string, key: string) => Promise<void>>(() => {
    const failure = failures.shift()
    return failure === undefined ? Promise.resolve() : Promise.reject(failure)
  })
  const sendNamed = scope.run(() => useNamedRequest(send, () => text.value))!
  return {
    text,
    submit: () => sendNamed(text.value).catch(() => undefined),
    /** Each key as the number of the first request that had it. */
    keys: (): number[] => {
      const all = send.mock.calls.map(([, key]) => key)
      return all.map((key) => all.indexOf(key))
    },
  }
}

test.each([
  ['without an answer', unreachable(null), [0, 0]],
  ['that the server is still at work on', new ApiError(409, 'REQUEST_IN_PROGRESS', 'Running.'), [0, 0]],
  ['that the server could not finish', new ApiError(503, 'SERVER_STOPPING', 'Stopping.'), [0, 0]],
  ['that was refused', new ApiError(409, 'WRONG_STATE', 'No.'), [0, 1]],
])('a request %s is sent again under the key that lets the server act once', async (_which, failure, keys) => {
  const request = setUp(failure)
  await request.submit()
  await request.submit()
  expect(request.keys()).toEqual(keys)
})

test('a message is sent again after an answer with the same words', async () => {
  const request = setUp()
  await request.submit()
  await request.submit()
  expect(request.keys()).toEqual([0, 1])
})

test('a message that the user types once more after a lost answer is another one', async () => {
  const request = setUp(unreachable(null), unreachable(null))
  await request.submit()
  await request.submit()
  request.text.value = ''
  await nextTick()
  request.text.value = 'continue'
  await request.submit()
  expect(request.keys()).toEqual([0, 0, 2])
})
