import { EVENT_TEXT_MAX } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import {
  SESSION,
  INIT,
  RESULT,
  assistant,
  says,
  calls,
  returns,
  interruptedBy,
  read,
} from '../../../../../test/support/headless/claude.ts'

describe('a hostile line', () => {
  const TYPES = ['system', 'assistant', 'user', 'result', 'rate_limit_event', 'constructor', '__proto__', 7, null]
  const VALUES = [null, true, -1, 1.5, 1e308, '', 'text', [], [null, 7, 'x', []], {}, { type: 7 }]
  const FIELDS = [
    ...['subtype', 'session_id', 'model', 'message', 'error', 'error_status', 'errors', 'result', 'modelUsage'],
    ...['total_cost_usd', 'api_error_status', 'rate_limit_info', 'parent_tool_use_id', 'tool_use_result', 'summary'],
    ...['task_id', 'terminal_reason', 'is_error', '__proto__', 'constructor'],
  ]

  it('with any type in any field is read without an error', () => {
    for (const type of TYPES)
      for (const field of FIELDS)
        for (const value of VALUES) {
          const line = `{"type":${JSON.stringify(type)},"${field}":${JSON.stringify(value)}}`
          read(line)
          read(line.replace('{', '{"subtype":"init",'), line.replace('{', '{"subtype":"api_retry",'))
        }
  })

  it('with any type in any field of a block is read without an error', () => {
    for (const type of ['text', 'thinking', 'tool_use', 'tool_result', 'constructor', 7])
      for (const field of [
        'text',
        'thinking',
        'id',
        'name',
        'input',
        'tool_use_id',
        'content',
        'is_error',
        '__proto__',
      ])
        for (const value of VALUES)
          for (const name of ['Bash', 'TodoWrite', 'Write', 'constructor']) {
            const content = `[{"name":"${name}","type":${JSON.stringify(type)},"${field}":${JSON.stringify(value)}}]`
            read(...['assistant', 'user'].map((of) => `{"type":"${of}","message":{"content":${content}}}`))
          }
  })

  it('changes no prototype and finds nothing in one', () => {
    const { verdict } = read(
      '{"type":"result","__proto__":{"is_error":true},"modelUsage":{"__proto__":{"inputTokens":1},"constructor":{}}}',
    )
    expect(verdict.failure).toBeNull()
    expect(verdict.usage.map(({ model }) => model)).toEqual(['__proto__', 'constructor'])
    expect(Object.hasOwn(Object.prototype, 'inputTokens')).toBe(false)
  })

  it('names no session that would be an option of the next run', () => {
    expect(read({ ...INIT, session_id: '--dangerously-skip-permissions' }).verdict.sessionId).toBeNull()
    expect(read(INIT, { ...RESULT, session_id: '-x' }).verdict.sessionId).toBe(SESSION)
  })

  it('with numbers that are too large leaves them unknown', () => {
    const { verdict } = read(
      '{"type":"result","is_error":true,"result":"x","api_error_status":1e300,"total_cost_usd":1e999,' +
        '"modelUsage":{"m":{"inputTokens":1e300,"outputTokens":9007199254740993,"costUSD":-5}}}',
      { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1e300 } },
      { ...RESULT, is_error: true, result: 'usage limit reached|99999999999999' },
    )
    expect(verdict).toMatchObject({ costUsd: null, failure: { reason: 'usage_limit', status: null, resetsAt: null } })
    expect(verdict.usage).toEqual([
      {
        ...{ model: 'm', inputTokens: null, outputTokens: null, cacheReadTokens: null },
        ...{ cacheWriteTokens: null, costUsd: null },
      },
    ])
  })

  it('of a megabyte is cut to the bound of an event', () => {
    const long = 'x'.repeat(1_048_576)
    const { happenings, verdict } = read(
      { ...INIT, model: long },
      says(long),
      assistant({ type: 'thinking', thinking: long }),
      calls('Bash', { command: long }),
      returns(long, { stdout: long, stderr: long }),
      calls(long, { long }),
      returns(long),
      calls('Write', { file_path: long }),
      returns(long),
      calls('TodoWrite', { todos: Array.from({ length: 10_000 }, () => ({ content: 'x', status: 'pending' })) }),
      interruptedBy(`[Request interrupted by user${long}`),
      long,
      { ...RESULT, modelUsage: { [long]: {} } },
      { ...RESULT, is_error: true, result: long },
      { ...RESULT, result: long },
    )
    for (const one of happenings) expect(JSON.stringify(one).length).toBeLessThan(2 * EVENT_TEXT_MAX + 200)
    expect(verdict.result).toHaveLength(EVENT_TEXT_MAX)
  })

  it('with deeply nested values is read without an error', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const block = (name: string) => `{"type":"tool_use","id":"call-1","name":"${name}","input":${deep}}`
    read(...['Task', 'Write'].map((name) => `{"type":"assistant","message":{"content":[${block(name)}]}}`))
  })

  it('among many calls without a result only makes the oldest ones forgotten', () => {
    const many = Array.from({ length: 2_000 }, (_, index) =>
      assistant({ type: 'tool_use', id: `call-${index}`, name: 'Bash', input: { command: `echo ${index}` } }),
    )
    const { happenings } = read(...many, returns('1', { stdout: '1', stderr: '' }))
    expect(happenings.at(-1)).toEqual({ type: 'tool_result', callId: 'call-1', text: '1', isError: false })
  })
})
