import { DIALOG_TEXT_MAX, DIALOGS_OPEN_PER_RUN } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { headless as copilot } from '../copilot.ts'
import { headless as gemini } from '../gemini.ts'
import type { Headless, HeadlessPeople, Reading } from '../headless.ts'
import { headless as opencode } from '../opencode.ts'

const CLIS: readonly [string, Headless, { allow: string; reject: string }][] = [
  ['Gemini', gemini, { allow: 'proceed_once', reject: 'cancel' }],
  ['Copilot', copilot, { allow: 'allow_once', reject: 'reject_once' }],
  ['OpenCode', opencode, { allow: 'once', reject: 'reject' }],
]

const peopleOf = ({ people }: Headless): HeadlessPeople => {
  if (!people) throw new Error('it cannot ask people')
  return people
}

/** A process that has got its prompt. */
const prompted = (headless: Headless, prompt = 'Do it'): Reading => {
  const read = peopleOf(headless).output!.read
  const reading = read({ sessionId: 'ours', resume: null, folder: '/home/developer', prompt })
  for (let tries = 0; tries < 10; tries += 1) {
    const waiting = reading.messages!().at(-1)
    if (!waiting || waiting.once) break
    reading.line(JSON.stringify({ jsonrpc: '2.0', id: waiting.id, result: { sessionId: 'one' } }), 0)
  }
  for (const { id, once } of reading.messages!()) if (once) reading.sent!(id)
  return reading
}

const say = (reading: Reading, ...messages: object[]) => messages.flatMap((one) => reading.line(JSON.stringify(one), 0))
const update = (fields: object, sessionId = 'one') => ({
  method: 'session/update',
  params: { sessionId, update: fields },
})
const question = (id: unknown, { allow, reject }: { allow: string; reject: string }, more: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'session/request_permission',
  params: {
    sessionId: 'one',
    toolCall: { toolCallId: `call-${String(id)}`, title: 'ls', kind: 'execute', rawInput: { command: 'ls' }, ...more },
    options: [
      // The traps: an option that counts for ever, with a word that sounds harmless.
      { optionId: 'all', kind: 'allow_once', name: 'Allow' },
      { optionId: allow, kind: 'allow_always', name: 'Allow' },
      { optionId: reject, kind: 'reject_once', name: 'Reject' },
    ],
  },
})

