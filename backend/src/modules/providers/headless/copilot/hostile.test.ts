import { EVENT_TEXT_MAX } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { read, event, message, result, call, end, error } from '../../../../../test/support/headless/copilot.ts'

describe('hostile lines of Copilot', () => {
  it('have no effect if their fields have other types', () => {
    const { happenings, verdict } = read([
      ...['', 'null', '[]', '7', '{', 'warning: x', '{"type":7}', '{"type":"constructor"}', '{"type":"__proto__"}'],
      '{"__proto__":{"type":"result"},"constructor":{"prototype":{"isOver":true}}}',
      { type: 'assistant.message', data: 7 },
      message({ a: 1 }),
      event('assistant.message_delta', { deltaContent: ['x'] }),
      event('model.call_failure', { quotaSnapshots: 'x' }),
    ])
    expect(happenings).toEqual([])
    expect(verdict).toMatchObject({ sessionId: null, result: null, isOver: false, hasWorked: false, failure: null })
  })

  it('may name a tool or a model like a property of every object', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const { happenings, verdict } = read([
        call(name, { path: 'a' }),
        end({ result: { content: 'x' } }),
        event('assistant.usage', { model: name, inputTokens: 1 }),
      ])
      expect(happenings.map(({ type }) => type)).toEqual(['tool_call', 'tool_result', 'usage'])
      expect(verdict.usage).toMatchObject([{ model: name, inputTokens: 1 }])
    }
  })

  it('do not give numbers that are no counts', () => {
    const { happenings, verdict } = read([
      call('bash', { command: 'x' }),
      end({ shellExecution: { exitCode: 1e300 } }),
      event('assistant.usage', { model: 'a', inputTokens: 1e300, outputTokens: -1 }),
      ...Array<object>(3).fill(event('assistant.usage', { model: 'a', cacheReadTokens: Number.MAX_SAFE_INTEGER })),
      error({ message: 'x', statusCode: 1e9 }),
    ])
    expect(happenings[1]).toMatchObject({ exitCode: null })
    expect(verdict.usage).toMatchObject([
      { inputTokens: null, outputTokens: null, cacheReadTokens: Number.MAX_SAFE_INTEGER },
    ])
    expect(verdict.failure).toMatchObject({ status: null })
  })

  it('are cut, however long or deep they are', () => {
    const long = 'x'.repeat(1_048_576)
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const { happenings, verdict } = read([
      message(long),
      event('assistant.message_delta', { messageId: 'm2', deltaContent: long }),
      call(long, { long }),
      `{"type":"tool.execution_start","data":{"toolCallId":"d","toolName":"view","arguments":${deep}}}`,
      call('apply_patch', '*** Add File: a\n'.repeat(5_000)),
      end({ result: { content: long } }),
      call('update_todo', { todos: '- [ ] a\n'.repeat(5_000) }),
      error({ message: long }),
    ])
    for (const one of happenings) expect(JSON.stringify(one).length).toBeLessThan(3 * EVENT_TEXT_MAX)
    expect(happenings.length).toBeLessThan(1_100)
    expect(verdict.result).toHaveLength(EVENT_TEXT_MAX)
    expect(verdict.failure?.message).toHaveLength(EVENT_TEXT_MAX)
  })

  it('cannot count more than some models', () => {
    const lines = Array.from({ length: 150 }, (_, model) =>
      event('assistant.usage', { model: `m${model}`, inputTokens: 1 }),
    )
    expect(read(lines).verdict.usage).toHaveLength(100)
  })

  it('give one result, however often they say that the turn is over', () => {
    expect(read([message('Done.'), result, result]).happenings.filter(({ type }) => type === 'result')).toHaveLength(1)
  })
})
