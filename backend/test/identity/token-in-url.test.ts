import { once } from 'node:events'
import { CloseCode } from '@slipway/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { useApp } from '../support/server/app.ts'
import { addressOf } from '../support/server/listener.ts'
import { call, type Person, setUpAdmin } from '../support/people/people.ts'

const people = useApp()
let admin: Person
let apiToken: string

beforeEach(async () => {
  admin = await setUpAdmin(people())
  const body = { name: 'any', scopes: ['agents:read', 'terminal'] }
  apiToken = (await call(people().app, 'POST /tokens', { token: admin.token, body })).json<{ token: string }>().token
})

/** Each of these tokens is valid where it belongs. */
const valid = (): string[] => [admin.token, apiToken]
const NAMES = ['token', 'access_token', 'authorization']

describe('token in a URL or a log: a valid one in a URL', () => {
  it('admits no caller over HTTP, where the same token does in its header', async () => {
    const { app } = people()
    for (const token of valid()) {
      expect((await call(app, 'GET /agents', { token })).statusCode).toBe(200)
      for (const name of NAMES) {
        const answer = await call(app, `GET /agents?${name}=${token}`)
        expect(answer.json()).toMatchObject({ statusCode: 401, code: 'UNAUTHENTICATED' })
      }
    }
  })

  it.each(['/events?', '/agents/any/terminal?mode=bash&', '/system-agent/terminal?'])(
    'admits no caller over the WebSocket %s',
    async (path) => {
      const address = await addressOf(people())
      for (const token of valid())
        for (const name of NAMES) {
          const socket = new WebSocket(`ws://${address}/api${path}${name}=${token}`)
          const heard: string[] = []
          socket.on('message', (data: Buffer) => heard.push(data.toString()))
          await once(socket, 'open')
          const closed = once(socket, 'close')
          // The first message must contain the token. The refusal of another message shows that the server had not
          // authenticated the client before.
          socket.send(JSON.stringify({ type: 'resize', cols: 80, rows: 24 }))
          expect((await closed)[0]).toBe(CloseCode.UNAUTHENTICATED)
          expect(heard.join()).not.toContain('auth_success')
        }
    },
  )
})
