import { EVENT_TEXT_MAX, RunHappening } from '@slipway/protocol'
import Value from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { reader, say, finish, use, error } from '../../../../../test/support/headless/opencode.ts'
import { NOW, HOSTILE_VALUES, feed } from '../../../../../test/support/headless/reading.ts'

describe('hostile lines of OpenCode', () => {
  const long = 'x'.repeat(1_000_000)

  it('are read as valid happenings or as nothing, whatever type their fields have', () => {
    const reading = reader()
    const types = ['step_start', 'text', 'reasoning', 'tool_use', 'step_finish', 'error', '__proto__', 'toString']
    for (const type of types)
      for (const value of HOSTILE_VALUES)
        for (const tool of ['bash', 'write', 'edit', 'apply_patch', 'todowrite', value]) {
          const state = { status: 'completed', input: value, output: value, metadata: value, error: value, time: value }
          const fields = { tool, callID: value, text: value, reason: value, tokens: value, cost: value }
          const line = JSON.stringify({
            ...{ type, sessionID: value },
            ...{ part: value === true ? value : { ...fields, state: value === -1 ? value : state } },
            error: { name: value, data: { message: value, statusCode: value, responseHeaders: value } },
          })
          for (const one of [...reading.line(line, NOW), ...(reading.errorLine?.(line, NOW) ?? [])])
            expect(Value.Errors(RunHappening, one)).toEqual([])
        }
    expect(() => JSON.stringify(reading.verdict())).not.toThrow()
  })

  it('have numbers that never become too large', () => {
    const reading = reader()
    const huge = Number.MAX_SAFE_INTEGER
    for (let count = 0; count < 3; count += 1)
      feed(reading, finish('tool-calls', { input: huge, output: huge, reasoning: huge, cache: { read: 1e300 } }, 1e308))
    feed(reading, finish('tool-calls', { input: -1 }, -5))
    expect(reading.verdict()).toMatchObject({
      costUsd: huge,
      usage: [{ inputTokens: huge, outputTokens: huge, cacheReadTokens: null }],
    })
  })

  it('are cut to the bound of an event', () => {
    const reading = reader()
    const happenings = feed(
      reading,
      say(long),
      use('x', { input: { long }, output: long }),
      use('bash', { input: { command: long }, output: '' }),
      error('APIError', { message: long }),
    )
    for (const one of happenings) expect(JSON.stringify(one).length).toBeLessThan(EVENT_TEXT_MAX + 500)
    expect(reading.verdict().result).toHaveLength(EVENT_TEXT_MAX)
    expect(reading.verdict().failure?.message).toHaveLength(EVENT_TEXT_MAX)
  })

  it('name tools after fields of every object without being taken for one', () => {
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty'])
      expect(feed(reader(), use(name, { input: { filePath: 'a' } }))).toEqual([
        { type: 'tool_call', callId: 'call', name, input: { filePath: 'a' } },
        { type: 'tool_result', callId: 'call', text: 'ok', isError: false },
      ])
  })
})
