import { describe, expect, it } from 'vitest'
import {
  SESSION,
  reader,
  event,
  step,
  say,
  finish,
  use,
  error,
  tokens,
} from '../../../../../test/support/headless/opencode.ts'
import { feed } from '../../../../../test/support/headless/reading.ts'

describe('what OpenCode prints', () => {
  it('names the session with its first event, and starts once', () => {
    const reading = reader()
    expect(reading.verdict().sessionId).toBeNull()
    expect(feed(reading, step, step)).toEqual([{ type: 'status', status: 'started', message: '' }])
    expect(reading.verdict().sessionId).toBe(SESSION)
    expect(feed(reader({ resume: SESSION }), step)).toMatchObject([{ status: 'resumed' }])
  })

  it('never has a session that could be an option of the next run', () => {
    const reading = reader()
    for (const sessionID of ['--auto', '../x', 'a b', '', 7, null, ['x']])
      feed(reading, { type: 'step_start', sessionID })
    expect(reading.verdict().sessionId).toBeNull()
  })

  it('is over with the last step, and its result is the last text', () => {
    const reading = reader()
    feed(reading, step, say('I will look.'), use('glob', { input: {} }), finish('tool-calls'))
    expect(reading.verdict()).toMatchObject({ isOver: false, hasWorked: true, result: 'I will look.' })
    expect(feed(reading, step, say('One.'), say('Two.'), finish('stop')).at(-1)).toEqual({
      type: 'result',
      text: 'Two.',
      isError: false,
    })
    expect(reading.verdict()).toMatchObject({ isOver: true, result: 'Two.', failure: null, turns: 2 })
  })

  it('goes on where a further step follows the last one', () => {
    const reading = reader()
    feed(reading, step, say('x'), finish('stop'), step)
    expect(reading.verdict().isOver).toBe(false)
  })

  it('shows thoughts apart from the answer, and they are no work', () => {
    const reading = reader()
    expect(feed(reading, event('reasoning', { text: 'Hm.' }))).toEqual([{ type: 'thinking', text: 'Hm.' }])
    expect(reading.verdict()).toMatchObject({ hasWorked: false, result: null })
  })

  it('is no work where it says nothing', () => {
    const reading = reader()
    feed(reading, step, say(''), finish('stop'))
    expect(reading.verdict()).toMatchObject({ hasWorked: false, isOver: true, result: null, failure: null })
  })

  it('adds up the tokens and the cost of its steps', () => {
    const reading = reader()
    expect(feed(reading, finish('tool-calls', tokens, 0.25))).toEqual([
      {
        type: 'usage',
        models: [
          {
            model: null,
            inputTokens: 100,
            outputTokens: 25,
            cacheReadTokens: 30,
            cacheWriteTokens: 10,
            costUsd: 0.25,
          },
        ],
      },
    ])
    feed(reading, finish('stop', tokens, 0.5))
    expect(reading.verdict()).toMatchObject({
      costUsd: 0.75,
      usage: [{ inputTokens: 200, outputTokens: 50, cacheReadTokens: 60, cacheWriteTokens: 20, costUsd: 0.75 }],
    })
  })

  it('knows no usage before the first step, and no cost of a model without a price', () => {
    const reading = reader()
    feed(reading, finish('tool-calls', {}, 'x'))
    expect(reading.verdict()).toMatchObject({ usage: [], costUsd: null })
    feed(reading, finish('tool-calls', { input: 7, output: 'x' }, 0))
    expect(reading.verdict()).toMatchObject({ costUsd: null, usage: [{ inputTokens: 7, outputTokens: null }] })
  })

  it('is not over where it was interrupted, and that is no failure', () => {
    const reading = reader()
    const happenings = feed(reading, step, say('half'), error('MessageAbortedError', { message: 'Aborted' }))
    expect(happenings.at(-1)).toMatchObject({ type: 'status', status: 'notice' })
    expect(reading.verdict()).toMatchObject({ isOver: false, failure: null, result: 'half' })
  })
})
