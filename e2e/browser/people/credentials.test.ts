/** Credentials on the page: add, test, replace, remove. The page also says whose credentials a terminal gets. */
// In the short form `agents/no-key.test.ts` adds a key by this form, and the tests of `backend/src/modules/credentials`
// replace, test and remove it, and say which one is in force.
import '@slipway/testing/long'
import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Agent, User } from '@slipway/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { reload, useBrowser, visit } from '../../support/pages.ts'
import { type Server, startServer } from '../../support/server.ts'

const GOOD = 'sk-gateway-token-that-is-good'

useBrowser()
let gateway: HttpServer
let address: string
let server: Server
let admin: Client
let owner: Client
let colleague: Client
let agent: Agent

beforeAll(async () => {
  gateway = createServer((request, response) => {
    response.writeHead(request.headers.authorization === `Bearer ${GOOD}` ? 200 : 401).end()
  }).listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  address = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  server = await startServer({ env: { SLIPWAY_PRIVATE_GATEWAYS: '127.0.0.1' } })
  admin = await signInAdmin(server.baseUrl)
  ;[owner, colleague] = await Promise.all([newUser(admin), newUser(admin)])
  agent = await owner.agent({ memoryMb: 512 })
})
afterAll(async () => {
  await server.stop()
  gateway.close()
})

describe('credentials on the page', () => {
  it('are set, tested, replaced and removed, and never shown', async () => {
    const page = await visit(admin, '/platform', { baseURL: server.baseUrl })
    await page.getByTestId('credentials-none').waitFor()
    await page.getByTestId('add-credential').click()
    await page.getByTestId('credential-kind').click()
    await page.getByRole('option', { name: 'AI gateway' }).click()
    await page.getByTestId('credential-address').fill(address)
    await page.getByTestId('credential-value').fill('sk-gateway-token-that-is-bad')
    await page.getByTestId('credential-save').click()
    const row = page.getByTestId('credential-ai-gateway')
    await row.getByText('…-bad').waitFor()

    await row.getByRole('button', { name: 'Test the AI gateway' }).click()
    await row.getByTestId('tested-refused').waitFor()
    await row.getByRole('button', { name: 'Replace the AI gateway' }).click()
    await row.getByTestId('credential-value').fill(GOOD)
    await row.getByTestId('credential-save').click()
    await row.getByText('…good').waitFor()
    await row.getByTestId('tested-refused').waitFor({ state: 'detached' })
    await row.getByRole('button', { name: 'Test the AI gateway' }).click()
    await row.getByTestId('tested-valid').waitFor()
    expect(await page.content()).not.toContain(GOOD)

    await row.getByRole('button', { name: 'Remove the AI gateway' }).click()
    await page.getByTestId('confirm-action').click()
    await page.getByTestId('credentials-none').waitFor()
  })

  it('say whose a terminal gets, and why not one’s own', async () => {
    const value = 'sk-somebody-0123456789'
    await admin.ok('PUT', '/platform/credentials/gemini-api-key', { value })
    await owner.ok('PUT', '/users/me/credentials/anthropic-api-key', { value })
    const page = await visit(owner, `/agents/${agent.name}/settings`, { baseURL: server.baseUrl })
    const says = (program: string, words: string) =>
      page.getByTestId(`in-force-${program}`).getByText(words, { exact: true }).waitFor()
    await says('claude-code', 'yours')
    await says('gemini-cli', 'the shared one')
    await says('opencode', 'yours (Anthropic), the shared one (Gemini)')
    await says('copilot', 'none: sign in inside the terminal')
    await says('codex', 'none: sign in inside the terminal')

    await owner.ok('POST', `/agents/${agent.name}/shares`, { email: colleague.email })
    await reload(page)
    await says('claude-code', 'none: sign in inside the terminal')
    await page.getByTestId('in-force-claude-code').getByText('people with access to this agent could read it').waitFor()
    expect(await page.getByTestId('was-shared').count()).toBe(0)

    const { id } = await colleague.ok<User>('GET', '/users/me')
    await owner.ok('DELETE', `/agents/${agent.name}/shares/${id}`)
    await reload(page)
    await says('claude-code', 'none: sign in inside the terminal')
    await page.getByTestId('trust-again').click()
    await page.getByText('~/.bashrc').waitFor()
    await page.getByTestId('confirm-action').click()
    await says('claude-code', 'yours')
    await page.getByTestId('was-shared').waitFor({ state: 'detached' })

    await page.getByTestId('use-credentials').click()
    await says('gemini-cli', 'none: sign in inside the terminal')
  })
})
