import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CredentialKind } from '@slipway/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { askStatus } from './ask.ts'
import { Networks } from './networks.ts'
import { Prober } from './prober.ts'

const SECRET = 'sk-canary-0123456789abcdef'

/** A stub of every provider. It accepts only the one secret, sent as that provider expects it. */
const answers: Record<string, (request: IncomingMessage) => number> = {
  '/v1/models?limit=1': ({ headers }) =>
    headers['anthropic-version'] === undefined ? 400 : headers['x-api-key'] === SECRET ? 200 : 401,
  '/v1/models': ({ headers }) => (headers.authorization === `Bearer ${SECRET}` ? 200 : 401),
  '/v1beta/models?pageSize=1': ({ headers }) => (headers['x-goog-api-key'] === SECRET ? 200 : 400),
  '/rate_limit': ({ headers }) =>
    headers['user-agent'] === undefined ? 403 : headers.authorization === `Bearer ${SECRET}` ? 200 : 401,
}

let server: Server
let base: string
let asked: string[] = []
let respond: ((request: IncomingMessage, response: ServerResponse) => void) | null = null

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (respond) return respond(request, response)
    response.writeHead(answers[request.url ?? '']?.(request) ?? 404).end(SECRET)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  respond = null
  asked = []
})
afterAll(() => server.close())

const prober = (allowed: string[]) =>
  new Prober(new Networks(allowed), { anthropic: base, openai: base, gemini: base, github: base })
const ask = (kind: CredentialKind, secret = SECRET, allowed = ['127.0.0.1']) =>
  prober(allowed).ask({ kind, secret, address: kind === 'ai-gateway' ? base : null })

describe('the test of a credential', () => {
  const kinds = ['anthropic-api-key', 'ai-gateway', 'openai-api-key', 'gemini-api-key', 'github-token'] as const

  it.each(kinds)('tells a good %s from a bad one', async (kind) => {
    expect(await ask(kind)).toMatchObject({ result: 'valid' })
    expect(await ask(kind, 'sk-canary-of-somebody-else')).toMatchObject({ result: 'refused' })
  })

  it('does not send OpenAI what is no key of OpenAI', async () => {
    const answer = await ask('openai-api-key', 'AIza-canary-0123456789')
    expect(answer).toMatchObject({ result: 'unclear', message: expect.stringContaining('OPENAI_BASE_URL') })
    expect(asked).toEqual([])
  })

  it('says that no server answers, and never repeats the secret', async () => {
    const refused = await prober(['127.0.0.1']).ask({
      kind: 'ai-gateway',
      secret: SECRET,
      address: 'http://127.0.0.1:1',
    })
    expect(refused).toEqual({ result: 'unreachable', message: expect.stringContaining('ECONNREFUSED') })
    expect(JSON.stringify(refused)).not.toContain(SECRET)
  })

  it('names of a private network are learned by testing credentials: neither the result nor the words tell them from one that is not there', async () => {
    const wordsFor = async (host: string) => {
      const answer = await prober([]).ask({ kind: 'ai-gateway', secret: SECRET, address: `https://${host}` })
      return { ...answer, message: answer.message.replaceAll(host, '<host>') }
    }
    const [known, ...others] = await Promise.all(
      [
        'localhost',
        'nowhere.invalid',
        `${'long'.repeat(16)}.invalid`,
        'a..b',
        '127.0.0.1',
        '10.0.0.1:8443',
        '[::1]',
      ].map(wordsFor),
    )
    expect(known).toEqual({ result: 'unclear', message: expect.stringContaining('no public address of <host>') })
    for (const other of others) expect(other).toEqual(known)
  })

  it('takes a name that is not resolved in time for one that does not exist', async () => {
    const networks = { checkLiteral: () => false, lookup: () => undefined }
    const asking = askStatus({ url: new URL('https://slow.example'), headers: {} }, networks, 20)
    await expect(asking).rejects.toMatchObject({ name: 'ForbiddenAddressError' })
  })

  it('says so when the answer tells nothing', async () => {
    respond = (_request, response) => void response.writeHead(500).end()
    expect(await ask('anthropic-api-key')).toEqual({
      result: 'unclear',
      message: expect.stringContaining('status 500'),
    })
  })

  it('follows no redirect, which would take the secret elsewhere', async () => {
    respond = (_request, response) => void response.writeHead(302, { location: `${base}/elsewhere` }).end()
    expect(await ask('ai-gateway')).toMatchObject({ result: 'unclear' })
    expect(asked).toEqual(['/v1/models'])
  })

  it('does not read an answer without an end', async () => {
    respond = (_request, response) => {
      response.writeHead(200)
      const more = (): void => void (response.destroyed || response.write('x'.repeat(65_536), more))
      more()
    }
    expect(await ask('ai-gateway')).toMatchObject({ result: 'valid' })
  })

  it('asks no address of a private network, by number, by name, or by another spelling', async () => {
    const port = new URL(base).port
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']) {
      const address = `http://${host}:${port}`
      const answer = await prober([]).ask({ kind: 'ai-gateway', secret: SECRET, address })
      expect(answer, address).toMatchObject({ result: 'unclear', message: expect.stringContaining('no public') })
    }
    expect(asked).toEqual([])
  })
})

describe('which addresses may be asked', () => {
  const networks = new Networks(['10.1.0.0/16', 'gateway.internal', '192.168.7.7', '169.254.0.0/16', 'fe80::/10'])

  it.each(['1.1.1.1', '93.184.216.34', '2606:4700::1111', '172.32.0.1', '100.63.255.255'])('%s may', (address) => {
    expect(networks.allows('example.org', address)).toBe(true)
  })

  it.each([
    ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '127.8.8.8', '0.0.0.0', '100.64.0.1'],
    ...['169.254.169.254', '224.0.0.1', '255.255.255.255', '192.0.2.1'],
    ...['::1', '::', 'fc00::1', 'fd12::1', 'fe80::1', 'ff02::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:a00:1::'],
  ])('%s may not', (address) => {
    expect(networks.allows('example.org', address)).toBe(false)
  })

  it('may be what the installation allows, by name, address or network', () => {
    expect(networks.allows('gateway.internal', '10.9.9.9')).toBe(true)
    expect(networks.allows('GATEWAY.internal', '10.9.9.9')).toBe(true)
    expect(networks.allows('x', '10.1.2.3')).toBe(true)
    expect(networks.allows('x', '192.168.7.7')).toBe(true)
    expect(networks.allows('x', '192.168.7.8')).toBe(false)
  })

  it('is never the address of a cloud’s metadata service, even if the installation allows it', () => {
    expect(networks.allows('gateway.internal', '169.254.169.254')).toBe(false)
    expect(networks.allows('x', 'fe80::1')).toBe(false)
    expect(new Networks(['fd00::/8']).allows('x', 'fd00:ec2::254')).toBe(false)
  })

  it('is looked up by the connection itself, so that every answer counts', async () => {
    const answer = await new Promise<Error | null>((resolve) =>
      networks.lookup('localhost', {}, (error) => resolve(error)),
    )
    expect(answer?.name).toBe('ForbiddenAddressError')
  })
})
