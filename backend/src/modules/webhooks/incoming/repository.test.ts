/** What becomes of a call whose webhook is changed while it is taken. */
import { randomUUID } from 'node:crypto'
import type { CreatedIncomingHook } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import type { Person } from '../../../../test/support/people/people.ts'
import { as } from '../../../../test/support/people/team.ts'
import { BASE, useIncomingHooks } from '../../../../test/support/webhooks/incoming.ts'
import { createIds } from '../../../lib/ids.ts'
import { silentLog } from '../../../lib/log.ts'
import { AgentRepository } from '../../agents/repository.ts'
import type { Found } from '../../agents/service.ts'
import { PLATFORM } from '../../audit/actor.ts'
import { createAudit } from '../../audit/audit.ts'
import type { NewRun } from '../../runs/new-run.ts'
import type { HookVault } from '../vault.ts'
import { type CalledHook, IncomingRepository, type Starting } from './repository.ts'

const { team, ok, someUser, agentOf, hookOf, get, runsOf } = useIncomingHooks()

const audit = () => {
  const { database, clock } = team()
  return createAudit({ prisma: database.prisma, clock, newId: createIds(clock), log: silentLog })
}
/** It seals nothing here. */
const repository = () => new IncomingRepository(team().database.prisma, audit(), {} as HookVault)
const read = async ({ id }: CreatedIncomingHook): Promise<CalledHook> => (await repository().byId(id))!

/** A task that a call of the webhook is to start now. */
const starting = async (owner: Person, row: CalledHook): Promise<Starting> => {
  const { database, clock } = team()
  const agent = (await new AgentRepository(database.prisma, audit(), 'slipway').byId(row.agentId))!
  const user = { userId: owner.id, email: owner.email, role: 'user', source: PLATFORM.source } as const
  const found: Found = { caller: { ...user, via: { kind: 'user', userId: owner.id } }, row: agent, relation: 'owner' }
  const id = randomUUID()
  const at = new Date(clock.now())
  const run: NewRun = {
    ...{ id, agentId: agent.id, agentName: agent.name, userId: owner.id, provider: 'codex', displayName: null },
    ...{ outputFormat: null, mode: 'auto', prompt: 'hi', cwd: '/home/developer', model: null, timeoutSeconds: 300 },
    ...{ maxTurns: null, maxBudgetUsd: null, resumed: null, cliSessionId: null, sessionId: id },
    ...{ via: 'user', viaId: owner.id, queue: true, waitsForLimit: true, createdAt: at },
  }
  return { plan: { run, found }, actor: PLATFORM, at }
}

describe('a call in flight', () => {
  it.each([
    ['deleted', 'DELETE', '', undefined],
    ['switched off', 'PATCH', '', { enabled: false }],
    ['rotated', 'POST', '/rotate', undefined],
  ] as const)('starts no task once its webhook is %s', async (_, method, path, body) => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    const row = await read(hook)
    await ok(owner, `${method} ${BASE}/${hook.id}${path}`, body)
    await expect(repository().start(row, await starting(owner, row))).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await runsOf(owner)).toEqual([])
    await repository().refused(row, 'for the test', new Date(team().clock.now()))
    expect((await as(team(), owner)(`GET ${BASE}/${hook.id}`)).body).not.toContain('for the test')
  })

  it('starts its task if only the name of its webhook was changed', async () => {
    const owner = await someUser()
    const hook = await hookOf(owner)
    const row = await read(hook)
    await ok(owner, `PATCH ${BASE}/${hook.id}`, { name: 'Renamed' })
    expect(await repository().start(row, await starting(owner, row))).toBe(true)
    expect(await runsOf(owner)).toHaveLength(1)
  })
})

it('an incoming webhook whose right was lost stays on if its user moves it to another agent at the same time', async () => {
  const owner = await someUser()
  const hook = await hookOf(owner)
  const row = await read(hook)
  await ok(owner, `PATCH ${BASE}/${hook.id}`, { agent: await agentOf(owner) })
  await repository().disable(row, 'for the test', new Date(team().clock.now()))
  expect(await get(owner, hook)).toMatchObject({ enabled: true })
  await repository().disable(await read(hook), 'for the test', new Date(team().clock.now()))
  expect(await get(owner, hook)).toMatchObject({ enabled: false, disabledBecause: 'for the test' })
})
