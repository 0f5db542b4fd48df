/** Keys and sizes of interactive tasks over `WS /api/events`, and the end with the agent. Their CLI is a shell. */
import type { CodingSessionOutput } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { endedTask, openEvents, startTask } from '../../support/tasks/follow.ts'
import { sh } from '../../support/tasks/model.ts'

const SESSIONS = '/coding-agents/sessions'
/** It takes the place of Claude Code. */
const SHELL = `#!/bin/sh
[ "$1" != --version ] || exec echo 1.2.3
PS1='ready ' exec sh -i
`
/** Longest start of a terminal on a busy machine, in milliseconds. */
const STARTED_MS = 120_000

let owner: Client
let agent = ''
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
})
beforeEach(async () => {
  agent = (await owner.agent()).name
  await sh(owner, agent, 'mkdir -p .local/bin')
  await owner.upload(agent, '.local/bin/claude', SHELL)
  await sh(owner, agent, 'chmod +x .local/bin/claude')
})

const prints = async (id: string, what: RegExp): Promise<void> => {
  const output = async () => (await owner.ok<CodingSessionOutput>('GET', `${SESSIONS}/${id}/output`)).output
  await until(`the terminal to print ${what}`, async () => what.test(await output()), STARTED_MS)
}

it('types the keys of a page in their order, sets the size, and refuses both to another user', async () => {
  const sharee = await newUser(await signInAdmin())
  await owner.ok('POST', `/agents/${agent}/shares`, { email: sharee.email })
  const { id: sessionId } = await startTask(owner, { agent, mode: 'interactive' })
  await prints(sessionId, /ready $/)
  const [page, foreign] = await Promise.all([openEvents(owner), openEvents(sharee)])
  const refusals = (from: typeof page) => from.received.filter(({ type }) => type === 'coding-agent:session:error')

  foreign.send({ type: 'coding-agent:input', sessionId, data: 'exit 4\r' })
  foreign.send({ type: 'coding-agent:resize', sessionId, cols: 20, rows: 20 })
  await until('both refusals', () => refusals(foreign).length === 2)
  expect(refusals(foreign)[0]).toMatchObject({ sessionId, error: expect.stringContaining('Only the user') as string })

  page.send({ type: 'coding-agent:resize', sessionId, cols: 101, rows: 33 })
  for (const key of 'stty size\r') page.send({ type: 'coding-agent:input', sessionId, data: key })
  await prints(sessionId, /33 101/)
  page.send({ type: 'coding-agent:input', sessionId, data: 'exit\r' })
  expect(await endedTask(owner, sessionId)).toMatchObject({ state: 'completed', exitCode: 0 })
  expect(refusals(page)).toEqual([])

  page.send({ type: 'coding-agent:input', sessionId, data: 'too late' })
  await until('the refusal', () => refusals(page).length === 1)
  expect(refusals(page)).toMatchObject([{ sessionId, error: 'The task has ended.' }])
  page.close()
  foreign.close()
})

it('ends with its agent, and keeps its output', async () => {
  const { id } = await startTask(owner, { agent, mode: 'interactive' })
  await prints(id, /ready $/)
  await owner.ok('DELETE', `/agents/${agent}`)
  expect(await endedTask(owner, id)).toMatchObject({ state: 'terminated', reason: 'agent_deleted' })
  await prints(id, /ready /)
})
