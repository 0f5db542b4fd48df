/** A server for a whole test file, with users: an admin, an owner of agents, a colleague and a stranger. */
import type { Agent, CreateAgent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { afterAll, beforeAll } from 'vitest'
import { bootApp, type TestApp, type TestAppOptions } from '../server/app.ts'
import { openTestDatabase } from '../database/test-database.ts'
import { addPerson, type Call, call, type Person, setUpAdmin } from './people.ts'

/** Longest time for the first start of the system agent while other tests run, in milliseconds. */
const SYSTEM_AGENT_MS = 120_000

/** A server with its users. */
export interface Team extends TestApp {
  readonly admin: Person
  readonly owner: Person
  readonly colleague: Person
  readonly stranger: Person
}

/** Nothing is emptied between tests. Each test makes its own agents. */
export function useTeam(options: TestAppOptions = {}): () => Team {
  let team: Team | undefined
  const get = (): Team => {
    if (!team) throw new Error('the team is there inside of tests only')
    return team
  }
  beforeAll(async () => {
    const server = await bootApp(await openTestDatabase(options), options)
    const admin = await setUpAdmin(server)
    const add = (name: string) => addPerson(server, admin, `${name}@example.org`)
    team = {
      ...server,
      admin,
      owner: await add('owner'),
      colleague: await add('colleague'),
      stranger: await add('stranger'),
    }
  })
  afterAll(async () => {
    if (!team) return
    await systemAgentSettled(team)
    await team.app.close()
    await team.database.close()
  })
  return get
}

/** Resolves when the first start of the system agent has succeeded or failed. */
export async function systemAgentSettled({ app, admin }: Pick<Team, 'app' | 'admin'>): Promise<Agent> {
  const settled = async (): Promise<Agent | null> => {
    const agent = (await call(app, 'GET /system-agent', { token: admin.token })).json<Agent>()
    return agent.state !== 'creating' && agent.state !== 'starting' ? agent : null
  }
  return until('the system agent', settled, SYSTEM_AGENT_MS)
}

/** Settings of a small agent. */
export const newAgent = (name: string, change: Partial<CreateAgent> = {}): CreateAgent => ({
  name,
  runtime: 'claude-code',
  cpus: 1,
  memoryMb: 256,
  ...change,
})

/** Sends requests as one user. */
export const as =
  ({ app }: Pick<TestApp, 'app'>, { token }: Person) =>
  (what: Call, body?: object) =>
    call(app, what, { token, body })
