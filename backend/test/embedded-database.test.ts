/**
 * Runs every module once on the embedded database, with everything that writes or lists. All other tests use
 * PostgreSQL.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { ACTS } from './audit/acts/all.ts'
import { TABLE } from './rights/table.ts'
import { PEOPLE } from './rights/who.ts'
import { MemoryEngine } from './support/engine/memory-engine.ts'
import { call, type Call } from './support/people/people.ts'
import { systemAgentSettled, useTeam } from './support/people/team.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime, embedded: true })
beforeAll(() => systemAgentSettled(team()))

/** Routes that an admin may read without owning anything. */
const READ = TABLE.filter(([route, , answers, asking]) => {
  const isPlain = route.startsWith('GET /api/') && !route.includes(':') && asking === undefined
  return isPlain && answers[PEOPLE.indexOf('admin')] === 200
}).map(([route]) => route.replace(' /api', ' ') as Call)

describe('on the embedded database', () => {
  it('the tests of this file run', () => {
    expect(team().database.embedded).toBe(true)
  })

  it.each(ACTS)('there is %s', async (_name, answered, prepare) => {
    const { perform } = await prepare(team())
    expect((await perform()).status).toBe(answered)
  })

  it.each(READ)('%s is answered', async (route) => {
    expect((await call(team().app, route, { token: team().admin.token })).statusCode).toBe(200)
  })

  it('a request that is sent again has its first answer', async () => {
    const body = { name: 'sent-twice', runtime: 'bash' }
    const send = () =>
      call(team().app, 'POST /agents', { token: team().owner.token, body, headers: { 'idempotency-key': 'once' } })
    const [first, second] = [await send(), await send()]
    expect([first.statusCode, second.statusCode]).toEqual([201, 201])
    expect(second.json()).toMatchObject({ id: first.json<{ id: string }>().id })
  })
})
