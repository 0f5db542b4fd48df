import { connect } from 'node:net'
import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { agentPeersPlugin, matcher } from '../../src/plugins/agent-peers.ts'

describe('the address of an agent', () => {
  const isAgent = matcher(() => ['10.211.32.0/20', 'fd12:3456::/64'])

  it.each(['10.211.32.2', '10.211.47.254', '::ffff:10.211.32.2', '::ffff:0ad3:2002', 'fd12:3456::5'])(
    'is %s',
    (address) => expect(isAgent(address)).toBe(true),
  )

  it.each([
    '10.211.48.1',
    '10.211.31.255',
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '::10.211.32.2',
    'fd12:3457::5',
    '',
  ])('is not %j', (address) => expect(isAgent(address)).toBe(false))

  it('is not assumed for a connection that is gone already', () => {
    expect(isAgent(undefined)).toBe(false)
  })
})

describe('a connection from the network of the agents', () => {
  it('is dropped before a byte is read, with any headers, and others are served as before', async () => {
    let subnets: readonly string[] = []
    let reads = 0
    const lines: string[] = []
    const app = Fastify({ logger: { level: 'warn', stream: { write: (line: string) => lines.push(line) } } })
    app.server.on('connection', (socket) => socket.on('data', () => (reads += 1)))
    await app.register(agentPeersPlugin, { subnets: () => subnets })
    app.get('/', () => 'served')
    const url = await app.listen({ host: '::', port: 0, ipv6Only: false })
    const port = Number(new URL(url).port)
    const answer = async (): Promise<string> => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined)
      socket.write('GET / HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 192.0.2.7\r\nconnection: close\r\n\r\n')
      // `close` also comes after an error, for which `once` would reject.
      await new Promise((resolve) => socket.once('close', resolve))
      return text
    }
    try {
      expect(await answer()).toContain('served')
      reads = 0
      subnets = ['127.0.0.0/8']
      for (let round = 0; round < 50; round++) expect(await answer()).toBe('')
      expect(reads).toBe(0)
      expect(lines).toHaveLength(1)
      subnets = ['10.208.0.0/13']
      expect(await answer()).toContain('served')
    } finally {
      await app.close()
    }
  })
})
