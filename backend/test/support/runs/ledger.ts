/** Agents, runs and what they have used, for the tests of the ledger. */
import { randomUUID } from 'node:crypto'
import type { UsageReport } from '@slipway/protocol'
import { expect } from 'vitest'
import type { Share } from '../../../src/modules/runs/ledger/shares.ts'
import { RunRepository } from '../../../src/modules/runs/repository.ts'
import type { NewRun } from '../../../src/modules/runs/new-run.ts'
import type { StoredRunEnd } from '../../../src/modules/runs/stored-end.ts'
import { MemoryEngine } from '../engine/memory-engine.ts'
import { addPerson, type Person } from '../people/people.ts'
import { as, newAgent, useTeam } from '../people/team.ts'

export const share = (model: string, more: Partial<Share> = {}): Share => ({
  ...{ model, inputTokens: 100, outputTokens: 10, cacheReadTokens: null, cacheWriteTokens: null, costUsd: 0.5 },
  estimated: false,
  ...more,
})
export const endWith = (...usage: Share[]): StoredRunEnd => ({
  ...{ state: 'completed', reason: 'completed', error: null, exitCode: 0, result: 'done', cliSessionId: 'cli' },
  ...{ lastSeq: 3, costUsd: null, costEstimated: false, totals: [], usage },
})

/** An agent, as the runs of a test name it. */
export interface NamedAgent {
  readonly id: string
  readonly name: string
}

/** A server of its own, with what a test of the ledger does there. */
export const useLedger = () => {
  const team = useTeam({ runtime: new MemoryEngine().runtime })
  const repository = (): RunRepository => new RunRepository(team().database.prisma)
  /** The clock of the team is not that of the machine. */
  const setTime = (runId: string, endedAt: Date) =>
    team().database.prisma.runUsage.updateMany({ where: { runId }, data: { endedAt } })
  const active = async (user: Person, agent: NamedAgent, more: Partial<NewRun> = {}): Promise<string> => {
    const id = randomUUID()
    const run: NewRun = {
      ...{ id, agentId: agent.id, agentName: agent.name, userId: user.id, provider: 'codex', prompt: 'hi' },
      ...{ cwd: '/home/developer', model: null, timeoutSeconds: 300, maxTurns: null, maxBudgetUsd: null },
      ...{ sessionId: id, via: null, viaId: null, queue: false, waitsForLimit: false },
      ...{ displayName: null, outputFormat: null, mode: 'auto', resumed: null, cliSessionId: null },
      createdAt: new Date(),
      ...more,
    }
    expect(await repository().create(run, 'starting')).toBe(true)
    return id
  }
  const ended = async (user: Person, agent: NamedAgent, ...usage: Share[]): Promise<string> => {
    const id = await active(user, agent)
    expect(await repository().end({ id, generation: 1 }, endWith(...usage))).toBe(true)
    await setTime(id, new Date(team().clock.now()))
    return id
  }
  return {
    team,
    repository,
    setTime,
    active,
    ended,
    rows: (runId: string) => team().database.prisma.runUsage.findMany({ where: { runId }, orderBy: { model: 'asc' } }),
    /** An agent of a user. */
    agentOf: async (user: Person): Promise<NamedAgent> => {
      const name = `a-${randomUUID().slice(0, 13)}`
      return (await as(team(), user)('POST /agents?wait=true', newAgent(name))).json<NamedAgent>()
    },
    someUser: (): Promise<Person> => addPerson(team(), team().admin, `${randomUUID()}@example.org`),
    usageOf: async (user: Person, query = ''): Promise<UsageReport> =>
      (await as(team(), user)(`GET /coding-agents/usage${query}`)).json<UsageReport>(),
  }
}
