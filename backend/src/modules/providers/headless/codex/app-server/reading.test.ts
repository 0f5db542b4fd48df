import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  begun,
  command,
  completed,
  greeted,
  item,
  newReading,
  prompted,
  request,
  resolved,
  START,
  told,
  tokens,
  TURN,
} from '../../../../../../test/support/headless/codex-app-server.ts'
import { OPTIONS, THREAD } from '../../../../../../test/support/headless/codex.ts'
import { feed, NOW, readBy } from '../../../../../../test/support/headless/reading.ts'
import type { AppServerReading } from './reading.ts'

const TRANSCRIPTS = new URL('../../../../../../test/fixtures/transcripts/codex-app-server/', import.meta.url)

const read = (...lines: readonly unknown[]) => readBy(newReading(), [...START, ...lines])
/** What the reading wants to send, as the messages of its lines. */
const waiting = (reading: AppServerReading) =>
  reading.messages().map(({ line }) => JSON.parse(line) as { method?: string; params?: object })

const answer = item('completed', { type: 'agentMessage', id: 'msg_1', text: 'Done.' })

describe('what the app server of Codex is told', () => {
  it('is who speaks, then the thread, then the prompt, which is sent once', () => {
    const reading = newReading({ model: 'gpt-6' })
    expect(waiting(reading)).toMatchObject([{ method: 'initialize' }])
    feed(reading, greeted)
    expect(waiting(reading)).toMatchObject([
      { method: 'initialized' },
      {
        method: 'thread/start',
        params: {
          approvalPolicy: 'untrusted',
          approvalsReviewer: 'user',
          sandbox: 'danger-full-access',
          model: 'gpt-6',
        },
      },
    ])
    feed(reading, begun)
    expect(waiting(reading)).toMatchObject([
      { method: 'turn/start', params: { threadId: THREAD, input: [{ type: 'text', text: OPTIONS.prompt }] } },
    ])
    const [prompt] = reading.messages()
    expect(prompt?.once).toBe(true)
    reading.sent(prompt?.id ?? '')
    expect(reading.messages()).toEqual([])
  })

  it('never names the folder, because Codex would then trust it', () => {
    const reading = newReading({ resume: THREAD })
    feed(reading, greeted)
    const lines = [...reading.messages(), ...newReading().messages()].map(({ line }) => line)
    feed(reading, begun)
    expect([...lines, ...reading.messages().map(({ line }) => line)].join('\n')).not.toContain(OPTIONS.folder)
  })

  it('is the session to resume, without its turns, which could be too long for a line', () => {
    const reading = newReading({ resume: THREAD })
    feed(reading, greeted)
    expect(waiting(reading).at(-1)).toMatchObject({
      method: 'thread/resume',
      params: { threadId: THREAD, excludeTurns: true, approvalPolicy: 'untrusted' },
    })
    expect(feed(reading, begun)).toMatchObject([{ type: 'status', status: 'resumed' }])
  })

  it('is the same after a server was killed: a second greeting and a second thread do no harm', () => {
    const again = { id: 'slipway-initialize', error: { code: -32600, message: 'Already initialized' } }
    const other = { id: 'slipway-thread', result: { thread: { id: 'another-thread' } } }
    const reading = newReading()
    expect(feed(reading, greeted, again, begun, other)).toHaveLength(1)
    expect(reading.verdict()).toMatchObject({ sessionId: THREAD, failure: null })
    expect(waiting(reading)).toMatchObject([{ params: { threadId: THREAD } }])
  })

  it('is a no to what people cannot answer, until Codex has it', () => {
    const reading = newReading()
    const happenings = feed(
      reading,
      ...START,
      request(3, 'item/permissions/requestApproval', {}),
      request(4, 'mcpServer/elicitation/request', { mode: 'url', url: 'https://example.org' }),
    )
    expect(happenings.slice(1)).toMatchObject([{ status: 'notice' }, { status: 'notice' }])
    expect(reading.asks()).toEqual([])
    expect(waiting(reading)).toMatchObject([
      { id: 3, error: { code: -32601 } },
      { id: 4, result: { action: 'decline' } },
    ])
    feed(reading, resolved(3), resolved(4))
    expect(reading.messages()).toEqual([])
  })

  it('is to interrupt the turn, while there is one', () => {
    const reading = newReading()
    expect(reading.interruption()).toBeNull()
    feed(reading, ...START)
    expect(JSON.parse(reading.interruption() ?? '')).toMatchObject({
      method: 'turn/interrupt',
      params: { threadId: THREAD, turnId: TURN },
    })
    feed(reading, completed({ status: 'interrupted' }))
    expect(reading.interruption()).toBeNull()
    expect(reading.verdict()).toMatchObject({ isOver: true, failure: { message: 'The turn was interrupted.' } })
  })
})

