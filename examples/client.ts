/**
 * A client that is generated from the server's own description:
 *
 *   npx openapi-typescript "$SLIPWAY_URL/docs/json" -o api.ts
 *   SLIPWAY_URL=... SLIPWAY_EMAIL=... SLIPWAY_PASSWORD=... node client.ts
 */
import createClient, { type Middleware } from 'openapi-fetch'
import type { paths } from './api.ts'

const { SLIPWAY_URL = 'http://127.0.0.1:4700', SLIPWAY_EMAIL = '', SLIPWAY_PASSWORD = '' } = process.env
const client = createClient<paths>({ baseUrl: SLIPWAY_URL })

/** The response's data. Throws an error with the server's message. */
function settled<T>({ data, error, response }: { data?: T; error?: { message: string }; response: Response }): T {
  if (error) throw new Error(`${response.status}: ${error.message}`)
  return data as T
}

const { accessToken } = settled(
  await client.POST('/api/auth/login', { body: { email: SLIPWAY_EMAIL, password: SLIPWAY_PASSWORD } }),
)
const authorise: Middleware = {
  onRequest: ({ request }) => request.headers.set('authorization', `Bearer ${accessToken}`),
}
client.use(authorise)

const name = `client-${Date.now()}`
const agent = settled(
  await client.POST('/api/agents', {
    params: { query: { wait: true }, header: { 'idempotency-key': crypto.randomUUID() } },
    body: { name, runtime: 'claude-code', memoryMb: 512 },
  }),
)
console.log(`${agent.name} is ${agent.state}${agent.reason ? `: ${agent.reason.message}` : ''}`)

const path = { name }
try {
  const { exitCode, stdout } = settled(
    await client.POST('/api/agents/{name}/exec', {
      params: { path },
      body: { argv: ['sh', '-c', 'echo "hello, $WHO"'], env: { WHO: 'world' } },
    }),
  )
  console.log(`exit code ${exitCode}: ${stdout.trim()}`)

  const { items } = settled(await client.GET('/api/agents', { params: { query: { limit: 500 } } }))
  console.log(`listed: ${items.some((item) => item.id === agent.id)}`)

  const refused = await client.POST('/api/agents', { body: { name, runtime: 'claude-code' } })
  console.log(`again: ${refused.error?.code}`)
} finally {
  settled(await client.DELETE('/api/agents/{name}', { params: { path } }))
  console.log('deleted')
}
