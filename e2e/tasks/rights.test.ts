/** Who may start, see and end tasks, and how many. */
import type { CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, PASSWORD, signIn, signInAdmin } from '../support/api.ts'
import { endedTask, openEvents, refusalOf, startTask, taskOf } from '../support/tasks/follow.ts'
import { agentWithStub } from '../support/tasks/stub.ts'

const SESSIONS = '/coding-agents/sessions'

let owner: Client
let sharee: Client
let stranger: Client
let agent = ''

beforeAll(async () => {
  const admin = await signInAdmin()
  owner = await newUser(admin)
  sharee = await newUser(admin)
  stranger = await newUser(admin)
  // Rights do not depend on what a CLI does.
  agent = await agentWithStub(owner, 'claude-code')
  await owner.ok('POST', `/agents/${agent}/shares`, { email: sharee.email })
})
afterEach(async () => {
  for (const client of [owner, sharee])
    for (const { id } of await client.ok<CodingSession[]>('GET', SESSIONS)) {
      await client.call('DELETE', `${SESSIONS}/${id}`)
      await endedTask(client, id)
    }
})

describe('a task in a shared agent', () => {
  it('is seen by those who may see the agent, and ended by its user, the owner and admins', async () => {
    const { id } = await startTask(owner, { agent, prompt: '@wait' })
    expect((await taskOf(sharee, id)).id).toBe(id)
    expect(await refusalOf(stranger, 'GET', `${SESSIONS}/${id}`)).toEqual([404, 'NOT_FOUND'])
    expect(await refusalOf(stranger, 'DELETE', `${SESSIONS}/${id}`)).toEqual([404, 'NOT_FOUND'])
    expect(await refusalOf(sharee, 'DELETE', `${SESSIONS}/${id}`)).toEqual([403, 'FORBIDDEN'])
    const own = await startTask(sharee, { agent, prompt: '@wait' })
    expect((await owner.call('DELETE', `${SESSIONS}/${own.id}`)).status).toBe(202)
    expect(await endedTask(sharee, own.id)).toMatchObject({ reason: 'terminated' })
  })

  it('is told over the socket to those who may see the agent only', async () => {
    const pages = await Promise.all([sharee, stranger].map((client) => openEvents(client)))
    const [shared, foreign] = pages
    const { id } = await startTask(owner, { agent, prompt: '@cost' })
    foreign!.subscribe(id, 0)
    shared!.subscribe(id, 0)
    await until('the last of its two results', () => {
      const last = shared!.events(id).at(-1)
      return last?.type === 'result' && last.text === 'All.'
    })
    await until('its end', () =>
      shared!.received.some((one) => 'sessionId' in one && one.sessionId === id && one.type.endsWith(':exit')),
    )
    const told = foreign!.received.filter((one) => one.type.startsWith('coding-agent'))
    expect(told).toEqual([{ type: 'coding-agent:session:error', sessionId: id, error: expect.any(String) as string }])
    for (const page of pages) page.close()
  })

  it('ends when the share of its user is revoked', async () => {
    const other = await newUser(await signInAdmin())
    await owner.ok('POST', `/agents/${agent}/shares`, { email: other.email })
    const { id } = await startTask(other, { agent, prompt: '@wait' })
    await owner.ok('DELETE', `/agents/${agent}/shares/${other.userId}`)
    expect(await endedTask(owner, id)).toMatchObject({ state: 'terminated', reason: 'access_revoked' })
    expect(await refusalOf(other, 'GET', `${SESSIONS}/${id}`)).toEqual([404, 'NOT_FOUND'])
  })
})

