/** Codex asks people before it acts, over the protocol of its app server, and gets their answers. */
import { readFileSync } from 'node:fs'
import type { CodingSession, Dialog, Provider, RunEvent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { isLongForm, longIt } from '@slipway/testing/forms'
import { beforeAll, describe, expect, it } from 'vitest'
import { processesIn } from '../../support/engine.ts'
import { useServerToKill } from '../../support/shared-server.ts'
import { answer, asked, openDialogs } from '../../support/tasks/dialogs.ts'
import { ASKED_MS, endedTask, eventsOf, refusalOf, startTask, taskOf } from '../../support/tasks/follow.ts'
import { agentWithModel, type Script, sh, type Step } from '../../support/tasks/model.ts'

const own = useServerToKill()
const HOME = '/home/developer'

const runs = (cmd: string, more: object = {}): Step => ({ tool: 'exec_command', input: { cmd, ...more } })
const patch = (...lines: string[]): Step =>
  runs(["apply_patch <<'EOF'", '*** Begin Patch', ...lines, '*** End Patch', 'EOF'].join('\n'))

const SCRIPT: Script = {
  '@write': [runs('echo asked > asked.txt'), { say: 'It is written.' }],
  '@two': [runs('touch no.txt'), runs('touch never.txt'), { say: 'Nobody said why.' }],
  // What the model answers if it has read the reason.
  '@because': [{ say: 'I stop.' }],
  '@change': [
    patch('*** Add File: new.txt', '+one'),
    patch('*** Update File: new.txt', '@@', '-one', '+two', '*** Delete File: settings'),
    { say: 'It is changed.' },
  ],
  '@wait': [runs('tail -f /dev/null --pid=1'), { say: 'It is over.' }],
  '@tidy': [
    runs('bash', { tty: true }),
    runs('touch kept'),
    patch('*** Add File: kept.txt', '+one', '*** Add File: kept.too', '+two'),
    runs('rm -rf lost'),
    { say: 'All done.' },
  ],
  '@remember': [{ say: 'I remember 42.' }],
  '@form': [
    { tool: 'ask', namespace: 'mcp__asking', input: {} },
    {
      tool: 'request_user_input',
      input: {
        questions: [
          {
            ...{ id: 'colour', header: 'Colour', question: 'Which colour?' },
            options: [
              { label: 'Red', description: 'Warm' },
              { label: 'Blue', description: 'Cold' },
            ],
          },
        ],
      },
    },
    { say: 'All done.' },
  ],
  '@refused': [{ status: 401, say: 'this key is not valid' }],
  '@busy': [{ status: 429, say: 'too many' }],
  '@broken': [{ status: 500, say: 'broken' }],
}

/** Settings that must not keep it from asking, and what makes it ask in other ways. */
const SETTINGS = `approval_policy = "never"
sandbox_mode = "danger-full-access"
`
const TABLES = `request_max_retries = 0
stream_max_retries = 0

[features]
default_mode_request_user_input = true

[mcp_servers.asking]
command = "node"
args = ["${HOME}/asking-server.mjs"]
`

let agent = ''

beforeAll(async () => {
  const { name } = await agentWithModel(own.admin, SCRIPT, 'codex')
  agent = name
  const server = readFileSync(new URL('../../support/agent/asking-server.mjs', import.meta.url))
  await own.admin.upload(agent, 'asking-server.mjs', server)
  await own.admin.upload(agent, 'settings', SETTINGS)
  await own.admin.upload(agent, 'tables', TABLES)
  await sh(own.admin, agent, 'cat settings .codex/config.toml tables >all && mv all .codex/config.toml')
})

const start = (prompt: string, more: object = {}): Promise<CodingSession> =>
  startTask(own.admin, { agent, prompt, policy: 'ask', ...more })
const run = async (prompt: string, more: object = {}): Promise<CodingSession> =>
  endedTask(own.admin, (await start(prompt, more)).id)
const files = (): Promise<string> => sh(own.admin, agent, 'ls')

/** The question after this one. */
const askedNext = ({ id, sessionId }: Dialog): Promise<Dialog> =>
  until(
    'the next question',
    async () => (await openDialogs(own.admin, sessionId ?? '')).find((dialog) => dialog.id !== id) ?? false,
    ASKED_MS,
  )

const expectNoGap = (events: readonly RunEvent[]): void =>
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))

/** The processes of tasks. */
const left = async (): Promise<string[]> =>
  (await processesIn(`${own.namespace}-agent-${agent}`)).filter((line) => /\bcodex\b|asking-server|tail -f/.test(line))

/** What the task has used, as its last event about it says. */
const usageIn = (events: readonly RunEvent[]) => events.findLast((event) => event.type === 'usage')?.models

