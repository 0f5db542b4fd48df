/** Tasks that wait: in line for room, and for the end of a usage limit. */
import type { CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { type Client, newUser } from '../support/api.ts'
import { runIn } from '../support/engine.ts'
import { useOwnServer } from '../support/own-server.ts'
import { endedTask, eventsOf, startTask, taskOf } from '../support/tasks/follow.ts'
import { agentWithModel } from '../support/tasks/model.ts'

const SESSIONS = '/coding-agents/sessions'
const GATE = '/tmp/may-go-on'
const SCRIPT = {
  '@gate': [{ say: 'Through.', gate: GATE }],
  '@silent': [{ say: 'Too late.', gate: '/tmp/never' }],
  '@quick': [{ say: 'Quick.' }],
}
const own = useOwnServer()

const restartAfterKill = async (): Promise<void> => {
  await own.end('SIGKILL')
  await own.start()
}
/** Lets the gated tasks of an agent go on. */
const openGate = (agent: string): Promise<unknown> => runIn(`${own.namespace}-agent-${agent}`, ['touch', GATE])
/** Starts as many tasks as a user may have. */
const startAll = (client: Client, agent: string, prompt: string): Promise<CodingSession[]> =>
  Promise.all([1, 2, 3].map(() => startTask(client, { agent, prompt })))

describe('a task in line', () => {
  it('starts when there is room, in order, also over a killed server, and can be withdrawn', async () => {
    const { name: agent } = await agentWithModel(own.admin, SCRIPT)
    const active = await startAll(own.admin, agent, '@gate')
    const refused = await own.admin.call<{ code: string }>('POST', SESSIONS, { agent, prompt: '@quick' })
    expect([refused.status, refused.body.code]).toEqual([409, 'TOO_MANY_TASKS'])

    const first = await startTask(own.admin, { agent, prompt: '@quick', queue: true })
    const second = await startTask(own.admin, { agent, prompt: '@quick', queue: true })
    const third = await startTask(own.admin, { agent, prompt: '@quick', queue: true })
    expect(first).toMatchObject({ state: 'queued', startedAt: null, reason: null })
    await own.admin.ok('DELETE', `${SESSIONS}/${second.id}`)
    expect(await endedTask(own.admin, second.id)).toMatchObject({ reason: 'terminated', startedAt: null })

    await restartAfterKill()
    expect(await taskOf(own.admin, first.id)).toMatchObject({ state: 'queued' })
    await openGate(agent)
    for (const { id } of active) expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed' })
    const ended = await Promise.all([first, third].map(({ id }) => endedTask(own.admin, id)))
    for (const one of ended) expect(one).toMatchObject({ reason: 'completed', result: 'Quick.' })
    const [began, followed] = ended.map(({ startedAt }) => Date.parse(startedAt ?? ''))
    expect(began).toBeLessThanOrEqual(followed!)
  })

  it('starts at once where there is room', async () => {
    const { name: agent } = await agentWithModel(own.admin, SCRIPT)
    const started = await startTask(own.admin, { agent, prompt: '@quick', queue: true })
    expect(started).toMatchObject({ state: 'running' })
    await endedTask(own.admin, started.id)
  })

  it('is followed from the line to its end', async () => {
    const { name: agent } = await agentWithModel(own.admin, SCRIPT)
    const active = await startAll(own.admin, agent, '@gate')
    const { id } = await startTask(own.admin, { agent, prompt: '@quick', queue: true })
    const followed = eventsOf(own.admin, id)
    await openGate(agent)
    expect((await followed).at(-1)).toMatchObject({ type: 'result', text: 'Quick.' })
    for (const one of active) await endedTask(own.admin, one.id)
  })

  it('ends when its user loses the agent', async () => {
    const { name: agent } = await agentWithModel(own.admin, SCRIPT)
    const sharee = await newUser(own.admin)
    await own.admin.ok('POST', `/agents/${agent}/shares`, { email: sharee.email })
    await startAll(sharee, agent, '@silent')
    const { id } = await startTask(sharee, { agent, prompt: '@quick', queue: true })
    await own.admin.ok('DELETE', `/agents/${agent}/shares/${sharee.userId}`)
    expect(await endedTask(own.admin, id)).toMatchObject({
      state: 'terminated',
      reason: 'access_revoked',
      startedAt: null,
    })
  })

  it('cannot be waited for by the request itself', async () => {
    const { name: agent } = await agentWithModel(own.admin, SCRIPT)
    const { status } = await own.admin.call('POST', '/coding-agents/run', { agent, prompt: '@quick', queue: true })
    expect(status).toBe(400)
  })
})

describe('a task at a usage limit', () => {
  const limited = (seconds: number) => ({
    '@limited': [{ status: 400, error: 'invalid_request_error', say: `Claude AI usage limit reached|${seconds}` }],
    'usage limit is over': [{ say: 'All done.' }],
  })
  const SOON_S = 15

  it('waits for its end over a killed server, and continues once in the same conversation', async () => {
    const untilSeconds = Math.floor(Date.now() / 1000) + SOON_S
    const { name: agent } = await agentWithModel(own.admin, limited(untilSeconds))
    const { id } = await startTask(own.admin, { agent, prompt: '@limited' })
    const waiting = await until('the task to wait', async () => {
      const task = await taskOf(own.admin, id)
      return task.state === 'waiting' && task
    })
    expect(Date.parse(waiting.continuesAt ?? '')).toBeGreaterThanOrEqual(untilSeconds * 1000)
    await restartAfterKill()
    expect(await endedTask(own.admin, id)).toMatchObject({
      reason: 'completed',
      result: 'All done.',
      cliSessionId: waiting.cliSessionId,
      continuesAt: null,
    })
    const all = await eventsOf(own.admin, id)
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
    const continued = all.filter((event) => event.type === 'status' && event.message.includes('usage limit is over'))
    expect(continued).toHaveLength(1)
    expect(all.at(-1)).toMatchObject({ type: 'result', text: 'All done.' })
  })

  it('fails if it is not to wait', async () => {
    const { name: agent } = await agentWithModel(own.admin, limited(Math.floor(Date.now() / 1000) + 3600))
    const { id } = await startTask(own.admin, { agent, prompt: '@limited', wait_for_limit: false })
    expect(await endedTask(own.admin, id)).toMatchObject({ state: 'failed', reason: 'usage_limit' })
  })
})
