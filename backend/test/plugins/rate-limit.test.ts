import { once } from 'node:events'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { useApp } from '../support/server/app.ts'
import { addressOf } from '../support/server/listener.ts'

/** Requests a minute from one address to one of these routes (MAX_PER_MINUTE in rate-limit.ts). */
const PER_MINUTE = 600

const test = useApp()

/** Sends one request too many, and answers the reply to that. */
const askTooOften = async (method: 'GET' | 'POST', url: string) => {
  const ask = () => test().app.inject({ method, url })
  for (let asked = 0; asked < PER_MINUTE; asked++) await ask()
  return ask()
}

it('answers one address only so often in a minute, and says when to try again', async () => {
  const { statusCode, headers } = await askTooOften('POST', '/api/auth/refresh')
  expect(statusCode).toBe(429)
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
})

it('lets one address come by links only so often', async () => {
  const url = `ws://${await addressOf(test())}/api/watch`
  const first = new WebSocket(url)
  await once(first, 'open')
  first.terminate()
  await askTooOften('GET', '/api/watch')
  const [, response] = (await once(new WebSocket(url), 'unexpected-response')) as [unknown, { statusCode: number }]
  expect(response.statusCode).toBe(429)
})
