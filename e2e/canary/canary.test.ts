/**
 * No secret, password or token is in a wrong place after every operation that handles one. Each place is also searched
 * for a marker that belongs there, because a search of nothing finds nothing.
 */
import { createHash, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedApiToken, CreatedTerminalLink, CreatedUser } from '@slipway/protocol'
import { disconnectAll, newDataDir, TerminalClient, until } from '@slipway/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../support/api.ts'
import { removeNamespace } from '../support/engine.ts'
import { answered, closePages, newContext, useBrowser } from '../support/pages.ts'
import { newNamespace, type Server, startServer } from '../support/server.ts'
import { browserOf, engineOf, filesOf, found, rowsOf } from './places.ts'

/** A secret that no other text can match. */
const canary = (name: string): string => `canary-${name.replaceAll(/\W/g, '-')}-${randomBytes(12).toString('hex')}`
const MARKER = `marker${randomBytes(4).toString('hex')}`
const EMAIL = `${MARKER}@example.org`

useBrowser()
const secrets: Record<string, string> = {}
const places: Record<string, string> = {}
const dataDir = newDataDir()
const namespace = newNamespace()
const since = Math.floor(Date.now() / 1000)
let server: Server | null = null
const errors: string[] = []
/** Encrypts all stored credentials. It comes from the environment, so that no file of the data folder has it. */
const KEY = 'secret key of the installation'

/** Creates a secret that must be in no place. */
const plant = (name: string): string => (secrets[name] = canary(name))
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The hash that a shell printed, after any prompt. */
const hashIn = (output: string): string | undefined => /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/.exec(output)?.[0]