it('is one of the CLIs of which the form of a new task offers the policies', async () => {
  const { items } = await own.admin.ok<{ items: Provider[] }>('GET', '/providers')
  expect(items.find(({ id }) => id === 'codex')).toMatchObject({ canAskPeople: true })
})

// In the short form `../killed-server.test.ts` has a question that waits over a killed server.
it(`a task that wants to run a command waits${isLongForm ? ' over a killed server' : ''}, and the first of two answers counts`, async () => {
  const { id } = await start('@write it')
  const dialog = await asked(own.admin, id)
  expect(dialog).toMatchObject({
    ...{ agent, sessionId: id, folder: HOME, state: 'open', title: 'Codex wants to run a command' },
    question: { kind: 'approval', tool: 'exec_command', command: 'echo asked > asked.txt', tier: 1, editable: false },
  })
  await until('the task to wait', async () => (await taskOf(own.admin, id)).state === 'waiting')

  if (isLongForm) {
    await own.end('SIGKILL')
    await own.start()
  }

  expect(await openDialogs(own.admin, id)).toEqual([dialog])
  const path = `/dialogs/${dialog.id}/answer`
  expect(await refusalOf(own.admin, 'POST', path, { decision: 'allow', command: 'ls' })).toEqual([400, 'VALIDATION'])
  expect(await files()).not.toContain('asked.txt')
  const answers = await Promise.all([1, 2].map(() => own.admin.call('POST', path, { decision: 'allow' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])

  const task = await endedTask(own.admin, id)
  expect(task).toMatchObject({ reason: 'completed', result: 'It is written.', exitCode: 0, waitsFor: null })
  expect(await sh(own.admin, agent, 'cat asked.txt')).toBe('asked\n')
  const events = await eventsOf(own.admin, id)
  expectNoGap(events)
  const command = { callId: expect.any(String) as string, command: "/bin/bash -lc 'echo asked > asked.txt'" }
  expect(events.filter(({ type }) => type !== 'status' && type !== 'usage')).toMatchObject([
    { type: 'command', state: 'started', ...command },
    { type: 'question', requestId: dialog.requestId, callId: command.callId },
    { type: 'answer', requestId: dialog.requestId, by: own.admin.email },
    { type: 'command', state: 'ended', exitCode: 0, ...command },
    { type: 'text', text: 'It is written.' },
    { type: 'result', text: 'It is written.' },
  ])
  expect(usageIn(events)).toMatchObject([{ inputTokens: 120, outputTokens: 40, cacheReadTokens: 80 }])
})

it('a denial is no, and so is a dialog that is cancelled; the model reads the reason', async () => {
  const { id } = await start('@two things')
  const first = await asked(own.admin, id)
  expect(await own.admin.ok<Dialog>('DELETE', `/dialogs/${first.id}`)).toMatchObject({ state: 'cancelled' })
  const second = await askedNext(first)
  await answer(own.admin, second, { decision: 'deny', reason: 'Not today, @because it rains.' })
  expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', result: 'I stop.' })
  expect(await files()).not.toMatch(/no\.txt|never\.txt/)
})

it('a change of files shows its paths and its texts', async () => {
  const { id } = await start('@change it')
  const first = await asked(own.admin, id)
  expect(first).toMatchObject({
    title: 'Codex wants to change a file',
    question: { tool: 'apply_patch', path: `${HOME}/new.txt`, input: { content: 'one\n' }, command: null, tier: 1 },
  })
  await answer(own.admin, first, { decision: 'allow' })
  const second = await askedNext(first)
  expect(second.question).toMatchObject({
    ...{ tool: 'apply_patch', path: null, editable: false },
    // The gravest change decides.
    ...{ tier: 2, reasons: ['It deletes files.'] },
  })
  expect(JSON.stringify(second.question)).toContain(`deleted ${HOME}/settings`)
  await answer(own.admin, second, { decision: 'deny' })
  expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', result: 'It is changed.' })
  expect(await sh(own.admin, agent, 'cat new.txt; ls')).toMatch(/^one\n[^]*\nsettings\n/)
})

describe('a task that is ended', () => {
  it('while it asks withdraws its question, and leaves no process', async () => {
    const { id } = await start('@write it')
    const dialog = await asked(own.admin, id)
    await own.admin.ok('DELETE', `/coding-agents/sessions/${id}`)
    expect(await endedTask(own.admin, id)).toMatchObject({ state: 'terminated' })
    await until('the question to be withdrawn', async () => (await openDialogs(own.admin, id)).length === 0)
    expect(await refusalOf(own.admin, 'POST', `/dialogs/${dialog.id}/answer`, { decision: 'allow' })).toEqual([
      ...[409, 'DIALOG_CLOSED'],
    ])
    await expect.poll(left).toEqual([])
  })

  it('in a command that was allowed ends the command, which Codex itself would leave', async () => {
    const { id } = await start('@wait for it')
    await answer(own.admin, await asked(own.admin, id), { decision: 'allow' })
    await until('the command', async () => (await left()).some((line) => line.includes('tail -f')), ASKED_MS)
    await own.admin.ok('DELETE', `/coding-agents/sessions/${id}`)
    expect(await endedTask(own.admin, id)).toMatchObject({ state: 'terminated' })
    await expect.poll(left).toEqual([])
  })
})

it('with tiers, what can be brought back runs at once, and no command gets a keyboard', async () => {
  await sh(own.admin, agent, 'mkdir lost')
  const { id } = await start('@tidy up', { policy: 'tiers' })
  const dialog = await asked(own.admin, id)
  expect(dialog.question).toMatchObject({ command: 'rm -rf lost', tier: 3 })
  expect(await files()).toMatch(/kept\n(?:[^]*\n)?kept\.txt\n/)
  await answer(own.admin, dialog, { decision: 'allow' })
  expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', result: 'All done.' })
  expect(await files()).not.toContain('lost')
  const answers = (await eventsOf(own.admin, id)).filter(({ type }) => type === 'answer')
  expect(answers).toMatchObject([{ by: null }, { by: null }, { by: own.admin.email }])
})

// `../conversations/claude.test.ts` goes on with Claude Code; the recorded streams of the app server have a session that is resumed.
longIt('a conversation goes on between tasks that ask and tasks that do not', async () => {
  const first = await run('@remember this', { policy: 'skip' })
  expect(first).toMatchObject({ state: 'completed', result: 'I remember 42.' })
  const { id } = await start('@write it', { resume: first.id })
  await answer(own.admin, await asked(own.admin, id), { decision: 'allow' })
  const second = await endedTask(own.admin, id)
  expect(second).toMatchObject({ result: 'It is written.', cliSessionId: first.cliSessionId })
  // Its own share of the conversation.
  expect(usageIn(await eventsOf(own.admin, id))).toMatchObject([{ outputTokens: 40 }])
  const third = await run('@remember', { policy: 'skip', resume: id })
  expect(third).toMatchObject({ result: 'I remember 42.', cliSessionId: first.cliSessionId })
  const log = (await sh(own.admin, agent, 'cat model.log')).trimEnd().split('\n')
  expect(log.at(-1)).toBe('asked @write @remember')
})

it('a tool of an MCP server needs a permission, and what the server and Codex ask are forms', async () => {
  const { id } = await start('@form please')
  const use = await asked(own.admin, id)
  expect(use).toMatchObject({
    title: 'Codex wants to use ask of asking',
    question: { kind: 'approval', tool: 'mcp__asking__ask', tier: 2, editable: false },
  })
  await answer(own.admin, use, { decision: 'allow' })
  const form = await askedNext(use)
  expect(form).toMatchObject({
    ...{ title: 'asking asks', message: 'Which?' },
    question: {
      kind: 'form',
      fields: [
        { name: 'colour', required: true },
        { name: 'count', type: 'integer' },
      ],
    },
  })
  await answer(own.admin, form, { value: { colour: 'blue', count: 2 } })
  const question = await askedNext(form)
  expect(question.question).toMatchObject({ fields: [{ name: 'colour', description: 'Which colour?', custom: true }] })
  await answer(own.admin, question, { value: { colour: 'Blue' } })
  expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', result: 'All done.' })
  const results = (await eventsOf(own.admin, id)).flatMap((event) => (event.type === 'tool_result' ? [event.text] : []))
  expect(results.map((text) => JSON.parse(text) as unknown)).toEqual([
    { action: 'accept', content: { colour: 'blue', count: 2 } },
  ])
})

it.each([
  ['@refused', 'not_signed_in', 'this key is not valid'],
  ['@busy', 'cli_error', '429'],
  ['@broken', 'cli_error', 'high demand'],
])('a model server that fails is told with its words: %s', async (prompt, reason, words) => {
  const task = await run(prompt)
  expect(task).toMatchObject({ state: 'failed', reason })
  expect(task.error).toContain(words)
})

it('a setting that Codex does not take any more is told with its words', async () => {
  const replace = (from: string, to: string) =>
    sh(own.admin, agent, `sed -i 's/^approval_policy = "${from}"/approval_policy = "${to}"/' .codex/config.toml`)
  await replace('never', 'untrusted')
  const task = await run('@remember')
  await replace('untrusted', 'never')
  expect(task).toMatchObject({ state: 'failed', reason: 'cli_error' })
  expect(task.error).toContain('approval_policy')
})
