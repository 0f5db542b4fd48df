import { describe, expect, it } from 'vitest'
import {
  SESSION,
  OPTIONS,
  read,
  event,
  prompt,
  message,
  result,
  call,
  error,
} from '../../../../../test/support/headless/copilot.ts'

describe('the reader of Copilot', () => {
  it('gives one text for each delta, and the whole answer as the result', () => {
    const { happenings, verdict } = read([
      prompt,
      event('assistant.turn_start'),
      event('assistant.message_delta', { messageId: 'm1', deltaContent: 'All ' }),
      event('assistant.message_delta', { messageId: 'm1', deltaContent: 'done.' }),
      message('All done.'),
      result,
    ])
    expect(happenings).toEqual([
      { type: 'status', status: 'started', message: 'Copilot has started.' },
      { type: 'text', text: 'All ' },
      { type: 'text', text: 'done.' },
      { type: 'result', text: 'All done.', isError: false },
    ])
    expect(verdict).toMatchObject({ result: 'All done.', isOver: true, hasWorked: true, failure: null })
  })

  it('counts its turns, without those of a sub-agent', () => {
    const turn = event('assistant.turn_start')
    expect(read([prompt, turn, { ...turn, agentId: 'sub-1' }, turn]).verdict.turns).toBe(2)
  })

  it('gives the text of a message that came without deltas', () => {
    expect(read([message('Hello.')]).happenings).toEqual([{ type: 'text', text: 'Hello.' }])
  })

  it('leaves out what a sub-agent says, but not what it does', () => {
    const ofSub = (line: object) => ({ ...line, agentId: 'sub-1' })
    const { happenings, verdict } = read([
      message('I ask another agent.'),
      ofSub(event('assistant.message_delta', { messageId: 'm2', deltaContent: 'Inside.' })),
      ofSub(message('Inside.', 'm2')),
      event('assistant.message', { messageId: 'm3', content: 'Inside.', parentToolCallId: 'call_0' }),
      ofSub(call('view', { path: 'a' })),
      ofSub(error({ message: 'The sub-agent failed.' })),
    ])
    expect(happenings.map(({ type }) => type)).toEqual(['text', 'tool_call', 'status'])
    expect(verdict).toMatchObject({ result: 'I ask another agent.', failure: null })
  })

  it('uses the id that it gave the session until Copilot names the session, and only once Copilot has started', () => {
    expect(read([event('session.skills_loaded')]).verdict.sessionId).toBeNull()
    expect(read([prompt]).verdict.sessionId).toBe(OPTIONS.sessionId)
    expect(read([prompt], { resume: SESSION }).verdict.sessionId).toBe(SESSION)
    expect(read([prompt, result]).verdict.sessionId).toBe(SESSION)
    expect(read([prompt, { ...result, sessionId: '--resume' }]).verdict.sessionId).toBe(OPTIONS.sessionId)
  })

  it('says that it resumed', () => {
    expect(read([prompt], { resume: SESSION }).happenings).toMatchObject([{ type: 'status', status: 'resumed' }])
  })

  it('adds up the calls of each model, and knows no cost', () => {
    const used = (model: string, tokens: object) => event('assistant.usage', { model, cost: 1, ...tokens })
    const { happenings, verdict } = read([
      used('a', { inputTokens: 100, outputTokens: 20, cacheReadTokens: 0 }),
      used('b', { inputTokens: 7 }),
      used('a', { inputTokens: 100, outputTokens: 20 }),
      result,
    ])
    expect(verdict.costUsd).toBeNull()
    const none = { cacheWriteTokens: null, costUsd: null }
    expect(verdict.usage).toEqual([
      { model: 'a', inputTokens: 200, outputTokens: 40, cacheReadTokens: 0, ...none },
      { model: 'b', inputTokens: 7, outputTokens: null, cacheReadTokens: null, ...none },
    ])
    expect(happenings.at(-1)).toEqual({ type: 'usage', models: verdict.usage })
  })

  it('knows no usage where Copilot tells only its premium requests', () => {
    expect(read([prompt, message('Done.'), result]).verdict).toMatchObject({ usage: [], costUsd: null })
  })

  it('takes a turn without an answer and a call for one without work, also if it has thought', () => {
    const { verdict } = read([prompt, event('assistant.reasoning', { content: 'Hm.' }), message(' '), result])
    expect(verdict).toMatchObject({ isOver: true, hasWorked: false, result: null, failure: null })
  })

  it('leaves an interrupted turn open', () => {
    const lines = [prompt, call('bash', { command: 'sleep 60' }), event('abort', { reason: 'user_initiated' })]
    const { happenings, verdict } = read(lines)
    expect(happenings.at(-1)).toMatchObject({ type: 'status', status: 'notice' })
    expect(verdict).toMatchObject({ isOver: false, hasWorked: true, result: null, failure: null })
  })

  it('takes a retry for progress', () => {
    const text = 'Request failed due to a transient API error. Retrying...'
    const { happenings, verdict } = read([
      event('model.call_failure', { statusCode: 500 }),
      event('session.info', { infoType: 'notification', message: text }),
      event('session.info', { infoType: 'snapshot', message: '/home/developer/a.txt' }),
    ])
    expect(happenings).toEqual([{ type: 'status', status: 'retrying', message: text }])
    expect(verdict.failure).toBeNull()
  })

  it('tells a retry once, and not again what the model repeats', () => {
    const delta = (messageId: string, deltaContent: string) =>
      event('assistant.message_delta', { messageId, deltaContent })
    const { happenings, verdict } = read([
      prompt,
      delta('m1', 'One '),
      delta('m1', 'two'),
      event('assistant.turn_retry', { reason: 'streaming_error' }),
      event('session.info', { infoType: 'model_retry', message: 'Response was interrupted. Retrying...' }),
      event('model.call_start'),
      delta('m2', 'One t'),
      delta('m2', 'wo three'),
      message('One two three', 'm2'),
      result,
    ])
    expect(happenings.slice(1)).toEqual([
      { type: 'text', text: 'One ' },
      { type: 'text', text: 'two' },
      { type: 'status', status: 'retrying', message: 'A request to the model failed: streaming_error' },
      { type: 'text', text: ' three' },
      { type: 'result', text: 'One two three', isError: false },
    ])
    expect(verdict.result).toBe('One two three')
  })
})
