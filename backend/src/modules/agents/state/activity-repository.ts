/** What the database knows about the activity in agents. */
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { PastActivity } from './activity.ts'

export class ActivityRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** Of every agent in which something has happened. One query for each table, however many agents there are. */
  async all(): Promise<PastActivity[]> {
    const lasts = await this.#prisma.terminalSession.groupBy({
      by: ['agentId'],
      _max: { startedAt: true, endedAt: true },
    })
    const clones = await this.#prisma.agentPreparation.findMany({
      where: { isCloned: true, folder: { not: null } },
      select: { agentId: true, folder: true, branch: true, changedAt: true },
    })
    const repositories = new Map(
      clones.map(({ agentId, folder, branch, changedAt }) => [
        agentId,
        { folder: folder ?? '', branch, seenAt: changedAt },
      ]),
    )
    const times = new Map(
      lasts.map(({ agentId, _max: { startedAt, endedAt } }) => [agentId, latest(startedAt, endedAt)]),
    )
    return [...new Set([...times.keys(), ...repositories.keys()])].map((agentId) => ({
      agentId,
      lastAt: times.get(agentId) ?? null,
      repository: repositories.get(agentId) ?? null,
    }))
  }
}

const latest = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other > one) ? other : one
