import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { AgentRow } from '../../../agents/rows.ts'
import type { AgentService } from '../../../agents/service.ts'
import { READERS, SAID_MAX, saidIn } from './said.ts'
import { TerminalWords } from './words.ts'

const [FROM, TO] = [Date.parse('2030-01-01T10:00:00Z'), Date.parse('2030-01-01T11:00:00Z')]
const entry = (type: string, content: unknown, more: object = {}): string =>
  JSON.stringify({ type, message: { role: type, content }, timestamp: '2030-01-01T10:30:00.000Z', ...more })
const text = (value: string) => [{ type: 'text', text: value }]
const readIn = (cli: string, ...lines: string[]) => {
  const read = READERS.get(cli)
  if (!read) throw new Error(`the files of ${cli} are not known`)
  return saidIn(lines.join('\n'), read, FROM, TO)
}
const said = (...lines: string[]) => readIn('claude-code', ...lines).map((one) => [one.text, one.answer])

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
  const kept = readIn('claude-code', ...many)
  expect([kept.length, kept[0]?.text.slice(0, 4), kept[0]?.text.length]).toEqual([SAID_MAX, '150 ', 32_769])
})

const AT = '2030-01-01T10:30:00.000Z'
const item = (type: string, text: string): object => ({
  ...{ timestamp: AT, type: 'event_msg' },
  payload: { type: 'item_completed', item: { type, content: [{ type: 'text', text }] } },
})
const part = (role: string, more: object): object => ({
  message: { role, time: { created: Date.parse(AT) } },
  part: { type: 'text', ...more },
})
/** Of each CLI: what it writes around a message that says "ask" and its answer, "say". */
const FILES: Readonly<Record<string, readonly object[]>> = {
  codex: [
    { timestamp: AT, type: 'response_item', payload: { role: 'user', content: [{ text: '<environment_context>' }] } },
    item('UserMessage', 'ask'),
    item('Reasoning', 'hm'),
    item('AgentMessage', 'say'),
  ],
  'gemini-cli': [
    { $set: { messages: [{ timestamp: AT, type: 'user', content: [{ text: 'earlier' }] }] } },
    { timestamp: AT, type: 'user', content: [{ text: '<session_context>\n' }] },
    { timestamp: AT, type: 'user', content: [{ text: 'ask' }] },
    { timestamp: AT, type: 'info', content: 'a note' },
    { timestamp: AT, type: 'gemini', content: 'say', thoughts: [] },
  ],
  copilot: [
    { timestamp: AT, type: 'user.message', data: { content: 'ask', transformedContent: 'now: ask' } },
    { timestamp: AT, type: 'user.message', data: { content: 'a sub-agent', parentToolCallId: 'x' } },
    { timestamp: AT, type: 'assistant.message', data: { content: 'say', toolRequests: [] } },
    { timestamp: AT, type: 'assistant.message', data: { content: '', toolRequests: [{}] } },
  ],
  opencode: [
    part('user', { text: 'ask' }),
    part('user', { text: 'the contents of a file', synthetic: true }),
    part('assistant', { type: 'reasoning', text: 'hm' }),
    part('assistant', { text: 'say' }),
  ],
}
it.each(Object.keys(FILES))('reads the same out of what %s keeps, and nothing out of what is no entry of it', (cli) => {
  const lines = (FILES[cli] ?? []).map((one) => JSON.stringify(one))
  expect(readIn(cli, ...lines)).toEqual([{ at: Date.parse(AT), text: 'ask', answer: 'say' }])
  const empty = ['{}', '{"type":"user"}', '{"type":"event_msg","payload":{"type":"item_completed"}}', '{"part":[]}']
  expect(readIn(cli, ...empty)).toEqual([])
})

it('hides the secrets of the user and the agent, in any spelling, before a text is cut', async () => {
  const secret = 'tok-en/of "ada"'
  const lines = [
    entry('user', `It is ${secret}, keep it.`),
    entry('assistant', text(`Kept: ${secret}`)),
    entry('user', `${'x'.repeat(32_768 - 5)}${secret}`),
  ].map((line) => line.replaceAll('/', '\\u002f'))
  const asked: unknown[] = []
  const words = new TerminalWords({
    agentRows: { byId: (id) => Promise.resolve({ id, ownerId: 'owner' } as AgentRow) },
    agents: { snapshot: () => ({ runningId: 'container' }) as ReturnType<AgentService['snapshot']> },
    runtime: {
      run: () => Promise.resolve({ stdout: Buffer.from(lines.join('\n')), stderr: Buffer.alloc(0), exitCode: 0 }),
    },
    provisioner: { taskSecrets: (...of) => Promise.resolve((asked.push(of), [secret])) },
  })
  const of = { agentId: 'a', userId: 'ada', provider: 'claude-code', cliSessionId: randomUUID() }
  const found = await words.of({ ...of, from: new Date(FROM), to: new Date(TO) })
  expect(asked).toEqual([['ada', { id: 'a', ownerId: 'owner' }]])
  expect(found?.[0]).toMatchObject({ text: 'It is ***, keep it.', answer: 'Kept: ***' })
  expect(found?.[1]?.text).toBe(`${'x'.repeat(32_768 - 5)}***`)
})
