import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { as, newAgent, useTeam } from '../../../test/support/team.ts'
import { CompletedTasks } from './repository.ts'

const team = useTeam()

it('a task that has completed in an agent that commits is due, unless it could only plan', async () => {
  const { prisma } = team().database
  const name = `a-${randomUUID().slice(0, 13)}`
  const owner = as(team(), team().owner)
  const agent = (await owner('POST /agents?wait=true', newAgent(name))).json<{ id: string }>()
  const due = async (policy: string | null): Promise<unknown> => {
    const id = randomUUID()
    const run = {
      ...{ id, agentId: agent.id, agentName: name, userId: team().owner.id, provider: 'claude-code', policy },
      ...{ mode: 'auto', prompt: 'hi', cwd: '/home/developer', timeoutSeconds: 300, via: 'sign_in', viaId: 'a' },
      ...{ state: 'completed', reason: 'completed', endedAt: new Date(), createdAt: new Date(), sessionId: id },
    } as const
    await prisma.codingRun.create({ data: run })
    return new CompletedTasks(prisma).due(id)
  }
  expect(await due(null)).toBeNull()
  await owner(`PATCH /agents/${name}`, { autoCommit: true })
  const expected = { userId: team().owner.id, agentId: agent.id, via: { kind: 'sign_in', id: 'a' } }
  expect([await due(null), await due('ask'), await due('plan')]).toEqual([expected, expected, null])
})
