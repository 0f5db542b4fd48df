import { EVENT_TEXT_MAX } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { THREAD, read, started, completed, answer, failed, usage } from '../../../../../test/support/headless/codex.ts'
import { NOW } from '../../../../../test/support/headless/reading.ts'

describe('hostile lines of Codex', () => {
  it('have no effect if their fields have other types', () => {
    const { happenings, verdict } = read([
      ...['', 'null', '[]', '7', '{', '{"type":7}', '{"type":"constructor"}', '{"type":"__proto__"}'],
      '{"__proto__":{"type":"turn.completed"},"constructor":{"prototype":{"isOver":true}}}',
      { type: 'thread.started', thread_id: '--last' },
      { type: 'item.completed' },
      { type: 'item.completed', item: [] },
      completed({ type: 'agent_message', text: { a: 1 } }),
      completed({ type: 'toString' }),
      { type: 'error', message: ['x'] },
    ])
    expect(happenings).toEqual([{ type: 'status', status: 'started', message: 'Codex has started.' }])
    expect(verdict).toMatchObject({ sessionId: null, result: null, isOver: false, hasWorked: false, failure: null })
  })

  it('cannot name another session later', () => {
    expect(read([started, { type: 'thread.started', thread_id: 'other' }]).verdict.sessionId).toBe(THREAD)
  })

  it('do not give numbers that are no counts', () => {
    const { happenings, verdict } = read([
      completed({ type: 'command_execution', command: 'x', exit_code: 1e300 }),
      completed({ type: 'command_execution', command: 'x', exit_code: 1.5 }),
      { type: 'turn.completed', usage: { input_tokens: 1e300, cached_input_tokens: -1, output_tokens: 5 } },
    ])
    expect(happenings.slice(0, 2)).toMatchObject([{ exitCode: null }, { exitCode: null }])
    expect(verdict.usage).toMatchObject([{ inputTokens: null, cacheReadTokens: null, outputTokens: 5 }])
  })

  it('are cut, however long or deep they are', () => {
    const long = 'x'.repeat(1_048_576)
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const { happenings, verdict } = read([
      completed({ type: 'agent_message', text: long }),
      completed({ id: long, type: 'mcp_tool_call', server: long, tool: long, arguments: { long } }),
      `{"type":"item.completed","item":{"id":"d","type":"mcp_tool_call","arguments":${deep},"result":{"structured_content":${deep}}}}`,
      completed({
        type: 'file_change',
        status: 'completed',
        changes: Array(5_000).fill({ path: long.slice(0, 100), kind: 'add' }),
      }),
      completed({ type: 'todo_list', items: Array(5_000).fill({ text: 'x' }) }),
      failed(long),
    ])
    for (const one of happenings) expect(JSON.stringify(one).length).toBeLessThan(3 * EVENT_TEXT_MAX)
    expect(happenings.length).toBeLessThan(1_100)
    expect(verdict.result).toHaveLength(EVENT_TEXT_MAX)
    expect(verdict.failure?.message).toHaveLength(EVENT_TEXT_MAX)
  })

  it('cannot fill the memory with calls that never end', () => {
    const { reading } = read([])
    const start = (id: string) =>
      reading.line(
        JSON.stringify({ type: 'item.started', item: { id, type: 'mcp_tool_call', status: 'in_progress' } }),
        NOW,
      )
    for (let call = 0; call < 1_500; call += 1) start(`call-${call}`)
    // The newest call is still known, the oldest one is not.
    expect(start('call-1499')).toEqual([])
    expect(start('call-0')).toHaveLength(1)
  })

  it('give one result, however often they say that the turn is over', () => {
    const end = { type: 'turn.completed', usage }
    expect(read([answer, end, end]).happenings.filter(({ type }) => type === 'result')).toHaveLength(1)
  })
})
