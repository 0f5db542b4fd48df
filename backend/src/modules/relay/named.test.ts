import type { IncomingHttpHeaders } from 'node:http'
import { expect, it } from 'vitest'
import { nameInHeaders } from './named.ts'

const REVISION = '2026-07-28'
const meta = { 'io.modelcontextprotocol/protocolVersion': REVISION }
const named = (message: unknown, headers: IncomingHttpHeaders = {}): IncomingHttpHeaders => {
  nameInHeaders(headers, message)
  return headers
}

it('a message of the newer revision gets the headers that it names itself', () => {
  const params = { name: 'list_task_results', _meta: meta }
  expect(named({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })).toEqual({
    'mcp-protocol-version': REVISION,
    'mcp-method': 'tools/call',
    'mcp-name': 'list_task_results',
  })
})

it.each([
  ['a message of the older revision', { method: 'tools/list', params: {} }, {}],
  ['no object', 'tools/list', {}],
  ['a message without parameters', { method: 'tools/list', params: null }, {}],
  [
    'a version that is no header',
    { method: 'm', params: { _meta: { ...meta, [Object.keys(meta)[0]!]: 'a\r\nb' } } },
    {},
  ],
  ['headers of its own', { method: 'm', params: { _meta: meta } }, { 'mcp-protocol-version': '2025-11-25' }],
])('%s changes nothing', (_what, message, headers) => {
  expect(named(message, { ...headers })).toEqual(headers)
})
