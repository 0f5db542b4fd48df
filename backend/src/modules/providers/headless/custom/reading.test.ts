import { EVENT_TEXT_MAX, type OutputFormat } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { feed, HOSTILE_VALUES, readBy } from '../../../../../test/support/headless/reading.ts'
import { customOutput } from '../custom.ts'
import { NOTHING_SAID } from '../parts/verdict.ts'

const OPTIONS = { sessionId: '', resume: null, folder: '/home/developer' }
const read = (format: OutputFormat, ...lines: readonly unknown[]) => readBy(customOutput(format).read(OPTIONS), lines)
const texts = (...lines: readonly string[]) => lines.map((text) => ({ type: 'text', text }))
const result = (text: string, isError = false) => ({ type: 'result', text, isError })
describe('plain text', () => {
  it('is its own answer, line by line and without colours', () => {
    const { happenings, verdict } = read('text', '\u001B[32mone\u001B[0m', '', '  two', '')
    expect(happenings).toEqual(texts('one', '  two'))
    expect(verdict).toEqual({ ...NOTHING_SAID, result: 'one\n\n  two', hasWorked: true })
  })

  it('of blank lines is no work', () => {
    expect(read('text', '', '   ', '\u001B[0m')).toMatchObject({ happenings: [], verdict: NOTHING_SAID })
  })

  it('without an end keeps its last words', () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `${index} ${'😀'.repeat(20)}`)
    const answer = read('text', ...lines).verdict.result ?? ''
    expect(answer.length).toBeLessThanOrEqual(EVENT_TEXT_MAX)
    expect(answer.isWellFormed()).toBe(true)
    expect(answer.startsWith('…')).toBe(true)
    expect(answer.endsWith(lines.at(-1)!)).toBe(true)
  })

  it('in a line that was cut is read as far as it is known', () => {
    const reading = customOutput('text').read(OPTIONS)
    expect(reading.longLine?.('x'.repeat(100_000))).toMatchObject([
      { type: 'text', text: expect.stringMatching(/^x+…$/) },
    ])
    expect(reading.verdict().hasWorked).toBe(true)
  })

  it('on standard error is progress', () => {
    const reading = customOutput('text').read(OPTIONS)
    expect(reading.errorLine?.('\u001B[1mwait\u001B[0m', 0)).toEqual([
      { type: 'status', status: 'notice', message: 'wait' },
    ])
    expect(reading.verdict()).toEqual(NOTHING_SAID)
  })
})

describe('one JSON document', () => {
  it.each([
    ['result', { result: 'done', text: 'other' }],
    ['response', { stats: { result: 1 }, response: 'done' }],
    ['text', { result: { no: 'text' }, text: 'done' }],
    ['output', { output: 'done' }],
  ])('answers with its %s', (_field, document) => {
    for (const text of [JSON.stringify(document), JSON.stringify(document, null, 2)]) {
      const { happenings, verdict } = read('json', 'starting', ...text.split('\n'))
      expect(happenings).toEqual([...texts('starting'), result('done')])
      expect(verdict).toEqual({ ...NOTHING_SAID, result: 'done', hasWorked: true })
    }
  })

  it('without such a field is the answer itself', () => {
    expect(read('json', '{"a":1}').verdict.result).toBe('{"a":1}')
  })

  it('with brackets and quotes in its texts ends where it ends', () => {
    const text = JSON.stringify({ result: '}]"\\{', a: ['\\"'] }, null, 1)
    expect(read('json', ...text.split('\n'), 'bye').happenings).toEqual([result('}]"\\{'), ...texts('bye')])
  })

  it('that is broken, or is none, is text', () => {
    expect(read('json', '{no json}', 'words').verdict).toMatchObject({ result: '{no json}\nwords', hasWorked: true })
    expect(read('json', '{"result": "cut').verdict).toMatchObject({ result: '{"result": "cut', hasWorked: true })
  })

  it('in the form of Claude tells a failure and the cost', () => {
    const line = { type: 'result', subtype: 'success', is_error: true, result: 'API Error: 500', total_cost_usd: 0.5 }
    expect(read('json', line).verdict).toMatchObject({
      costUsd: 0.5,
      failure: { reason: 'cli_error' },
      sessionId: null,
    })
  })
})

describe('a stream of JSON objects', () => {
  const SAID = { type: 'assistant', message: { content: [{ type: 'text', text: 'I work.' }] } }
  const END = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Done.',
    session_id: 'abc',
    total_cost_usd: 1,
  }

  it('in the form of Claude is read like Claude, with no session to resume', () => {
    const { happenings, verdict } = read(
      'stream-json',
      { type: 'system', subtype: 'init', session_id: 'abc' },
      SAID,
      END,
    )
    expect(happenings.map(({ type }) => type)).toEqual(['status', 'text', 'result'])
    expect(verdict).toMatchObject({ result: 'Done.', isOver: true, hasWorked: true, sessionId: null, costUsd: 1 })
  })

  it('in a form of its own is read as far as it has texts', () => {
    const { happenings, verdict } = read(
      'stream-json',
      { type: 'message', message: { content: 'Hello.' } },
      { kind: 'step', text: 'I look.' },
      { type: 'error', message: 'no such file' },
      { error: { message: 'again' } },
      { type: 'tick', n: 1 },
    )
    expect(happenings).toEqual([
      ...texts('Hello.', 'I look.'),
      { type: 'error', message: 'no such file', status: null },
      { type: 'error', message: 'again', status: null },
    ])
    expect(verdict).toEqual({ ...NOTHING_SAID, result: 'I look.', hasWorked: true })
    expect(read('stream-json', { text: 'a' }, { result: 'b' }, { text: 'c' }).verdict.result).toBe('b')
  })

  it('with lines that are no JSON goes on', () => {
    const { happenings, verdict } = read('stream-json', 'warning: old', '{broken', '[1]', { result: 'fine' })
    expect(happenings).toEqual([
      { type: 'status', status: 'notice', message: 'warning: old' },
      { type: 'status', status: 'notice', message: '[1]' },
      result('fine'),
    ])
    expect(verdict.result).toBe('fine')
  })

  it('of words only has done no work', () => {
    expect(read('stream-json', 'warning: old').verdict).toEqual(NOTHING_SAID)
  })
})

describe('a hostile line', () => {
  const FIELDS = ['type', 'subtype', 'message', 'error', 'is_error', 'result', 'response', 'text', 'output', 'content']

  it('with any type in any field is read without an error', () => {
    for (const format of ['text', 'json', 'stream-json'] as const)
      for (const type of ['result', 'assistant', 'system', 'error', 7])
        for (const field of FIELDS)
          for (const value of HOSTILE_VALUES)
            feed(customOutput(format).read(OPTIONS), { type, [field]: value }, { message: { [field]: value } })
  })

  it('of brackets without an end is given up within its bound', () => {
    const reading = customOutput('json').read(OPTIONS)
    const line = '{'.repeat(1_000_000)
    for (let count = 0; count < 9; count += 1) reading.line(line, 0)
    expect(feed(reading, '{"result":"after"}')).toEqual([result('after')])
  })
})
