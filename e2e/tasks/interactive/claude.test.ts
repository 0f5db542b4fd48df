/** Interactive tasks of the real Claude Code: its own interface, on a terminal of the user's. */
import type { CodingSessionDiff, CodingSessionOutput } from '@slipway/protocol'
import { createEmulator } from '@slipway/emulator/headless'
import { disconnectAll, until } from '@slipway/testing'
import { isLongForm, longIt } from '@slipway/testing/forms'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { type Client, newUser } from '../../support/api.ts'
import { useServerToKill } from '../../support/shared-server.ts'
import { endedTask, openEvents, refusalOf, startTask, taskOf } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'
import { openTerminal, terminalOf } from '../../support/tasks/terminal.ts'
import { Emulated } from '../../support/terminal/emulated.ts'

vi.setConfig({ testTimeout: 240_000 })

const SESSIONS = '/coding-agents/sessions'
/** Longest time until the interface has answered, on a busy machine, in milliseconds. */
const ANSWER_MS = 150_000
/** When keys are typed again, in milliseconds. */
const AGAIN_MS = 5_000
/** The terminal's size at its start. */
const FIRST_SIZE = { cols: 120, rows: 40 }
/** The terminal's size after the test has changed it. */
const SIZE = { cols: 100, rows: 30 }
const SCRIPT = {
  '@write': [
    { tool: 'Write', input: { file_path: '/home/developer/work/new.txt', content: 'new\n' } },
    { say: 'Written.' },
  ],
  '@typed': [{ say: 'I noted 7.' }],
}
const own = useServerToKill()
let shared = ''
beforeAll(async () => {
  shared = (await agentWithModel(own.admin, SCRIPT)).name
})
afterEach(disconnectAll)

const outputOf = async (client: Client, id: string): Promise<string> =>
  (await client.ok<CodingSessionOutput>('GET', `${SESSIONS}/${id}/output`)).output
/** The screen that its output makes. An interface writes only what changes, so its bytes are not its text. */
const screenOf = async (client: Client, id: string, size = SIZE): Promise<string> => {
  const { terminal } = createEmulator(size)
  const output = await outputOf(client, id)
  await new Promise<void>((resolve) => terminal.write(output, resolve))
  const { active } = terminal.buffer
  return Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true)).join('\n')
}
const shows = (client: Client, id: string, what: RegExp): Promise<unknown> =>
  until(`the screen to show ${what}`, async () => what.test(await screenOf(client, id, FIRST_SIZE)), ANSWER_MS)
/** Keys come again, because an interface that has just started, or that takes fast keys for a paste, loses some. */
const types = async (client: Client, id: string, data: string, what: RegExp): Promise<void> => {
  let typedAt = -Infinity
  const look = async (): Promise<boolean> => {
    if (what.test(await screenOf(client, id))) return true
    if (performance.now() - typedAt < AGAIN_MS) return false
    typedAt = performance.now()
    await client.ok('POST', `${SESSIONS}/${id}/input`, { data })
    return false
  }
  await until(`the screen to show ${what}`, look, ANSWER_MS)
}

