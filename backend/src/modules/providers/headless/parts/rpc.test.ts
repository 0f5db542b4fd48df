import { describe, expect, it } from 'vitest'
import { errorLine, notificationLine, requestLine, resultLine, rpcOf } from './rpc.ts'

describe('a JSON-RPC message', () => {
  it.each([
    [requestLine('a', 'm', { x: 1 }), { kind: 'request', id: 'a', method: 'm', params: { x: 1 } }],
    ['{"id":0,"method":"m"}', { kind: 'request', id: 0, method: 'm', params: {} }],
    [notificationLine('m', {}), { kind: 'notification', method: 'm', params: {} }],
    [resultLine(7, { ok: true }), { kind: 'result', id: 7, result: { ok: true } }],
    ['{"id":"a","result":null}', { kind: 'result', id: 'a', result: {} }],
    [errorLine('a', -1, 'no'), { kind: 'error', id: 'a', error: { code: -1, message: 'no', data: {} } }],
    ['{"id":1,"error":"no"}', { kind: 'error', id: 1, error: { code: null, message: '', data: {} } }],
  ])('is read, with the type of its id: %s', (line, message) => {
    expect(rpcOf(line)).toEqual(message)
  })

  it.each([
    '',
    'text',
    '[]',
    'null',
    '{"id":1.5,"method":"m"}',
    '{"id":null,"method":"m"}',
    '{"id":{},"result":{}}',
    `{"id":"${'x'.repeat(201)}","method":"m"}`,
    '{"result":{}}',
    '{"method":1,"id":[]}',
  ])('is not read from other lines: %s', (line) => {
    expect(rpcOf(line)).toBeNull()
  })
})
