/** Tasks of the real Claude Code, against a model server whose answers are written down. */
import type { CodingResult, CodingResults, CodingSession, CodingSessionOutput } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inLongForm, longIt } from '@slipway/testing/forms'
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { docker, processesIn } from '../support/engine.ts'
import { ASKED_MS, endedTask, eventsOf, startTask, taskOf } from '../support/tasks/follow.ts'
import { agentWithModel, type Script, sh } from '../support/tasks/model.ts'

const SESSIONS = '/coding-agents/sessions'
/** A file that no test makes. */
const NEVER = '/tmp/never'
const SECRET = 'a-secret-of-the-agent-4711'

const SCRIPT: Script = {
  '@write': [
    { tool: 'Write', input: { file_path: '/home/developer/made.txt', content: 'made\n' } },
    { say: 'The file is there.' },
  ],
  '@command': [
    // Claude itself refuses a long `sleep`.
    { tool: 'Bash', input: { command: 'tail -f /dev/null --pid=1', description: 'Wait' } },
    { say: 'It is over.' },
  ],
  '@silent': [{ say: 'Too late.', gate: NEVER }],
  '@refused': [{ status: 401, say: 'invalid x-api-key' }],
  '@broken': [{ status: 400, error: 'invalid_request_error', say: 'this model is broken' }],
  '@remember': [{ say: 'I remember 42.' }],
  '@secret': [
    { tool: 'Bash', input: { command: 'printenv SOME_SECRET; printenv SOME_SECRET | base64', description: 'Tell' } },
    { say: `It is ${SECRET}.` },
  ],
  '@long': [{ tool: 'Bash', input: { command: 'seq 1 5', description: 'Count' } }, { say: 'Counted.' }],
}

let admin: Client
let owner: Client
let agent = ''
/** The first task, which has ended. */
let written: CodingSession

beforeAll(async () => {
  admin = await signInAdmin()
  owner = await newUser(admin)
  agent = (await agentWithModel(owner, SCRIPT)).name
  await owner.ok('PUT', `/agents/${agent}/variables/SOME_SECRET`, { value: SECRET, secret: true })
})
/** Ends what a test left. */
afterEach(async () => {
  for (const { id } of await owner.ok<CodingSession[]>('GET', SESSIONS)) {
    await owner.ok('DELETE', `${SESSIONS}/${id}`)
    await endedTask(owner, id)
  }
})

const start = (prompt: string, more: object = {}): Promise<CodingSession> =>
  startTask(owner, { agent, prompt, ...more })
const run = async (prompt: string, more: object = {}): Promise<CodingSession> =>
  endedTask(owner, (await start(prompt, more)).id)
const commands = (): Promise<string[]> => processesIn(`${inject('namespace')}-agent-${agent}`)
const isRunning = async (what: string): Promise<boolean> => (await commands()).some((line) => line.includes(what))

describe('a task of Claude Code', () => {
  it('writes a file, says its result, and tells each step once', async () => {
    const task = (written = await run('@write a file'))
    expect(task).toMatchObject({ state: 'completed', reason: 'completed', exitCode: 0, result: 'The file is there.' })
    expect(task.costUsd).toBeGreaterThan(0)
    expect(await sh(owner, agent, 'cat made.txt')).toBe('made\n')
    const events = await eventsOf(owner, task.id)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(task.lastSeq).toBe(events.length)
    const types = events.map(({ type }) => type)
    expect(types).toEqual(
      expect.arrayContaining(['tool_call', 'tool_result', 'file_change', 'text', 'usage', 'result']),
    )
    expect(events).toContainEqual(expect.objectContaining({ type: 'file_change', path: '/home/developer/made.txt' }))
  })

  it('continues an earlier task in its conversation, in the same folder', async () => {
    await sh(owner, agent, 'mkdir -p project')
    const first = await run('@remember a number', { cwd: 'project' })
    const second = await run('@write it down', { resume: first.id })
    expect(second).toMatchObject({ state: 'completed', cwd: '/home/developer/project' })
    expect(second.cliSessionId).toBe(first.cliSessionId)
    // The model got the whole conversation: its file has both prompts.
    const found = await sh(owner, agent, `cat .claude/projects/*/${first.cliSessionId}.jsonl`)
    expect([found.includes('@remember a number'), found.includes('@write it down')]).toEqual([true, true])
  })

  it('takes a prompt that looks like an option, with quotes and no words of a shell', async () => {
    expect(await run('--help $(id) `id` "\' @remember')).toMatchObject({ state: 'completed', result: 'I remember 42.' })
  })

  it('shows the known secrets of the agent nowhere', async () => {
    const task = await run('@secret')
    const events = JSON.stringify(await eventsOf(owner, task.id))
    const { output } = await owner.ok<CodingSessionOutput>('GET', `${SESSIONS}/${task.id}/output`)
    for (const shown of [task.result ?? '', events, output]) {
      expect(shown).toContain('***')
      expect(shown).not.toContain(SECRET)
      expect(shown).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, -4))
    }
  })

  it('is run to its end by one request, and its result stays', async () => {
    const done = await owner.call<CodingResult>('POST', '/coding-agents/run', { agent, prompt: '@remember' })
    expect(done).toMatchObject({ status: 200, body: { success: true, output: 'I remember 42.', reason: 'completed' } })
    const failed = await owner.call<CodingResult>('POST', '/coding-agents/run', { agent, prompt: '@broken' })
    expect(failed).toMatchObject({ status: 422, body: { success: false, reason: 'cli_error' } })
    const { items, total } = await owner.ok<CodingResults>('GET', '/coding-agents/results?limit=2')
    expect(items.map(({ id }) => id)).toEqual([failed.body.id, done.body.id])
    expect(total).toBeGreaterThan(2)
    expect(await owner.ok('GET', `/coding-agents/results/${done.body.id}`)).toEqual(done.body)
  })

  it('streams its events as server-sent events from the last number that a browser had', async () => {
    const { id, lastSeq } = written
    const response = await fetch(`${owner.baseUrl}/api${SESSIONS}/${id}/events`, {
      headers: { authorization: `Bearer ${owner.token}`, accept: 'text/event-stream', 'last-event-id': '2' },
    })
    const ids = [...(await response.text()).matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    expect(ids).toEqual(Array.from({ length: lastSeq - 2 }, (_, index) => index + 3))
  })
})

