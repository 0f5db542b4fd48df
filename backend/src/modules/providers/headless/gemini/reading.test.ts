import { describe, expect, it } from 'vitest'
import { SESSION, reader, init, say, use, done, success, failed } from '../../../../../test/support/headless/gemini.ts'
import { feed } from '../../../../../test/support/headless/reading.ts'

describe('what Gemini prints', () => {
  it('names the session, and whether it was resumed', () => {
    const reading = reader()
    expect(reading.verdict().sessionId).toBeNull()
    expect(feed(reading, init)).toEqual([{ type: 'status', status: 'started', message: 'auto' }])
    expect(reading.verdict().sessionId).toBe(SESSION)
    expect(feed(reader({ resume: SESSION }), init)).toMatchObject([{ status: 'resumed' }])
  })

  it('never has a session that could be an option of the next run', () => {
    const reading = reader()
    for (const session_id of ['--yolo', '../x', 'a b', '', 7, null, ['x']]) feed(reading, { type: 'init', session_id })
    expect(reading.verdict().sessionId).toBeNull()
  })

  it('becomes one text for each delta, and the last answer is all of them after the last tool', () => {
    const reading = reader()
    const happenings = feed(
      reading,
      init,
      say('I will look. '),
      say('Now.'),
      use('glob', {}),
      done('1 file'),
      say('Do'),
    )
    expect(happenings.flatMap((one) => (one.type === 'text' ? [one.text] : []))).toEqual([
      'I will look. ',
      'Now.',
      'Do',
    ])
    feed(reading, say('ne.'))
    expect(feed(reading, success)).toEqual([{ type: 'result', text: 'Done.', isError: false }])
    expect(reading.verdict()).toMatchObject({ result: 'Done.', isOver: true, hasWorked: true, failure: null })
  })

  it('keeps the last answer where a tool is the last', () => {
    const reading = reader()
    feed(reading, say('I write.'), use('glob', {}), done(''))
    expect(reading.verdict().result).toBe('I write.')
  })

  it('begins another answer after a result', () => {
    const reading = reader()
    feed(reading, say('First.'), success, say('Sec'), say('ond.'))
    expect(reading.verdict().result).toBe('Second.')
  })

  it('leaves the prompt out, which Gemini repeats', () => {
    const reading = reader()
    expect(feed(reading, { type: 'message', role: 'user', content: 'hello' })).toEqual([])
    expect(reading.verdict().hasWorked).toBe(false)
  })

  it('tells the tokens of each model at the end, without those of the cache twice and with the thoughts', () => {
    const reading = reader()
    const models = {
      'gemini-pro': { total_tokens: 1000, input_tokens: 600, output_tokens: 100, cached: 200, input: 400 },
      ['__proto__']: { total_tokens: 'x', input_tokens: -1, output_tokens: 1e300, cached: 1.5 },
    }
    const line = JSON.stringify({ ...success, stats: { models } })
    const unknown = {
      inputTokens: null,
      outputTokens: null,
      cacheReadTokens: null,
      cacheWriteTokens: null,
      costUsd: null,
    }
    expect(line).toContain('__proto__')
    feed(reading, line)
    expect(reading.verdict()).toMatchObject({ costUsd: null })
    expect(reading.verdict().usage).toEqual([
      { ...unknown, model: 'gemini-pro', inputTokens: 400, outputTokens: 400, cacheReadTokens: 200 },
      { ...unknown, model: '__proto__' },
    ])
  })

  it('knows no usage before the end, and none of an interrupted run', () => {
    const reading = reader()
    feed(reading, init, say('half an ans'))
    expect(reading.verdict()).toMatchObject({ result: 'half an ans', isOver: false, failure: null, usage: [] })
    expect(feed(reading, failed('Operation cancelled.', 'FatalCancellationError'))).toMatchObject([{ type: 'status' }])
    expect(reading.verdict()).toMatchObject({ isOver: false, failure: null })
  })

  it('is no work where it says nothing', () => {
    const reading = reader()
    feed(reading, init, say(''), success)
    expect(reading.verdict()).toMatchObject({ hasWorked: false, isOver: true, result: null, failure: null })
  })
})
