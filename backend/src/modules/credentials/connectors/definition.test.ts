import type { SetConnector } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { definitionOf } from './definition.ts'

const URL = 'https://mcp.example.org/mcp'
const messageOf = (body: SetConnector): string => {
  try {
    definitionOf(body)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('a connector', () => {
  it('over HTTP has its secrets and its token in the headers, and shows only their names', () => {
    const { shown, transport, secrets } = definitionOf({
      kind: 'http',
      url: URL,
      headers: { 'X-Key': 'key ${secret:KEY} of ${secret:KEY}', Plain: 'x' },
      oauthToken: 'the-token',
      secrets: { KEY: 'the-key' },
    })
    expect(transport).toEqual({
      kind: 'http',
      url: URL,
      headers: { 'X-Key': 'key the-key of the-key', Plain: 'x', Authorization: 'Bearer the-token' },
    })
    expect(secrets).toEqual(['the-key', 'the-token'])
    expect(shown).toMatchObject({ url: URL, hasOauthToken: true, secrets: ['KEY'], command: null })
    expect(JSON.stringify(shown)).not.toMatch(/the-key|the-token/)
  })

  it('that is a program has its secrets in the environment', () => {
    const body = { command: 'npx', args: ['-y', 'server'], env: { A: '${secret:A}', B: 'b' }, secrets: { A: '$& $1' } }
    const { shown, transport } = definitionOf({ kind: 'stdio', ...body })
    expect(transport).toEqual({ kind: 'stdio', command: 'npx', args: ['-y', 'server'], env: { A: '$& $1', B: 'b' } })
    expect(shown).toMatchObject({ env: { A: '${secret:A}', B: 'b' }, url: null, secrets: ['A'] })
  })

  it.each<[string, SetConnector, RegExp]>([
    ['without an address', { kind: 'http' }, /^body\.url: .*needs it/],
    ['with another scheme', { kind: 'http', url: 'file:///etc/passwd' }, /^body\.url/],
    ['with a password in the address', { kind: 'http', url: 'https://a:b@example.org/' }, /^body\.url.*header/],
    ['over HTTP with a command', { kind: 'http', url: URL, command: 'x' }, /^body\.command/],
    ['without a command', { kind: 'stdio' }, /^body\.command/],
    ['that is a program with a token', { kind: 'stdio', command: 'x', oauthToken: 'x' }, /^body\.oauthToken/],
    ['with an unknown secret', { kind: 'http', url: URL, headers: { A: '${secret:A}' } }, /^body\.headers\.A.*A in/],
    ['with an inherited name', { kind: 'http', url: URL, headers: { A: '${secret:toString}' } }, /toString/],
    ['with an unused secret', { kind: 'http', url: URL, secrets: { A: 'x' } }, /^body\.secrets\.A/],
    ['with a secret in an argument', { kind: 'stdio', command: 'x', args: ['${secret:A}'] }, /^body\.args\.0/],
    ['with two tokens', { kind: 'http', url: URL, headers: { authorization: 'x' }, oauthToken: 'y' }, /authorization/],
    ['with a header twice', { kind: 'http', url: URL, headers: { a: 'x', A: 'y' } }, /^body\.headers\.A.*twice/],
    [
      'with a line break in a header',
      { kind: 'http', url: URL, headers: { A: '${secret:A}' }, secrets: { A: 'x\r\nB: y' } },
      /^body\.headers\.A.*ASCII/,
    ],
    ['with what a CLI would replace', { kind: 'stdio', command: 'x', env: { A: '${HOME}' } }, /^body\.env\.A/],
    [
      'with a secret that a CLI would replace',
      { kind: 'stdio', command: 'x', env: { A: '${secret:A}' }, secrets: { A: '{file:/etc/passwd}' } },
      /^body\.secrets\.A/,
    ],
  ])('%s is refused', (_what, body, message) => {
    expect(messageOf(body)).toMatch(message)
  })

  it('has only so many secrets', () => {
    const names = Array.from({ length: 8 }, (_, at) => `S${at}`)
    const body = {
      headers: { A: names.map((name) => `\${secret:${name}}`).join('') },
      secrets: Object.fromEntries(names.map((name) => [name, 'x'])),
    }
    expect(messageOf({ kind: 'http', url: URL, ...body })).toBe('')
    expect(messageOf({ kind: 'http', url: URL, ...body, oauthToken: 'x' })).toMatch(/^body\.secrets.*at most 8/)
  })
})
