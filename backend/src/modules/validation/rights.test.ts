/** Nothing is run in the name of a user who may not validate any more, however long the validation has waited. */
import { randomUUID } from 'node:crypto'
import type { CreatedApiToken, Validation } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { expect, it } from 'vitest'
import { ENDLESS, MemoryEngine } from '../../../test/support/engine/memory-engine.ts'
import { addPerson, call, type Person } from '../../../test/support/people/people.ts'
import { as, newAgent, type Team, useTeam } from '../../../test/support/people/team.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })

/** A user of an agent of the owner, with the token that they validate with, and how they lose the right. */
interface Validating {
  readonly token: string
  lose(): Promise<{ readonly statusCode: number }>
}

const invited = async ({ admin, owner }: Team, agent: string): Promise<Person> => {
  const person = await addPerson(team(), admin, `u-${randomUUID()}@example.org`)
  await as(team(), owner)(`POST /agents/${agent}/shares`, { email: person.email })
  return person
}

const LOSSES: [string, (agent: string) => Promise<Validating>][] = [
  [
    'the share ends',
    async (agent) => {
      const { id, token } = await invited(team(), agent)
      return { token, lose: () => as(team(), team().owner)(`DELETE /agents/${agent}/shares/${id}`) }
    },
  ],
  [
    'the user is disabled',
    async (agent) => {
      const { id, token } = await invited(team(), agent)
      return { token, lose: () => as(team(), team().admin)(`PATCH /users/${id}`, { disabled: true }) }
    },
  ],
  [
    'the user signs out',
    async (agent) => {
      const person = await invited(team(), agent)
      return { token: person.token, lose: () => as(team(), person)('POST /auth/logout') }
    },
  ],
  [
    'the API token is revoked',
    async () => {
      const owner = as(team(), team().owner)
      const body = { name: `t-${randomUUID()}`, scopes: ['tasks:read', 'tasks:write', 'terminal'], expiresInDays: 1 }
      const { id, token } = (await owner('POST /tokens', body)).json<CreatedApiToken>()
      return { token, lose: () => owner(`DELETE /tokens/${id}`) }
    },
  ],
]

/** A task of the owner that has ended. Answers the path of its validation. */
const endedTask = async (agentName: string) => {
  const { prisma } = team().database
  const agent = await prisma.agent.findUniqueOrThrow({ where: { name: agentName } })
  const id = randomUUID()
  const of = { id, sessionId: id, agentId: agent.id, agentName, userId: team().owner.id, personal: false }
  const what = { provider: 'claude-code', mode: 'pty', prompt: 'hi', cwd: '/home/developer', timeoutSeconds: 300 }
  await prisma.codingRun.create({
    data: { ...of, ...what, state: 'completed', reason: 'completed', endedAt: new Date() },
  })
  return `/coding-agents/sessions/${id}/validation` as const
}

it.each(LOSSES)(
  'a validation waits longer than its user has the right: it runs no command if %s',
  async (_what, validating) => {
    const { app, owner, database } = team()
    const agent = `a-${randomUUID().slice(0, 13)}`
    await as(team(), owner)('POST /agents?wait=true', newAgent(agent))
    const { token, lose } = await validating(agent)
    const [first, second] = [await endedTask(agent), await endedTask(agent)]
    const start = (path: `/${string}`, command: string) => call(app, `POST ${path}`, { token, body: { command } })
    const programs = () => database.prisma.auditEvent.count({ where: { action: 'exec.started', targetName: agent } })
    expect((await start(first, ENDLESS)).statusCode).toBe(202)
    expect((await start(second, 'echo hi')).statusCode).toBe(202)
    await until('the command of the first one', async () => (await programs()) === 1)
    expect((await lose()).statusCode).toBeLessThan(300)
    const ended = (path: string): Promise<Validation> =>
      until('the end of the validation', async () => {
        const now = (await as(team(), owner)(`GET ${path as `/${string}`}`)).json<Validation>()
        return now.endedAt !== null && now
      })
    const verdict = { state: 'not_verified', reason: 'not_started' }
    expect([await ended(first), await ended(second)]).toMatchObject([verdict, verdict])
    expect(await programs()).toBe(1)
  },
)