describe('a task that does not complete', () => {
  it('is interrupted in a command, and keeps what it did', async () => {
    const { id } = await start('@command')
    await until('the command', () => isRunning('tail -f'), ASKED_MS)
    await owner.ok('DELETE', `${SESSIONS}/${id}`)
    const task = await endedTask(owner, id)
    expect(task).toMatchObject({ state: 'terminated', reason: 'terminated', error: `${owner.email} ended the run.` })
    await until('the command to be gone', async () => !(await isRunning('tail -f')))
    expect((await eventsOf(owner, id)).some(({ type }) => type === 'command')).toBe(true)
  })

  // The test before is interrupted in a command; `other-clis.test.ts` has this with another CLI.
  longIt('is interrupted while the model answers', async () => {
    const { id } = await start('@silent')
    await until('its first event', async () => (await taskOf(owner, id)).lastSeq > 0, ASKED_MS)
    await owner.ok('DELETE', `${SESSIONS}/${id}`)
    expect(await endedTask(owner, id)).toMatchObject({ state: 'terminated', reason: 'terminated' })
  })

  // `custom/faults.test.ts` and `stub/built-in.test.ts` have time limits.
  longIt('ends when its time is over', async () => {
    const task = await run('@silent', { timeout_seconds: 5 })
    expect(task).toMatchObject({ state: 'failed', reason: 'timed_out' })
    expect(task.error).toContain('5 seconds')
  })

  // “is run to its end by one request” has a broken model.
  it.each<[what: string, prompt: string, reason: string, message: string]>([
    ['a wrong key', '@refused', 'not_signed_in', 'Invalid API key'],
    ...inLongForm<[string, string, string, string]>([
      ['a broken model', '@broken', 'cli_error', 'this model is broken'],
    ]),
  ])('says that it failed because of %s', async (_what, prompt, reason, message) => {
    const task = await run(prompt)
    expect(task).toMatchObject({ state: 'failed', reason })
    expect(task.error).toContain(message)
  })

  // `backend/src/modules/providers/headless/transcripts.test.ts` reads what Claude Code prints then.
  longIt('stops at the highest number of turns', async () => {
    expect(await run('@long', { max_turns: 1 })).toMatchObject({ state: 'failed', reason: 'max_turns' })
  })

  it('ends when its container is killed', async () => {
    const { id } = await start('@silent')
    await until('its first event', async () => (await taskOf(owner, id)).lastSeq > 0, ASKED_MS)
    await docker.getContainer(`${inject('namespace')}-agent-${agent}`).kill()
    expect(await endedTask(owner, id)).toMatchObject({ state: 'failed', reason: 'container_stopped' })
    await owner.ok('POST', `/agents/${agent}/start?wait=true`)
  })

  // `faults/deleted.test.ts`, “tasks end with their agent, and their users still see what came of them”.
  longIt('ends with its agent, and its user can still read it', async () => {
    const { name } = await agentWithModel(owner, SCRIPT)
    const { id } = await startTask(owner, { agent: name, prompt: '@silent' })
    await until('its first event', async () => (await taskOf(owner, id)).lastSeq > 0, ASKED_MS)
    await owner.ok('DELETE', `/agents/${name}?wait=true`)
    expect(await endedTask(owner, id)).toMatchObject({ state: 'terminated', reason: 'agent_deleted', agent: null })
    expect((await eventsOf(owner, id)).length).toBeGreaterThan(0)
  })
})