describe.each(CLIS)('a question of %s over ACP', (label, headless, ids) => {
  it('is answered with one of its two options that count once, which are chosen by their ids', () => {
    const reading = prompted(headless)
    say(reading, question(7, ids))
    const [ask] = reading.asks!()
    const { reply } = peopleOf(headless)
    const outcomes = [{ decision: 'allow' } as const, { decision: 'deny', reason: 'no' } as const, null].map(
      (answer): unknown => JSON.parse(reply(ask!, answer)),
    )
    expect(outcomes).toEqual([
      { jsonrpc: '2.0', id: 7, result: { outcome: { outcome: 'selected', optionId: ids.allow } } },
      { jsonrpc: '2.0', id: 7, result: { outcome: { outcome: 'selected', optionId: ids.reject } } },
      { jsonrpc: '2.0', id: 7, result: { outcome: { outcome: 'cancelled' } } },
    ])
  })

  it('is denied without asking if it does not offer both of them', () => {
    const reading = prompted(headless)
    expect(say(reading, question(7, { ...ids, allow: 'always' }))).toMatchObject([{ type: 'status', status: 'notice' }])
    expect(reading.asks!()).toEqual([])
    expect(reading.messages!().map(({ line }): unknown => JSON.parse(line))).toEqual([
      { jsonrpc: '2.0', id: 7, result: { outcome: { outcome: 'cancelled' } } },
    ])
  })

  it('is denied if its line is too long to be read', () => {
    const reading = prompted(headless)
    const { jsonrpc, id, method, params } = question('a-7', ids)
    const line = JSON.stringify({ jsonrpc, id, method, params })
    expect(reading.longLine!(line.slice(0, 200))).toMatchObject([{ type: 'status', status: 'notice' }])
    expect(reading.messages!().map(({ line: reply }) => reply)).toEqual([
      '{"jsonrpc":"2.0","id":"a-7","result":{"outcome":{"outcome":"cancelled"}}}',
    ])
    expect(reading.longLine!('{"jsonrpc":"2.0","method":"session/update"')).toEqual([])
  })

  it('is told once, and is another one if its process asks with the same id about something else', () => {
    const reading = prompted(headless)
    say(reading, question(0, ids), question(0, ids))
    const other = prompted(headless)
    say(other, question(0, ids, { title: 'rm', rawInput: { command: 'rm' } }))
    expect(reading.asks!()).toHaveLength(1)
    expect(other.asks!()[0]!.id).not.toBe(reading.asks!()[0]!.id)
  })

  it('waits until its tool has a result, it is taken back, or the turn is over, and not longer', () => {
    for (const line of [
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'call-7', status: 'completed' }),
      { method: '$/cancel_request', params: { requestId: 7 } },
      { id: 'slipway-prompt', result: { stopReason: 'end_turn' } },
    ]) {
      const reading = prompted(headless)
      say(reading, question(7, ids))
      expect(reading.asks!()).toHaveLength(1)
      say(reading, update({ sessionUpdate: 'tool_call_update', toolCallId: 'call-7', status: 'in_progress' }))
      expect(reading.asks!()).toHaveLength(1)
      say(reading, line)
      expect(reading.asks!()).toEqual([])
    }
  })

  it('is cut where it is long, and there are never too many', () => {
    const reading = prompted(headless)
    const long = 'x'.repeat(100_000)
    say(reading, question(0, ids, { title: long, rawInput: { command: long }, toolCallId: 'long' }))
    expect(reading.asks!()[0]!.question).toMatchObject({ editable: false })
    expect(JSON.stringify(reading.asks!()[0]!.question).length).toBeLessThan(DIALOG_TEXT_MAX + 70_000)
    say(reading, ...Array.from({ length: 1_000 }, (_, index) => question(index + 1, ids)))
    expect(reading.asks!().length).toBeLessThanOrEqual(DIALOGS_OPEN_PER_RUN)
  })

  it('is answered with "cancelled" when the turn is interrupted', () => {
    const reading = prompted(headless)
    expect(reading.interruption!()).toBe('{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"one"}}')
    say(reading, question(7, ids))
    expect(reading.interruption!()!.split('\n')[1]).toBe(
      '{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}}',
    )
    say(reading, { id: 'slipway-prompt', result: { stopReason: 'cancelled' } })
    expect(reading.interruption!()).toBeNull()
    expect(reading.verdict()).toMatchObject({ isOver: true, failure: null })
  })

  it(`leaves a prompt alone, unless ${label} would take it for a command of its own`, () => {
    const promptOf = (text: string): unknown => {
      const read = peopleOf(headless).output!.read
      const reading = read({ sessionId: 'ours', resume: null, folder: '/home/developer', prompt: text })
      for (let tries = 0; tries < 10; tries += 1) {
        const waiting = reading.messages!().at(-1)!
        if (waiting.once) return (JSON.parse(waiting.line) as { params: { prompt: unknown } }).params.prompt
        reading.line(JSON.stringify({ id: waiting.id, result: { sessionId: 'one' } }), 0)
      }
      return null
    }
    expect(promptOf('--help "$(id)"\n/x')).toEqual([{ type: 'text', text: '--help "$(id)"\n/x' }])
    expect(promptOf('\n /allow-all on')).toEqual([{ type: 'text', text: 'Task:\n\n /allow-all on' }])
  })
})