// In the short form `../../protocol/terminal-survives.test.ts` has terminals over a killed server.
it(`works without a client,${isLongForm ? ' over a killed server,' : ''} with the person who comes, and ends with what it did`, async () => {
  const { admin } = own
  const agent = shared
  await sh(
    admin,
    agent,
    'mkdir work && cd work && git init -q && touch a && git add a && git -c user.name=t -c user.email=t@t.t commit -qm a',
  )
  await sh(
    admin,
    agent,
    `cat .claude.json | jq '.projects["/home/developer/work"] = {hasTrustDialogAccepted: true}' >c && mv c .claude.json`,
  )
  const events = await openEvents(admin)
  const body = { agent, mode: 'interactive', prompt: '@write a file', cwd: 'work' }
  const task = await startTask(admin, body)
  const { id } = task
  expect(task).toMatchObject({ state: 'running', mode: 'interactive', prompt: '@write a file', costUsd: null })
  expect(task.cliSessionId).not.toBeNull()
  expect(await refusalOf(admin, 'POST', SESSIONS, body)).toEqual([409, 'TERMINAL_OPEN'])

  // No client is attached, and the model has the prompt.
  await shows(admin, id, /Written\./)
  const live = await admin.ok<CodingSessionDiff>('GET', `${SESSIONS}/${id}/diff`)
  expect(live).toMatchObject({ live: true, files: [{ path: 'new.txt' }] })

  if (isLongForm) {
    await own.end('SIGKILL')
    await own.start()
  }
  const back = own.admin
  await shows(back, id, /Written\./)
  expect(await taskOf(back, id)).toMatchObject({ state: 'running' })

  const place = await terminalOf(back, id)
  expect(place).toMatchObject({ sessionId: id, cliSessionId: task.cliSessionId, page: `/agents/${agent}?task=${id}` })
  const terminal = await openTerminal(back, place)
  expect(terminal.sessionId).toBe(id)
  await new Emulated(terminal).shows(/Written\./)
  terminal.close(4000)
  await back.ok('POST', `${SESSIONS}/${id}/resize`, SIZE)
  await types(back, id, '@typed here', /@typed here/)
  await types(back, id, '\r', /noted 7/)

  // The second one counts only if it soon follows the first.
  const interrupt = async (): Promise<boolean> => {
    for (let times = 0; times < 2; times += 1) await back.call('POST', `${SESSIONS}/${id}/input`, { data: '\u0003' })
    return (await taskOf(back, id)).completedAt !== null
  }
  await until('the interface to end', interrupt, ANSWER_MS)
  expect(await endedTask(back, id)).toMatchObject({
    ...{ state: 'completed', reason: 'completed', exitCode: 0, costUsd: null, result: null },
    ...{ changesDetected: true, filesChanged: 1, insertions: 1 },
  })
  expect(await screenOf(back, id)).toMatch(/noted 7/)
  expect(await refusalOf(back, 'POST', `${SESSIONS}/${id}/input`, { data: 'x' })).toEqual([409, 'WRONG_STATE'])
  const created = events.received.filter(
    (event) => event.type === 'coding-agent:session:created' && event.session.id === id,
  )
  expect(created).toMatchObject([{ session: { state: 'running', mode: 'interactive' } }])
  events.close()
})

// `keyboard.test.ts` has one that ends with its agent, `backend/src/modules/runs/interactive/end.test.ts` every end.
longIt('is ended by its user, by a time limit, and with its agent', async () => {
  const { admin } = own
  const { name: agent } = await agentWithModel(admin, SCRIPT)
  const start = (more: object = {}) => startTask(admin, { agent, mode: 'interactive', ...more })

  const late = await start({ timeout_seconds: 3 })
  expect(await endedTask(admin, late.id)).toMatchObject({ state: 'failed', reason: 'timed_out', prompt: '' })

  const ended = await start()
  await admin.ok('DELETE', `${SESSIONS}/${ended.id}`)
  expect(await endedTask(admin, ended.id)).toMatchObject({ state: 'terminated', reason: 'terminated' })

  const closed = await start()
  const terminal = await openTerminal(admin, await terminalOf(admin, closed.id))
  await terminal.disconnect()
  expect(await endedTask(admin, closed.id)).toMatchObject({ state: 'terminated', reason: 'terminated' })

  const stopped = await start()
  await admin.ok('POST', `/agents/${agent}/stop`)
  expect(await endedTask(admin, stopped.id)).toMatchObject({ state: 'failed', reason: 'container_stopped' })
})

it('refuses what an interactive task cannot do, and another user who types', async () => {
  const { admin } = own
  const agent = shared
  const sharee = await newUser(admin)
  await admin.ok('POST', `/agents/${agent}/shares`, { email: sharee.email })
  const refused = (more: object) => refusalOf(admin, 'POST', SESSIONS, { agent, mode: 'interactive', ...more })
  expect(await refused({ queue: true })).toEqual([400, 'VALIDATION'])
  expect(await refused({ max_turns: 3 })).toEqual([400, 'VALIDATION'])
  expect(await refused({ cwd: '/etc' })).toEqual([400, 'VALIDATION'])
  expect(await refused({ prompt: 'x'.repeat(131_072) })).toEqual([400, 'VALIDATION'])
  expect(await refusalOf(admin, 'POST', SESSIONS, { agent })).toEqual([400, 'VALIDATION'])

  const { id } = await startTask(sharee, { agent, mode: 'interactive' })
  expect(await refusalOf(admin, 'POST', `${SESSIONS}/${id}/input`, { data: 'x' })).toEqual([403, 'FORBIDDEN'])
  expect(await refusalOf(admin, 'POST', `${SESSIONS}/${id}/terminal`)).toEqual([409, 'SESSION_IN_USE'])
  await admin.ok('DELETE', `/agents/${agent}/shares/${sharee.userId}`)
  expect(await endedTask(admin, id)).toMatchObject({ state: 'terminated', reason: 'access_revoked' })
})
