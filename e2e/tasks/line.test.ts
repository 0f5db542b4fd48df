/** Tasks that wait: in line for room, and for the end of a usage limit. */
import type { CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser } from '../support/api.ts'
import { useServerToKill } from '../support/shared-server.ts'
import { ASKED_MS, endedTask, eventsOf, startTask, taskOf } from '../support/tasks/follow.ts'
import { agentWithModel, sh } from '../support/tasks/model.ts'
import { agentWithStub } from '../support/tasks/stub.ts'

const SESSIONS = '/coding-agents/sessions'
const provider = 'claude-code'
const own = useServerToKill()

const restartAfterKill = async (): Promise<void> => {
  await own.end('SIGKILL')
  await own.start()
}

/** What the CLI does is no matter here. */
describe('a task in line', () => {
  let agent = ''
  beforeAll(async () => {
    agent = await agentWithStub(own.admin, provider)
  })

  const start = (client: Client, prompt: string, more: object = {}): Promise<CodingSession> =>
    startTask(client, { agent, provider, prompt, ...more })
  /** Starts as many tasks as a user may have. They go on once the gate is open. */
  const startAll = async (client: Client): Promise<CodingSession[]> => {
    await sh(own.admin, agent, 'rm -f go-on')
    return Promise.all([1, 2, 3].map(() => start(client, '@wait')))
  }
  const openGate = (): Promise<string> => sh(own.admin, agent, 'touch go-on')
  const DONE = { reason: 'completed', result: 'All.' }

  const startsInOrder = async (meanwhile: () => Promise<void>): Promise<void> => {
    const active = await startAll(own.admin)
    const body = { agent, provider, prompt: '@cost' }
    const refused = await own.admin.call<{ code: string }>('POST', SESSIONS, body)
    expect([refused.status, refused.body.code]).toEqual([409, 'TOO_MANY_TASKS'])

    const first = await start(own.admin, '@cost', { queue: true })
    const second = await start(own.admin, '@cost', { queue: true })
    const third = await start(own.admin, '@cost', { queue: true })
    expect(first).toMatchObject({ state: 'queued', startedAt: null, reason: null })
    await own.admin.ok('DELETE', `${SESSIONS}/${second.id}`)
    expect(await endedTask(own.admin, second.id)).toMatchObject({ reason: 'terminated', startedAt: null })

    await meanwhile()
    expect(await taskOf(own.admin, first.id)).toMatchObject({ state: 'queued' })
    // There is room for one, and for the other one only after its end.
    const [leaving, ...rest] = active
    await own.admin.ok('DELETE', `${SESSIONS}/${leaving?.id}`)
    const ended = await Promise.all([first, third].map(({ id }) => endedTask(own.admin, id)))
    for (const one of ended) expect(one).toMatchObject(DONE)
    const [began, followed] = ended.map(({ startedAt }) => Date.parse(startedAt ?? ''))
    expect(began).toBeLessThan(followed!)
    await openGate()
    for (const { id } of rest) expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed' })
  }

  it('starts when there is room, in order, and can be withdrawn', () => startsInOrder(async () => {}))

  // `killed-server.test.ts` has one task in line.
  longIt('starts so over a killed server, too', () => startsInOrder(restartAfterKill))

  it('starts at once where there is room', async () => {
    const started = await start(own.admin, '@cost', { queue: true })
    expect(started).toMatchObject({ state: 'running' })
    await endedTask(own.admin, started.id)
  })

  it('is followed from the line to its end', async () => {
    const active = await startAll(own.admin)
    const { id } = await start(own.admin, '@cost', { queue: true })
    const followed = eventsOf(own.admin, id)
    await openGate()
    expect((await followed).at(-1)).toMatchObject({ type: 'result', text: 'All.' })
    for (const one of active) await endedTask(own.admin, one.id)
  })

  it('ends when its user loses the agent', async () => {
    const sharee = await newUser(own.admin)
    await own.admin.ok('POST', `/agents/${agent}/shares`, { email: sharee.email })
    await startAll(sharee)
    const { id } = await start(sharee, '@cost', { queue: true })
    await own.admin.ok('DELETE', `/agents/${agent}/shares/${sharee.userId}`)
    expect(await endedTask(own.admin, id)).toMatchObject({
      state: 'terminated',
      reason: 'access_revoked',
      startedAt: null,
    })
  })

  it('cannot be waited for by the request itself', async () => {
    const body = { agent, provider, prompt: '@cost', queue: true }
    const { status } = await own.admin.call('POST', '/coding-agents/run', body)
    expect(status).toBe(400)
  })
})

describe('a task at a usage limit', () => {
  /** A limit that ends so long after the model was asked. */
  const limit = (seconds: number) => ({
    ...{ status: 400, error: 'invalid_request_error', say: `Claude AI usage limit reached|{in ${seconds} s}` },
  })
  /** Longer than the end of Claude Code takes on a busy machine. */
  const SOON_S = 15
  const SCRIPT = {
    '@limited': [limit(SOON_S)],
    '@later': [limit(SOON_S + 3600)],
    'usage limit is over': [{ say: 'All done.' }],
  }
  let agent = ''

  const continuesOnce = async (meanwhile: () => Promise<void>): Promise<void> => {
    agent = (await agentWithModel(own.admin, SCRIPT)).name
    const untilSeconds = Math.floor(Date.now() / 1000) + SOON_S
    const { id } = await startTask(own.admin, { agent, prompt: '@limited' })
    const isWaiting = async () => {
      const task = await taskOf(own.admin, id)
      return task.state === 'waiting' && task
    }
    const waiting = await until('the task to wait', isWaiting, ASKED_MS)
    expect(Date.parse(waiting.continuesAt ?? '')).toBeGreaterThanOrEqual(untilSeconds * 1000)
    await meanwhile()
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
  }

  it('waits for its end, and continues once in the same conversation', () => continuesOnce(async () => {}))

  // The line, from which it continues, is the database's: `killed-server.test.ts` has a task in it.
  longIt('waits for it over a killed server, too', () => continuesOnce(restartAfterKill))

  it('fails if it is not to wait', async () => {
    const { id } = await startTask(own.admin, { agent, prompt: '@later', wait_for_limit: false })
    expect(await endedTask(own.admin, id)).toMatchObject({ state: 'failed', reason: 'usage_limit' })
  })
})
