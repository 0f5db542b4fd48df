import { EVENT_TEXT_MAX, RunHappening } from '@slipway/protocol'
import Value from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { reader, say, use, done, failed } from '../../../../../test/support/headless/gemini.ts'
import { NOW, HOSTILE_VALUES, feed } from '../../../../../test/support/headless/reading.ts'

describe('hostile lines of Gemini', () => {
  const long = 'x'.repeat(1_000_000)

  it('are read as valid happenings or as nothing, whatever type their fields have', () => {
    const reading = reader()
    for (const type of ['init', 'message', 'tool_use', 'tool_result', 'error', 'result', '__proto__', 'toString'])
      for (const value of HOSTILE_VALUES) {
        const line = JSON.stringify({
          ...{ type, role: 'assistant', session_id: value, model: value, content: value, tool_name: value },
          ...{ tool_id: value, parameters: value, status: value, output: value, severity: value, message: value },
          ...{ error: { type: value, message: value, code: value }, stats: value },
        })
        for (const one of [...reading.line(line, NOW), ...(reading.errorLine?.(line, NOW) ?? [])])
          expect(Value.Errors(RunHappening, one)).toEqual([])
      }
    expect(() => JSON.stringify(reading.verdict())).not.toThrow()
  })

  it('are cut to the bound of an event', () => {
    const reading = reader()
    const happenings = feed(reading, say(long), say(long), use('x', { long }), done(long), failed(long))
    for (const one of happenings) expect(JSON.stringify(one).length).toBeLessThan(EVENT_TEXT_MAX + 500)
    expect(reading.verdict().result).toHaveLength(EVENT_TEXT_MAX)
    expect(reading.verdict().failure?.message).toHaveLength(EVENT_TEXT_MAX)
  })

  it('name tools after fields of every object without being taken for one', () => {
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty'])
      expect(feed(reader(), use(name, { file_path: 'a' }, name), done('ok', name))).toEqual([
        { type: 'tool_call', callId: name, name, input: { file_path: 'a' } },
        { type: 'tool_result', callId: name, text: 'ok', isError: false },
      ])
  })
})