const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server!.baseUrl}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** Creates the first admin with the link that the server prints for its operator. The link is nowhere else. */
const setUp = async (password: string): Promise<void> => {
  const first = await startServer({
    env: {
      SLIPWAY_LOG_LEVEL: 'trace',
      SLIPWAY_SECRET_KEY: secrets[KEY] ?? '',
      SLIPWAY_ADMIN_EMAIL: '',
      SLIPWAY_ADMIN_PASSWORD: '',
    },
    dataDir,
    namespace,
  })
  server = first
  const link = await until('the set-up link', () => /\/setup#token=(\S+)/.exec(first.output())?.[1])
  secrets['set-up link'] = link
  const tried = await post('/auth/setup', { token: link, email: 'admin@example.org', password: 'short' })
  expect(tried.status).toBe(400)
  errors.push(await tried.text())
  expect((await post('/auth/setup', { token: link, email: 'admin@example.org', password })).status).toBe(200)
  await first.stop()
  const printed = first.output()
  expect(printed.split(link)).toHaveLength(2)
  places['log of the first start'] = printed.replace(link, '')
}

/** Signs in, and adds both tokens to the secrets. */
const signIn = async (name: string, email: string, password: string): Promise<Client> => {
  const response = await post('/auth/login', { email, password })
  const { accessToken, user } = (await response.json()) as { accessToken: string; user: { id: string; email: string } }
  secrets[`access token of ${name}`] = accessToken
  secrets[`refresh token of ${name}`] = /=([^;]+)/.exec(response.headers.getSetCookie()[0] ?? '')?.[1] ?? 'none'
  return new Client(server!.baseUrl, accessToken, user)
}

/** Every mistake that a user can make with a secret. */
const blunder = async (client: Client): Promise<void> => {
  const wrong = plant('wrong password')
  const bearer = { authorization: `Bearer ${plant('token that is none')}` }
  const responses = [
    await post('/auth/login', { email: EMAIL, password: wrong }),
    await post('/auth/login', { email: EMAIL, password: wrong, extra: wrong }),
    await post('/auth/login', `{"email": "${EMAIL}", "password": "${wrong}`),
    await post('/auth/setup', { token: wrong, email: EMAIL, password: wrong }),
    await post('/auth/invitation', { token: wrong, password: wrong }),
    await post('/agents', { name: 'x' }, bearer),
    await post(`/auth/login?password=${wrong}`, { email: EMAIL }),
    await fetch(`${server!.baseUrl}/api/agents?token=${wrong}`, { headers: bearer }),
  ]
  for (const response of responses) {
    expect(response.status).toBeGreaterThanOrEqual(400)
    errors.push(await response.text())
  }
  const value = plant('credential that was refused')
  for (const body of [{ value: `${value} ` }, { value, address: value }, { value: { value } }, { values: value }]) {
    const answer = await client.call('PUT', '/users/me/credentials/openai-api-key', body)
    expect(answer.status).toBe(400)
    errors.push(JSON.stringify(answer.body))
  }
  const page = await client.call('PATCH', '/users/me', {
    currentPassword: wrong,
    newPassword: plant('password not taken'),
  })
  expect(page.status).toBe(401)
  errors.push(JSON.stringify(page.body))
}

/** A guest opens a link to the terminal, and opens it again after it was revoked. */
const watch = async (client: Client, sessionId: string): Promise<void> => {
  const links = `/terminal-sessions/${sessionId}/links`
  const { id, secret } = await client.ok<CreatedTerminalLink>('POST', links, { access: 'view', audience: 'anyone' })
  secrets['watch link'] = secret
  const hello = { type: 'auth', v: 2, link: secret }
  const watcher = await TerminalClient.open({ baseUrl: client.baseUrl, path: '/watch' }, hello)
  places['answers about a link'] = JSON.stringify(await client.ok('GET', links))
  await client.ok('DELETE', `${links}/${id}`)
  await watcher.closed
  const late = await TerminalClient.say({ baseUrl: client.baseUrl, path: `/watch?link=${secret}` }, hello)
  await late.closed
  errors.push(JSON.stringify([...watcher.frames, ...late.frames]))
}

/** A recorded terminal with a secret on its screen. It still runs when the server stops. */
const leave = async (client: Client, agent: string): Promise<void> => {
  const path = `/agents/${agent}/terminal?mode=bash`
  const terminal = await TerminalClient.open(
    { baseUrl: client.baseUrl, path },
    { type: 'auth', v: 2, token: client.token },
  )
  await watch(client, terminal.sessionId)
  expect(await terminal.run('printf "%s\\n" "$ANTHROPIC_AUTH_TOKEN"')).toContain(secrets['gateway of the agent'])
}

/** A terminal and an exec that use every credential. */
const use = async (client: Client, agent: string): Promise<void> => {
  const path = `/agents/${agent}/terminal?mode=bash`
  const terminal = await TerminalClient.open({ baseUrl: client.baseUrl, path }, { type: 'auth', token: client.token })
  const expected = {
    ANTHROPIC_AUTH_TOKEN: 'gateway of the agent',
    OPENAI_API_KEY: 'key of the person',
    GEMINI_API_KEY: 'key of the platform',
    GH_TOKEN: 'github token',
    SLIPWAY_GIT_TOKEN: 'git token',
  }
  for (const [variable, secret] of Object.entries(expected)) {
    const hash = await terminal.run(`printf %s "$${variable}" | sha256sum | cut -c -64`)
    expect([variable, hashIn(hash)]).toEqual([variable, hashOf(secrets[secret] ?? '')])
  }
  const fill = `printf 'protocol=https\\nhost=github.com\\n\\n' | git credential fill | sed -n 's/^password=//p' | tr -d '\\n'`
  expect(hashIn(await terminal.run(`${fill} | sha256sum | cut -c -64`))).toBe(hashOf(secrets['github token'] ?? ''))
  // No program has left a credential in the home.
  expect(await terminal.run('grep -rlF canary- "$HOME" || echo none "at" all')).toContain('none at all')
  places['engine while they run'] = await engineOf(namespace, since)
  await terminal.disconnect()
  const exec = await client.ok<{ stdout: string }>('POST', `/agents/${agent}/exec`, {
    argv: ['sh', '-c', 'printf %s "$ANTHROPIC_AUTH_TOKEN" | sha256sum | cut -c -64'],
  })
  expect(exec.stdout.trim()).toBe(hashOf(secrets['gateway of the agent'] ?? ''))
}

/** In the browser: signs in, and adds a credential on the page. */
const byHand = async (): Promise<void> => {
  const context = await newContext({ baseURL: server!.baseUrl, provoked: [answered(401)] })
  const page = await context.newPage()
  await page.goto('/account')
  await page.getByLabel('E-mail').fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(secrets['password'] ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByTestId('add-credential').click()
  await page.getByTestId('credential-value').fill(plant('credential typed by hand'))
  await page.getByTestId('credential-save').click()
  await page.getByTestId('credential-anthropic-api-key').waitFor()
  await page.evaluate((marker) => localStorage.setItem('marker', marker), MARKER)
  places['browser'] = await browserOf(page)
  const cookies = await context.cookies()
  secrets['refresh token of the browser'] = cookies.find(({ httpOnly }) => httpOnly)?.value ?? 'none'
  await closePages()
}

beforeAll(async () => {
  const adminPassword = plant('password of the admin')
  const env = {
    SLIPWAY_LOG_LEVEL: 'trace',
    SLIPWAY_SECRET_KEY: plant(KEY),
    SLIPWAY_ADMIN_PASSWORD: plant('password of the environment, which is not needed'),
  }
  await setUp(adminPassword)
  server = await startServer({ env, dataDir, namespace })
  const admin = await signIn('the admin', 'admin@example.org', adminPassword)
  await admin.ok('POST', '/users', { email: EMAIL, role: 'user', password: plant('password') })
  const client = await signIn('the person', EMAIL, secrets['password'] ?? '')
  const invited = await admin.ok<CreatedUser>('POST', '/users', { email: `i-${EMAIL}`, role: 'user' })
  secrets['invitation'] = invited.invitation?.url.split('#token=')[1] ?? ''
  const token = await client.ok<CreatedApiToken>('POST', '/tokens', {
    name: MARKER,
    scopes: ['agents:read', 'terminal'],
  })
  secrets['api token'] = token.token
  expect(
    (await fetch(`${client.baseUrl}/api/agents`, { headers: { authorization: `Bearer ${token.token}` } })).status,
  ).toBe(200)

  const agent = `a-${MARKER}`
  await client.ok('POST', '/agents?wait=true', {
    name: agent,
    runtime: 'claude-code',
    memoryMb: 1024,
    useGitToken: true,
    record: true,
    keepSeconds: 300,
  })
  const own = `/agents/${agent}/credentials`
  const address = 'https://gateway.invalid'
  await client.ok('PUT', `${own}/ai-gateway`, { value: plant('gateway of the agent'), address })
  await client.ok('PUT', `${own}/github-token`, { value: plant('github token') })
  await client.ok('PUT', `${own}/git-token`, { value: plant('git token'), address: 'https://git.invalid' })
  await client.ok('PUT', '/users/me/credentials/openai-api-key', { value: plant('key of the person') })
  await admin.ok('PUT', '/platform/credentials/openai-api-key', { value: plant('key nobody gets') })
  await admin.ok('PUT', '/platform/credentials/gemini-api-key', { value: plant('key of the platform') })
  await client.ok('POST', `${own}/ai-gateway/test`)
  await client.ok('PUT', '/users/me/credentials/git-token', { value: plant('removed'), address: 'https://git.invalid' })
  await client.ok('DELETE', '/users/me/credentials/git-token')

  await use(client, agent)
  await byHand()
  await blunder(client)
  await leave(client, agent)

  places['answers'] = JSON.stringify([
    await client.ok('GET', own),
    await client.ok('GET', '/users/me/credentials'),
    await admin.ok('GET', '/platform/credentials'),
    await client.ok('GET', `/agents/${agent}/credentials-in-force`),
    await client.ok('GET', `/agents/${agent}`),
  ])
  places['errors'] = errors.join('\n')
  places['audit'] = JSON.stringify(await admin.ok('GET', '/audit?limit=500'))
  const metrics = await fetch(`${client.baseUrl}/api/metrics`, { headers: { authorization: `Bearer ${admin.token}` } })
  places['metrics'] = await metrics.text()
  places['engine'] = await engineOf(namespace, since)
  await server.stop()
  places['log'] = server.output()
  server = null
  for (const folder of ['database', 'recordings', 'screens']) places[folder] = filesOf(join(dataDir, folder))
  places['data folder'] = filesOf(dataDir)
  places['database rows'] = await rowsOf(dataDir)
})

afterAll(async () => {
  await disconnectAll()
  await server?.stop()
  await removeNamespace(namespace)
  rmSync(dataDir, { recursive: true, force: true })
})

/** A text that each place must contain: the marker, if it belongs there. */
const PROOFS: readonly (readonly [place: string, proof: string])[] = [
  ['answers', MARKER],
  ['errors', 'INVALID_CREDENTIALS'],
  // Lines are static sentences with ids.
  ['log', 'terminal opened'],
  ['audit', MARKER],
  ['metrics', 'process_resident_memory_bytes'],
  ['browser', MARKER],
  ['engine while they run', MARKER],
  ['engine', MARKER],
  ['log of the first start', 'Create the first admin here'],
  ['answers about a link', 'sessionId'],
  ['database', MARKER],
  // The text that replaces a secret from the screen.
  ['recordings', '***'],
  // The content is encrypted, so only the file's name identifies it.
  ['screens', '.screen'],
  ['data folder', MARKER],
  ['database rows', MARKER],
]

describe('secrets read back, token in a URL or a log: no secret, password or token is in', () => {
  it.each(PROOFS)('%s', (place, proof) => {
    const text = places[place] ?? ''
    expect(found(text, { proof }), 'the search itself').toEqual(['proof'])
    expect(Object.keys(secrets).length).toBeGreaterThan(21)
    expect(found(text, secrets)).toEqual([])
  })
})