describe('the reader of the app server of Codex', () => {
  it('reads the turn as that of `codex exec`', () => {
    const { happenings, verdict } = read(answer, tokens(), tokens(2), completed())
    expect(happenings.map(({ type }) => type)).toEqual(['status', 'text', 'usage', 'result'])
    expect(verdict).toMatchObject({ sessionId: THREAD, result: 'Done.', isOver: true, hasWorked: true, failure: null })
    expect(verdict.usage).toMatchObject([{ inputTokens: 120, outputTokens: 40, cacheReadTokens: 80 }])
  })

  it('leaves out the totals that Codex repeats of an earlier turn', () => {
    const earlier = tokens(1, { turnId: 'an-earlier-turn' })
    const reading = newReading({ resume: THREAD, totalsBefore: read(tokens()).verdict.totals ?? [] })
    feed(reading, greeted, begun, earlier, prompted)
    expect(reading.verdict().usage).toEqual([])
    feed(reading, tokens(3), completed())
    expect(reading.verdict().usage).toMatchObject([{ inputTokens: 120, outputTokens: 40 }])
  })

  it('takes the totals that Codex repeats for those before if no others are known', () => {
    const reading = newReading({ resume: THREAD, totalsBefore: null })
    feed(reading, greeted, begun, tokens(2, { turnId: 'an-earlier-turn' }), prompted, tokens(3), completed())
    expect(reading.verdict().usage).toMatchObject([{ inputTokens: 60, cacheReadTokens: 40, outputTokens: 20 }])
    const other = newReading({ resume: THREAD, totalsBefore: null })
    feed(other, ...START, tokens(3), completed())
    expect(other.verdict()).toMatchObject({ usage: [], totals: [{ inputTokens: 180 }] })
  })

  it('tells the plan with what is in progress', () => {
    const plan = [
      { step: 'one', status: 'completed' },
      { step: 'two', status: 'inProgress' },
    ]
    expect(read(told('turn/plan/updated', { plan })).happenings.at(-1)).toEqual({
      type: 'plan',
      items: [
        { text: 'one', state: 'completed' },
        { text: 'two', state: 'in_progress' },
      ],
    })
  })

  it('does not take the end of another thread or turn for its own', () => {
    const { verdict } = read(
      { method: 'turn/completed', params: { threadId: 'other', turn: { id: 'other', status: 'completed' } } },
      completed({ id: 'other' }),
    )
    expect(verdict.isOver).toBe(false)
  })

  it('gives a message to the turn that runs, and says so if Codex does not take it', () => {
    const { reading } = read()
    const { id } = JSON.parse(reading.steering({ id: 'first', text: 'be quick' }) ?? '') as { id: string }
    expect(reading.steering({ id: 'second', text: 'be kind' })).toContain('"method":"turn/steer"')
    expect(reading.untaken()).toEqual([])
    const refused = JSON.stringify({ id, error: { message: 'no active turn to steer' } })
    expect(reading.line(refused, NOW)).toMatchObject([{ type: 'status', status: 'notice' }])
    expect(reading.untaken()).toEqual(['first'])
    expect(reading.verdict()).toMatchObject({ isOver: false, failure: null })
    expect(newReading().steering({ id: 'third', text: 'too early' })).toBeNull()
  })

  it.each([
    ['a thread that is not there', [greeted, { id: 'slipway-thread', error: { message: 'no rollout found' } }]],
    ['a prompt that is refused', [greeted, begun, { id: 'slipway-turn', error: { message: 'no rollout found' } }]],
  ])('fails with %s', (_what, lines) => {
    const { verdict } = readBy(newReading(), lines)
    expect(verdict).toMatchObject({ isOver: true, failure: { reason: 'session_lost', message: 'no rollout found' } })
  })

  it.each([
    [{ httpConnectionFailed: { httpStatusCode: 401 } }, 'not_signed_in', 401],
    ['unauthorized', 'not_signed_in', null],
    ['usageLimitExceeded', 'usage_limit', null],
    [{ responseTooManyFailedAttempts: { httpStatusCode: 429 } }, 'cli_error', 429],
    ['internalServerError', 'cli_error', null],
    [null, 'cli_error', null],
  ])('knows why a turn failed: %j', (codexErrorInfo, reason, status) => {
    const error = { message: 'It did not work.', codexErrorInfo, additionalDetails: null }
    const { happenings, verdict } = read(
      told('error', { error, willRetry: false }),
      completed({ status: 'failed', error }),
    )
    expect(verdict).toMatchObject({ isOver: true, failure: { reason, status, message: 'It did not work.' } })
    expect(happenings.slice(1)).toHaveLength(1)
  })

  it('tells of another attempt with its reason, and that is no failure', () => {
    const error = { message: 'Reconnecting... 1/5', codexErrorInfo: 'other', additionalDetails: 'stream disconnected' }
    const { happenings, verdict } = read(told('error', { error, willRetry: true }), answer, completed())
    expect(happenings[1]).toMatchObject({ status: 'retrying', message: 'Reconnecting... 1/5 (stream disconnected)' })
    expect(verdict.failure).toBeNull()
  })

  it('reads from standard error why Codex does not start', () => {
    const reading = newReading()
    reading.errorLine('Error: approval_policy = "untrusted" is no longer supported; remove this setting', NOW)
    expect(reading.verdict().failure).toMatchObject({ reason: 'cli_error' })
  })
})

describe.each(readdirSync(TRANSCRIPTS).filter((name) => name.endsWith('.jsonl')))('the lines of %s', (name) => {
  const lines = readFileSync(new URL(name, TRANSCRIPTS), 'utf8').trimEnd().split('\n')

  it('ask and want the same after each line, also where another reading has read those before', () => {
    const reading = newReading()
    const before: string[] = []
    for (const line of lines) {
      for (const { id } of reading.messages()) reading.sent(id)
      reading.line(line, NOW)
      before.push(line)
      const next = newReading()
      for (const one of before) {
        for (const { id } of next.messages()) next.sent(id)
        next.line(one, NOW)
      }
      expect(next.asks()).toEqual(reading.asks())
      expect(next.messages()).toEqual(reading.messages())
      expect(next.verdict()).toEqual(reading.verdict())
    }
    expect(reading.asks()).toEqual([])
  })
})

it('asks a command once, however often its line is printed', () => {
  const { happenings } = read(command(0), command(0))
  expect(happenings.filter(({ type }) => type === 'question')).toHaveLength(1)
})
