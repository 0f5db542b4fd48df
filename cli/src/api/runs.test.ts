import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Client } from './client.ts'
import { sentOnce } from './runs.ts'

type Answer = readonly [status: number, body: object] | 'cut off'

/** The outcome of a request that must arrive once, and the keys of its tries. The server answers them in this order. */
const outcomeOf = async (...answers: readonly Answer[]) => {
  const keys: unknown[] = []
  const server = createServer((request, response) => {
    const answer = answers[keys.push(request.headers['idempotency-key']) - 1] ?? [500, {}]
    request.resume().once('end', () => {
      if (answer === 'cut off') return response.write('{"id":', () => response.destroy())
      const [status, body] = answer
      return response.writeHead(status, { 'retry-after': '0' }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const client = new Client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: null })
  const outcome = await sentOnce(client, '/messages', { text: 'continue' }, AbortSignal.timeout(30_000)).catch(
    (error: unknown) => error,
  )
  return { outcome, tries: keys.length, keys: new Set(keys).size }
}
const refusal = (code: string) => [409, { code, message: 'Not now.' }] as const

test('a request that the server is still at work on waits for the answer of its first try, under one key', async () => {
  const { outcome, ...sent } = await outcomeOf(refusal('REQUEST_IN_PROGRESS'), [200, { id: 'one' }])
  expect([outcome, sent]).toEqual([{ id: 'one' }, { tries: 2, keys: 1 }])
})

test('a request whose answer is cut off is sent again under its key', async () => {
  const { outcome, ...sent } = await outcomeOf('cut off', [200, { id: 'one' }])
  expect([outcome, sent]).toEqual([{ id: 'one' }, { tries: 2, keys: 1 }])
})

test('a request that is refused is not sent again', async () => {
  const { outcome, tries } = await outcomeOf(refusal('WRONG_STATE'))
  expect(outcome).toMatchObject({ code: 'WRONG_STATE' })
  expect(tries).toBe(1)
})
