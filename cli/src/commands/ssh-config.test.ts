import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { Client } from '../api/client.ts'
import { exitCodeOf } from '../api/errors.ts'
import { Output } from '../output/output.ts'
import { configOf, sshConfig } from './ssh-config.ts'

const address = {
  host: 'slipway.example.org',
  port: 4722,
  fingerprint: 'SHA256:abc',
  knownHosts: '[slipway.example.org]:4722 ssh-ed25519 AAAA',
}
const HEAD = '# The key of the server is SHA256:abc. "slipway ssh-config --known-hosts" prints its line.\n'
const blockOf = (name: string): string =>
  `Host ${name}.slipway\n  HostName slipway.example.org\n  Port 4722\n  User ${name}\n`

/** What the command prints, with a server that gives these answers. */
const printed = async (argv: readonly string[], answers: Readonly<Record<string, unknown>>): Promise<string> => {
  const server = createServer((request, response) => {
    const answer = answers[request.url?.split('?')[0] ?? '']
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const client = new Client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: null })
  const stdout = new PassThrough()
  await sshConfig.run(argv, {
    env: {},
    stdin: process.stdin,
    out: new Output(stdout, new PassThrough()),
    client: () => Promise.resolve(client),
    interrupted: new AbortController().signal,
  })
  stdout.end()
  return text(stdout)
}

test('every agent has its lines, or one has', async () => {
  const agents = { items: [{ name: 'atlas' }, { name: 'one' }], nextCursor: null }
  const answers = { '/api/ssh': { address }, '/api/agents': agents, '/api/agents/one': { name: 'one' } }
  expect(await printed([], answers)).toBe([HEAD, blockOf('atlas'), blockOf('one')].join('\n'))
  expect(await printed(['one'], answers)).toBe([HEAD, blockOf('one')].join('\n'))
  expect(await printed(['--known-hosts'], answers)).toBe(`${address.knownHosts}\n`)
  expect(JSON.parse(await printed(['--json'], answers))).toEqual({ ...address, agents: ['atlas', 'one'] })
})

test('an agent that there is not, and a server without SSH, have exit codes of their own', async () => {
  const failed = async (answer: unknown) => printed(['atlas'], { '/api/ssh': answer }).catch(exitCodeOf)
  expect(await failed({ address })).toBe(5)
  expect(await failed({ address: null })).toBe(6)
})

test.each([
  [['atlas\n  ProxyCommand touch x'], address],
  [['*'], address],
  [['-oProxyCommand'], address],
  [['atlas'], { ...address, host: 'host\nProxyCommand touch x' }],
  [['atlas'], { ...address, host: 'host %h' }],
  [['atlas'], { ...address, fingerprint: 'SHA256:abc\nProxyCommand touch x' }],
])('an answer that would begin a line of its own is refused: %j', (names, given) => {
  expect(() => configOf(names, given)).toThrow('cannot be read')
})
