import { expect, it } from 'vitest'
import { SAID_MAX, saidIn } from './claude.ts'

const [FROM, TO] = [Date.parse('2030-01-01T10:00:00Z'), Date.parse('2030-01-01T11:00:00Z')]
const entry = (type: string, content: unknown, more: object = {}): string =>
  JSON.stringify({ type, message: { role: type, content }, timestamp: '2030-01-01T10:30:00.000Z', ...more })
const text = (value: string) => [{ type: 'text', text: value }]
const said = (...lines: string[]) => saidIn(lines.join('\n'), FROM, TO).map((one) => [one.text, one.answer])

it('reads what a user wrote, with the last answer to it', () => {
  expect(
    said(
      entry('user', 'first'),
      entry('assistant', text('I look.')),
      entry('user', [{ type: 'tool_result', tool_use_id: 'x', content: 'output' }]),
      entry('assistant', [{ type: 'tool_use', id: 'x', name: 'Bash', input: {} }]),
      entry('assistant', text('Done.')),
      entry('user', text('second')),
    ),
  ).toEqual([
    ['first', 'Done.'],
    ['second', null],
  ])
})

it('leaves out what no user wrote, and what was said at another time', () => {
  expect(
    said(
      entry('user', '<command-name>/model</command-name>'),
      entry('user', '[Request interrupted by user]'),
      entry('user', 'a note', { isMeta: true }),
      entry('user', 'a sub-agent', { isSidechain: true }),
      entry('user', 'a summary', { isCompactSummary: true }),
      entry('user', 'earlier', { timestamp: '2030-01-01T09:59:59.000Z' }),
      entry('user', 'later', { timestamp: '2030-01-01T11:00:01.000Z' }),
      entry('assistant', text('To nothing.')),
    ),
  ).toEqual([])
})

it('takes any file for what it is, and never more than its bounds', () => {
  const hostile = ['', 'x', '{"type":"user"', '[]', 'null', '{"type":"user","message":[],"timestamp":1}']
  expect(said(...hostile, entry('user', [null, 1, { type: 'text', text: 7 }]))).toEqual([])
  expect(said(entry('user', 'a\u0000b\u001b[2J\r\nc\ud800'))).toEqual([['ab[2J\nc\ufffd', null]])
  const many = Array.from({ length: 200 }, (_, number) => entry('user', `${number} ${'x'.repeat(50_000)}`))
  const kept = saidIn(many.join('\n'), FROM, TO)
  expect([kept.length, kept[0]?.text.slice(0, 4), kept[0]?.text.length]).toEqual([SAID_MAX, '150 ', 32_769])
})
