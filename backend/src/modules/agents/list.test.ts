import { randomUUID } from 'node:crypto'
import type { Agent, Share } from '@slipway/protocol'
import { beforeAll, describe, expect, it } from 'vitest'
import { addPerson, type Call } from '../../../test/support/people/people.ts'
import { somePreparation } from '../../../test/support/stored/preparations.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'
import { ActivityRepository } from './state/activity-repository.ts'

const team = useTeam()
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)

interface Listed<T> {
  items: T[]
  nextCursor: string | null
}

/** Follows the cursors to the end. */
const pages = async <T>(path: string, limit: number): Promise<T[][]> => {
  const found: T[][] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: Listed<T> = (await owner(`GET ${path}?limit=${limit}${query}` as Call)).json<Listed<T>>()
    found.push(page.items)
    cursor = page.nextCursor
  }
  return found
}

beforeAll(async () => {
  for (const name of ['e', 'a', 'd', 'b', 'c']) await owner('POST /agents?wait=true', newAgent(name))
})

describe('the list of agents', () => {
  it('comes in pages, in the order of the names, with the settings of each', async () => {
    const names = (await pages<Agent>('/agents', 2)).map((page) => page.map(({ name }) => name))
    expect(names).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect(await pages<Agent>('/agents', 5)).toHaveLength(1)
  })

  it('goes on where it was although agents came and went', async () => {
    const first = (await owner('GET /agents?limit=2')).json<Listed<Agent>>()
    await owner('POST /agents?wait=true', newAgent('aa'))
    await team().database.prisma.agent.delete({ where: { name: 'b' } })
    const next = (await owner(`GET /agents?limit=2&cursor=${first.nextCursor ?? ''}`)).json<Listed<Agent>>()
    expect(next.items.map(({ name }) => name)).toEqual(['c', 'd'])
  })

  it('says when something last happened, and the branch of what an agent begins with, as the database knows it', async () => {
    const { prisma } = team().database
    const { id, ownerId } = await prisma.agent.findUniqueOrThrow({ where: { name: 'd' } })
    const at = (hour: number): Date => new Date(Date.UTC(2026, 0, 1, hour))
    const of = { agentId: id, userId: ownerId ?? '', mode: 'bash' }
    await prisma.terminalSession.createMany({
      data: [
        { id: randomUUID(), ...of, startedAt: at(1), endedAt: at(9) },
        { id: randomUUID(), ...of, startedAt: at(8), endedAt: at(8) },
      ],
    })
    await somePreparation(team().database, id, 'ready')
    await prisma.agentPreparation.update({ where: { agentId: id }, data: { branch: 'main', changedAt: at(3) } })
    const past = await new ActivityRepository(prisma).all()
    const repository = { folder: 'api', branch: 'main', seenAt: at(3) }
    expect(past.filter(({ agentId }) => agentId === id)).toEqual([{ agentId: id, lastAt: at(9), repository }])
    expect((await owner('GET /agents/e')).json()).toMatchObject({
      ...{ lastActivityAt: null, branch: null, tasksAtWork: 0 },
    })
  })

  it.each(['limit=0', 'limit=501', 'limit=x', 'cursor=', 'cursor=%00', 'cursor=AA', 'cursor=a%20b', 'colour=red'])(
    'is refused with the query %s, and never breaks',
    async (query) => {
      expect((await owner(`GET /agents?${query}`)).json()).toMatchObject({ statusCode: 400, code: 'VALIDATION' })
    },
  )
})

describe('the list of shares', () => {
  it('comes in pages, too, and takes its own cursors alone', async () => {
    for (const name of ['x', 'y', 'z']) {
      const person = await addPerson(team(), team().admin, `${name}@example.org`)
      await owner('POST /agents/a/shares', { email: person.email })
    }
    const found = await pages<Share>('/agents/a/shares', 2)
    expect(found.map((page) => page.length)).toEqual([2, 1])
    expect(new Set(found.flat().map(({ email }) => email))).toEqual(
      new Set(['x@example.org', 'y@example.org', 'z@example.org']),
    )
    for (const cursor of ['abc', '%00', Buffer.from('not an id').toString('base64url')])
      expect((await owner(`GET /agents/a/shares?cursor=${cursor}`)).statusCode).toBe(400)
  })
})