describe('a task without a terminal', () => {
  it('takes no input and no size, and only its user is told why', async () => {
    const { id } = await startTask(owner, { agent, prompt: '@wait' })
    const input = { data: 'y\r' }
    const size = { cols: 80, rows: 24 }
    expect(await refusalOf(owner, 'POST', `${SESSIONS}/${id}/input`, input)).toEqual([409, 'NOT_INTERACTIVE'])
    expect(await refusalOf(owner, 'POST', `${SESSIONS}/${id}/resize`, size)).toEqual([409, 'NOT_INTERACTIVE'])
    expect(await refusalOf(sharee, 'POST', `${SESSIONS}/${id}/input`, input)).toEqual([403, 'FORBIDDEN'])
    expect(await refusalOf(stranger, 'POST', `${SESSIONS}/${id}/resize`, size)).toEqual([404, 'NOT_FOUND'])

    const page = await openEvents(owner)
    page.send({ type: 'coding-agent:input', sessionId: id, ...input })
    page.send({ type: 'coding-agent:resize', sessionId: id, ...size })
    const refusals = () => page.received.filter(({ type }) => type === 'coding-agent:session:error')
    await until('both refusals', () => refusals().length === 2)
    const error = expect.stringContaining('without a terminal') as string
    for (const refusal of refusals())
      expect(refusal).toEqual({ type: 'coding-agent:session:error', sessionId: id, error })
    page.close()
    expect(await taskOf(owner, id)).toMatchObject({ state: 'running' })
  })
})

/** The list also has those that ended a short time ago. */
const activeTasks = async (): Promise<CodingSession[]> =>
  (await owner.ok<CodingSession[]>('GET', SESSIONS)).filter(({ completedAt }) => completedAt === null)

describe('the tasks of a user', () => {
  it('are at most three at a time', async () => {
    for (let count = 0; count < 3; count += 1) await startTask(owner, { agent, prompt: '@wait' })
    expect(await refusalOf(owner, 'POST', SESSIONS, { agent, prompt: '@wait' })).toEqual([409, 'TOO_MANY_TASKS'])
    expect(await activeTasks()).toHaveLength(3)
  })

  it('go on after the user has signed out', async () => {
    const other = await signIn(owner.email, PASSWORD)
    const { id } = await startTask(other, { agent, prompt: '@wait' })
    expect((await other.call('POST', '/auth/logout')).status).toBe(204)
    expect((await other.call('GET', '/users/me')).status).toBe(401)
    expect(await taskOf(owner, id)).toMatchObject({ state: 'running' })
  })

  it('end with the API token that started them', async () => {
    const { id: tokenId, token } = await owner.apiToken('tasks:read', 'tasks:write')
    const program = owner.with(token)
    const { id } = await startTask(program, { agent, prompt: '@wait' })
    expect(await taskOf(program, id)).toMatchObject({ state: 'running' })
    await owner.ok('DELETE', `/tokens/${tokenId}`)
    expect(await endedTask(owner, id)).toMatchObject({ state: 'terminated', reason: 'access_revoked' })
  })

  it('are refused with a sentence that says what is wrong', async () => {
    const refused = async (body: object) => {
      const { status, body: answer } = await owner.call<{ message: string }>('POST', SESSIONS, body)
      return [status, answer.message]
    }
    const prompt = '@cost'
    expect(await refused({ agent, prompt: '  ' })).toEqual([400, expect.stringContaining('prompt') as string])
    expect(await refused({ agent, prompt, provider: 'bash' })).toEqual([400, 'body.provider: bash cannot run tasks'])
    expect(await refused({ agent, prompt, cwd: '/etc' })).toEqual([400, expect.stringContaining('body.cwd') as string])
    expect(await refused({ agent, prompt, model: '--help' })).toEqual([400, expect.stringContaining('model') as string])
    expect(await refused({ agent, prompt, timeout_seconds: 1801 })).toEqual([400, expect.any(String)])
    expect(await refused({ agent: 'no-such-agent', prompt })).toEqual([404, expect.any(String)])
  })

  it('need no name of an agent where there is one', async () => {
    const { id, agent: name } = await startTask(owner, { prompt: '@cost' })
    expect(name).toBe(agent)
    await endedTask(owner, id)
    const { status, body } = await stranger.call<{ message: string }>('POST', SESSIONS, { prompt: '@cost' })
    expect([status, body.message]).toEqual([400, expect.stringContaining('body.agent') as string])
  })

  it('are started once by a request that is sent twice with one key', async () => {
    const send = () =>
      fetch(`${owner.baseUrl}/api${SESSIONS}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${owner.token}`,
          'content-type': 'application/json',
          'idempotency-key': `of-${agent}`,
        },
        body: JSON.stringify({ agent, prompt: '@wait' }),
      })
    const first = (await (await send()).json()) as CodingSession
    const again = (await (await send()).json()) as CodingSession
    expect(again.id).toBe(first.id)
    expect(await activeTasks()).toHaveLength(1)
  })
})
