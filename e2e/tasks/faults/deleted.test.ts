/** Tasks end at once when what they depend on is deleted, wherever they are: active, in line, or waiting. */
import type { AuditEvent, CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inLongForm } from '@slipway/testing/forms'
import { beforeAll, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { processesIn } from '../../support/engine.ts'
import { endedTask, startTask, taskOf } from '../../support/tasks/follow.ts'
import { agentWithModel } from '../../support/tasks/model.ts'

/** Longest time from the request to the stored end on a busy machine, in milliseconds. An idle one takes less than two seconds. */
const WITHIN_MS = 10_000
/** Longest start of a CLI on a busy machine, in milliseconds. */
const STARTED_MS = 120_000
const HOUR_SECONDS = 3_600

let admin: Client
beforeAll(async () => {
  admin = await signInAdmin()
})

interface Tasks {
  readonly active: readonly CodingSession[]
  readonly queued: CodingSession
  readonly waiting: CodingSession
}

/** An agent whose model never answers, or says that the account is at its limit. */
const newAgent = async (owner: Client): Promise<string> => {
  const limit = `Claude AI usage limit reached|${Math.floor(Date.now() / 1_000) + HOUR_SECONDS}`
  const script = {
    '@silent': [{ say: 'Too late.', gate: '/tmp/never' }],
    '@limited': [{ status: 400, error: 'invalid_request_error', say: limit }],
  }
  return (await agentWithModel(owner, script)).name
}

/** One task that waits for the end of a limit, as many active ones as a user may have, and one behind them. */
const startAll = async (client: Client, agent: string): Promise<Tasks> => {
  const { id } = await startTask(client, { agent, prompt: '@limited' })
  const waiting = await until(
    'the task to wait',
    async () => {
      const task = await taskOf(client, id)
      return task.state === 'waiting' && task
    },
    STARTED_MS,
  )
  const active = await Promise.all([1, 2, 3].map(() => startTask(client, { agent, prompt: '@silent' })))
  const queued = await startTask(client, { agent, prompt: '@silent', queue: true })
  expect(queued.state).toBe('queued')
  return { active, queued, waiting }
}
const all = ({ active, queued, waiting }: Tasks): readonly CodingSession[] => [...active, queued, waiting]

/** The reasons of the recorded ends of a task, the last one first. One that waits has recorded the end of its process before. */
const recorded = async (id: string): Promise<unknown[]> => {
  const { items } = await admin.ok<{ items: AuditEvent[] }>('GET', '/audit?action=task.ended&limit=100')
  return items.flatMap(({ detail }) => (detail['sessionId'] === id ? [detail['reason']] : []))
}

/** Expects that the tasks have ended in time, and that their ends are recorded. */
const expectEnded = async (tasks: Tasks, since: number, reason: string, seen: Client): Promise<void> => {
  for (const { id } of all(tasks)) {
    const task = await endedTask(seen, id)
    expect(task).toMatchObject({ state: 'terminated', reason })
    expect(Date.parse(task.completedAt ?? '') - since).toBeLessThan(WITHIN_MS)
    await expect.poll(async () => (await recorded(id))[0]).toBe(reason)
  }
}
/** No CLI is left in the agent's container. */
const expectNoCli = (agent: string): Promise<void> =>
  expect
    .poll(async () => {
      const commands = await processesIn(`${inject('namespace')}-agent-${agent}`)
      return commands.filter((command) => command.includes('claude '))
    })
    .toEqual([])

type Lose = (scene: { owner: Client; agent: string; user: Client; tokenId: string }) => Promise<unknown>

it.each<[what: string, lose: Lose]>([
  // In the short form `../rights.test.ts` has both, and `../line.test.ts` for a task in line.
  ...inLongForm<[string, Lose]>([
    ['share of their user', ({ owner, agent, user }) => owner.ok('DELETE', `/agents/${agent}/shares/${user.userId}`)],
    ['API token that started them', ({ user, tokenId }) => user.ok('DELETE', `/tokens/${tokenId}`)],
  ]),
])('tasks end with the %s', async (what, lose) => {
  const owner = await newUser(admin)
  const user = await newUser(admin)
  const agent = await newAgent(owner)
  await owner.ok('POST', `/agents/${agent}/shares`, { email: user.email })
  const { id: tokenId, token } = await user.apiToken('tasks:read', 'tasks:write')
  const tasks = await startAll(what.includes('token') ? user.with(token) : user, agent)
  const since = Date.now()
  await lose({ owner, agent, user, tokenId })
  await expectEnded(tasks, since, 'access_revoked', owner)
  await expectNoCli(agent)
})

it('tasks are gone with their user, and the ends of the active ones are recorded', async () => {
  const owner = await newUser(admin)
  const user = await newUser(admin)
  const agent = await newAgent(owner)
  await owner.ok('POST', `/agents/${agent}/shares`, { email: user.email })
  const tasks = await startAll(user, agent)
  await admin.ok('DELETE', `/users/${user.userId}`)
  for (const { id } of all(tasks)) expect((await owner.call('GET', `/coding-agents/sessions/${id}`)).status).toBe(404)
  for (const { id } of tasks.active) await expect.poll(() => recorded(id)).toEqual(['access_revoked'])
  await expectNoCli(agent)
})

it('tasks end with their agent, and their users still see what came of them', async () => {
  const owner = await newUser(admin)
  const agent = await newAgent(owner)
  const tasks = await startAll(owner, agent)
  const since = Date.now()
  await owner.ok('DELETE', `/agents/${agent}`)
  await expectEnded(tasks, since, 'agent_deleted', owner)
})
