import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'
import { RunRepository } from '../runs/repository.ts'
import { NO_EVIDENCE } from './plan/plan.ts'
import { ValidationRepository } from './repository.ts'

const team = useTeam()
const prisma = () => team().database.prisma
const validations = (): ValidationRepository => new ValidationRepository(prisma())
const stateOf = async (id: string) => {
  const run = await prisma().codingRun.findUniqueOrThrow({ where: { id }, include: { evidence: true } })
  return [run.validation, run.evidence?.state, run.evidence?.reason, run.workedMs]
}
const attempt = (runId: string) => ({ runId, attempt: randomUUID() })
const START = new Date('2026-01-01T00:00:00Z')

/** A run whose program runs, by default with a gate. */
const someRun = async (gateRepairs: number | null = 2): Promise<string> => {
  const name = `a-${randomUUID().slice(0, 13)}`
  const agent = (await as(team(), team().owner)('POST /agents?wait=true', newAgent(name))).json<{ id: string }>()
  const id = randomUUID()
  const run = {
    ...{ id, agentId: agent.id, agentName: name, userId: team().owner.id, provider: 'claude-code' },
    mode: 'auto',
    ...{ displayName: null, outputFormat: null, prompt: 'hi', cwd: '/home/developer', model: null, resumed: null },
    ...{ timeoutSeconds: 300, maxTurns: null, maxBudgetUsd: null, cliSessionId: null, createdAt: START },
    via: 'user',
    ...{ sessionId: randomUUID(), viaId: team().owner.id, queue: false, waitsForLimit: true },
    ...{ gateRepairs, validate: { timeoutSeconds: 60 } },
    validation: 'waiting',
  } as const
  await new RunRepository(prisma()).create(run, 'starting')
  return id
}
const end = (id: string) => prisma().codingRun.update({ where: { id }, data: { state: 'failed', endedAt: new Date() } })

describe('the validation of a run with a gate', () => {
  it('begins while the run goes on, also a second time, and keeps how long the run has run', async () => {
    const id = await someRun()
    const begun = await validations().beginAtGate(attempt(id), { id, generation: 1 }, 1_234, START)
    expect(begun).toMatchObject({ run: { id }, options: { timeoutSeconds: 60 } })
    expect(await stateOf(id)).toEqual(['running', 'running', null, 1_234])
    const again = attempt(id)
    expect(await validations().beginAtGate(again, { id, generation: 1 }, 1_234, START)).not.toBeNull()
    await validations().end(again, { state: 'failed', reason: null }, NO_EVIDENCE, new Date())
    expect(await stateOf(id)).toEqual(['failed', 'failed', null, 1_234])
  })

  it('does not begin for another server, or after the end of the run', async () => {
    const id = await someRun()
    expect(await validations().beginAtGate(attempt(id), { id, generation: 2 }, 0, START)).toBeNull()
    await end(id)
    expect(await validations().beginAtGate(attempt(id), { id, generation: 1 }, 0, START)).toBeNull()
    expect(await stateOf(id)).toEqual(['waiting', undefined, undefined, 0])
  })

  it('is not ended by the next server, which begins it again, unless its run has ended', async () => {
    const id = await someRun()
    await validations().beginAtGate(attempt(id), { id, generation: 1 }, 0, START)
    await validations().interrupt(new Date())
    await validations().interruptLost(new Date(), [])
    expect(await stateOf(id)).toEqual(['running', 'running', null, 0])
    await end(id)
    await validations().interruptLost(new Date(), [id])
    await validations().interruptLost(START, [])
    expect(await stateOf(id)).toEqual(['running', 'running', null, 0])
    await validations().interruptLost(new Date(), [])
    expect(await stateOf(id)).toEqual(['not_verified', 'not_verified', 'interrupted', 0])
  })
})

it('a validation is ended while the server runs if its end could not be stored, and another one can begin', async () => {
  const id = await someRun(null)
  await end(id)
  expect(await validations().begin(attempt(id), 'waiting', START)).toBe(true)
  await validations().interruptLost(new Date(), [id])
  expect(await stateOf(id)).toEqual(['running', 'running', null, 0])
  await validations().interruptLost(new Date(), [])
  expect(await stateOf(id)).toEqual(['not_verified', 'not_verified', 'interrupted', 0])
  expect(await validations().begin(attempt(id), 'not_verified', new Date())).toBe(true)
})
