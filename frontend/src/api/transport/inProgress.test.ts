import { expect, test } from 'vitest'
import { answerOfFirst, IN_PROGRESS_MS_MAX } from './inProgress.ts'

const refusal = (code: string, retryAfter?: string): Response =>
  new Response(JSON.stringify({ code, message: `Refused: ${code}` }), {
    status: 409,
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  })

/** The answer to a request that gets these responses, the last one for ever, and the pauses before its tries. */
async function answered(...responses: (() => Response)[]) {
  const pauses: number[] = []
  let tries = 0
  const response = await answerOfFirst(
    () => Promise.resolve((responses[tries++] ?? responses.at(-1))!()),
    (ms) => Promise.resolve(void pauses.push(ms)),
  )
  return { pauses, text: await response.text() }
}

test('a request whose first try is at work is sent again when the server says, and has the answer of that try', async () => {
  const { pauses, text } = await answered(
    () => refusal('REQUEST_IN_PROGRESS', '3'),
    () => refusal('REQUEST_IN_PROGRESS'),
    () => new Response('done'),
  )
  expect([pauses, text]).toEqual([[3000, 1000], 'done'])
})

test('a request whose first try stays at work is refused after a limited time, with a body that can be read', async () => {
  const { pauses, text } = await answered(() => refusal('REQUEST_IN_PROGRESS', '7'))
  expect(pauses).toEqual(Array.from({ length: Math.floor(IN_PROGRESS_MS_MAX / 7000) }, () => 7000))
  expect(text).toContain('Refused: REQUEST_IN_PROGRESS')
  expect((await answered(() => refusal('REQUEST_IN_PROGRESS', '3600'))).pauses).toEqual([])
})

test('another refusal is the answer', async () => {
  const { pauses, text } = await answered(() => refusal('WRONG_STATE'))
  expect(pauses).toEqual([])
  expect(text).toContain('Refused: WRONG_STATE')
})
