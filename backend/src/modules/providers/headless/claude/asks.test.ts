import { DIALOG_TEXT_MAX, DIALOGS_OPEN_PER_RUN } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { ClaudeReading } from './reading.ts'
import { reply } from './asks.ts'

const reading = () => new ClaudeReading({ resume: null })
const request = (id: unknown, more: object = {}) => ({
  type: 'control_request',
  request_id: id,
  request: {
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    input: { command: 'ls' },
    tool_use_id: `call-${String(id)}`,
    ...more,
  },
})
/** What is asked after these lines. */
const after = (...lines: object[]) => {
  const read = reading()
  for (const line of lines) read.line(JSON.stringify(line), 0)
  return read.asks()
}

describe('a question of Claude', () => {
  it('waits until Claude repeats the answer, takes it back, or has the result of the tool', () => {
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call-1', content: '' }] }
    expect(after(request('1')).map(({ id }) => id)).toEqual(['1'])
    for (const line of [
      { type: 'control_response', response: { subtype: 'success', request_id: '1' } },
      { type: 'control_cancel_request', request_id: '1' },
      { type: 'user', message: result },
    ])
      expect(after(request('1'), line)).toEqual([])
  })

  it('has the same list as long as nothing changes, so that nothing is compared for each line', () => {
    const read = reading()
    read.line(JSON.stringify(request('1')), 0)
    const before = read.asks()
    read.line(JSON.stringify({ type: 'control_cancel_request', request_id: 'other' }), 0)
    expect(read.asks()).toBe(before)
  })

  it('is asked once, however often a program prints it, and there are never too many', () => {
    const many = Array.from({ length: 1000 }, (_, index) => request(`${index}`))
    expect(after(request('1'), request('1'))).toHaveLength(1)
    expect(after(...many)).toHaveLength(DIALOGS_OPEN_PER_RUN)
  })

  it.each<[what: string, line: object]>([
    ['no id', request(undefined)],
    ['an id that is no text', request(7)],
    ['a long id', request('x'.repeat(1000))],
    ['another subtype', request('1', { subtype: 'hook_callback' })],
    ['no request', { type: 'control_request', request_id: '1', request: null }],
  ])('with %s is none', (_what, line) => {
    expect(after(line)).toEqual([])
  })

  it('with a command that is too long to be shown whole cannot be changed', () => {
    const [long] = after(request('1', { input: { command: 'x'.repeat(DIALOG_TEXT_MAX + 1) } }))
    expect(long?.question).toMatchObject({ kind: 'approval', editable: false })
  })

  it('of its own without questions that can be shown is an ordinary approval', () => {
    const [ask] = after(
      request('1', { tool_name: 'AskUserQuestion', input: { questions: [{ question: '', options: [] }] } }),
    )
    expect(ask?.question).toMatchObject({ kind: 'approval', tool: 'AskUserQuestion' })
  })
})

describe('the answer for Claude', () => {
  const [ask] = after(request('1', { input: { command: 'ls', timeout: 5 } }))
  const decision = (...args: Parameters<typeof reply> extends [unknown, infer A] ? [A] : never): unknown =>
    (JSON.parse(reply(ask!, ...args)) as { response: { response: unknown } }).response.response

  it('names no input if nothing was changed, so that Claude uses its own, in which no secret is masked', () => {
    expect(decision({ decision: 'allow' })).toEqual({ behavior: 'allow' })
  })

  it('keeps the other fields of a command that was changed', () => {
    expect(decision({ decision: 'allow', command: 'ls -l' })).toEqual({
      behavior: 'allow',
      updatedInput: { command: 'ls -l', timeout: 5 },
    })
  })

  it('is a no if people do not want to answer', () => {
    expect(decision(null)).toMatchObject({ behavior: 'deny' })
    expect(decision({ decision: 'deny', reason: ' ' })).toMatchObject({ message: 'The user does not allow this.' })
  })

  it('is one line, also if its reason has several', () => {
    expect(reply(ask!, { decision: 'deny', reason: 'a\nb\u2028' })).not.toContain('\n')
  })
})
