/**
 * On every route, a missing thing and a forbidden one cost a stranger the same queries. So the time of an answer does
 * not tell them apart. The test counts queries, because one query more is lost in the noise of a busy machine.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countStatements } from '../support/database/statements.ts'
import { addressOf } from '../support/server/listener.ts'
import { MemoryEngine } from '../support/engine/memory-engine.ts'
import type { Person } from '../support/people/people.ts'
import { systemAgentSettled, useTeam } from '../support/people/team.ts'
import { ask, talk } from './ask.ts'
import { Scene } from './scene/scene.ts'
import { type Asking, type Row, TABLE } from './table.ts'

/** Number of tries. The first may fill a cache, and the server's own work only adds to what a socket sends. */
const TRIES = 4

const engine = new MemoryEngine()
const team = useTeam({ runtime: engine.runtime })
const statements = countStatements()
let scene: Scene
let address: string

beforeAll(async () => {
  await systemAgentSettled(team())
  address = await addressOf(team())
  scene = new Scene(
    { ...team(), sharee: team().colleague, engine, askers: [], signedIn: () => Promise.resolve(team().owner.token) },
    'owner',
  )
})
afterAll(() => statements.restore())

/** How many statements the server sends to the database for a request about `target`. */
const queriesFor = async (row: Row, target: string, { token }: Person): Promise<number> => {
  const [method = '', pattern = ''] = row[0].split(' ')
  const path = scene.fill(pattern, target, row[3])
  const counts: number[] = []
  for (let i = 0; i < TRIES; i++) {
    const body = await row[3]?.body?.(scene)
    statements.all()
    await (method === 'WS' ? talk(address, path, token) : ask(address, { method, path, token, body }))
    counts.push(method === 'WS' ? statements.all() : statements.ofRequests())
  }
  return Math.min(...counts)
}
const theirs = async ({ target }: Asking = {}): Promise<string> => (target ? target(scene) : scene.agent())
const nobodys = (row: Row): string => (row[0].includes(':name') ? scene.newName() : randomUUID())
const rowOf = (route: string): Row => TABLE.find(([one]) => one === route)!

describe('what is missing and what a stranger must not know of cost the same queries, on', () => {
  it.each(TABLE.filter(([route]) => /\/:(name|id)/.test(route)).map((row) => [row[0], row] as const))(
    '%s',
    async (_route, row) => {
      const forbidden = await queriesFor(row, await theirs(row[3]), team().stranger)
      expect(forbidden).toBe(await queriesFor(row, nobodys(row), team().stranger))
    },
  )
})

describe('a user with whom an agent is shared', () => {
  it('cannot tell either whether there is a recording that is not shared', async () => {
    const id = await scene.recording()
    await team().database.prisma.recording.update({ where: { id }, data: { shared: false } })
    const row = rowOf('GET /api/recordings/:id')
    const missing = await queriesFor(row, randomUUID(), team().colleague)
    expect(await queriesFor(row, id, team().colleague)).toBe(missing)
    expect(await queriesFor(row, id, team().owner), 'a query more would be seen').toBeGreaterThan(missing)
  })
})