describe('a process that speaks ACP', () => {
  it('is told that nothing is written and nothing else is offered', () => {
    const reading = prompted(opencode)
    say(
      reading,
      { id: 1, method: 'fs/write_text_file', params: { path: '/etc/passwd', content: 'x' } },
      { id: 'two', method: 'terminal/create', params: {} },
      { id: 3, method: 'fs/read_text_file', params: { path: '/etc/passwd' } },
    )
    expect(reading.messages!().map(({ line }): unknown => JSON.parse(line))).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 'two', error: { code: -32_601, message: 'This is not offered.' } },
      { jsonrpc: '2.0', id: 3, error: { code: -32_601, message: 'This is not offered.' } },
    ])
  })

  it('has a bounded number of answers, however much it asks', () => {
    const reading = prompted(opencode)
    say(reading, ...Array.from({ length: 10_000 }, (_, id) => ({ id, method: 'x/y', params: {} })))
    expect(reading.messages!()).toHaveLength(100)
  })

  it('gets its prompt only in the mode in which it asks, and never twice', () => {
    const read = peopleOf(copilot).output!.read
    const reading = read({ sessionId: 'ours', resume: 'earlier', folder: '/home/developer', prompt: 'Do it' })
    const methods: string[] = []
    for (let tries = 0; tries < 10; tries += 1) {
      const [waiting] = reading.messages!()
      if (!waiting) break
      methods.push((JSON.parse(waiting.line) as { method: string }).method)
      // The history of the session, which is no work of this task.
      expect(
        say(
          reading,
          update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Old' } }, 'earlier'),
        ),
      ).toEqual([])
      if (waiting.once) reading.sent!(waiting.id)
      else say(reading, { id: waiting.id, result: {} }, { id: waiting.id, result: {} })
    }
    expect(methods).toEqual([
      ...['initialize', 'session/load', 'session/set_mode', 'session/set_config_option', 'session/prompt'],
    ])
    const refused = read({ sessionId: 'ours', resume: null, folder: '/home/developer', prompt: 'Do it' })
    say(refused, { id: 'slipway-initialize', result: {} }, { id: 'slipway-session', result: { sessionId: 'one' } })
    say(refused, { id: 'slipway-mode', error: { code: -32_602, message: 'Invalid mode' } })
    expect(refused.messages!()).toEqual([])
    expect(refused.verdict()).toMatchObject({ isOver: true, failure: { message: 'Invalid mode' } })
  })

  it('is not heard about other sessions, and not after its end', () => {
    const reading = prompted(gemini)
    const chunk = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Hi' } }
    expect(say(reading, update(chunk, 'another'))).toEqual([])
    expect(say(reading, update(chunk))).toEqual([{ type: 'text', text: 'Hi' }])
    say(reading, { id: 'slipway-prompt', result: { stopReason: 'end_turn' } })
    expect(say(reading, update(chunk), question(1, CLIS[0]![2]))).toEqual([])
    expect(reading.verdict()).toMatchObject({ isOver: true, result: 'Hi', failure: null })
  })

  it.each([
    ['refusal', 'cli_error'],
    ['max_turn_requests', 'max_turns'],
    ['max_tokens', 'cli_error'],
  ])('has failed if its turn ends with %s', (stopReason, reason) => {
    const reading = prompted(gemini)
    say(reading, { id: 'slipway-prompt', result: { stopReason } })
    expect(reading.verdict().failure).toMatchObject({ reason })
  })

  it.each([
    [gemini, { code: 429, message: 'Rate limit exceeded. Try again later.' }, 'usage_limit'],
    [gemini, { code: 500, message: 'terminated' }, 'cli_error'],
    [copilot, { code: -32_000, message: 'Authentication required' }, 'not_signed_in'],
    [opencode, { code: -32_603, message: 'Internal error: invalid x-api-key', data: {} }, 'not_signed_in'],
    [opencode, { code: -32_603, message: 'Internal error: You exceeded your current quota', data: {} }, 'usage_limit'],
  ])('says why it failed', (headless, error, reason) => {
    const reading = prompted(headless)
    say(reading, { id: 'slipway-prompt', error })
    expect(reading.verdict().failure).toMatchObject({ reason })
    expect(reading.verdict().failure!.message).not.toContain('Internal error')
  })
})
