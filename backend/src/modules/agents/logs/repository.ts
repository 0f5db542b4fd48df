/** The lines of agents' logs in the database. */
import { isForeignKeyViolation } from '../../../database/errors.ts'
import type { PrismaClient } from '../../../database/generated/client.ts'

/** One stored line. */
export interface StoredLine {
  readonly at: Date
  readonly kind: string
  readonly text: string
}

export class AgentLogRepository {
  readonly #prisma: Pick<PrismaClient, 'agentEvent'>

  constructor(prisma: Pick<PrismaClient, 'agentEvent'>) {
    this.#prisma = prisma
  }

  /** False if the agent is gone. */
  async add(agentId: string, line: StoredLine): Promise<boolean> {
    try {
      await this.#prisma.agentEvent.create({ data: { agentId, ...line } })
      return true
    } catch (error) {
      if (isForeignKeyViolation(error)) return false
      throw error
    }
  }

  /** The newest lines, newest first. */
  async newest(agentId: string, limit: number): Promise<StoredLine[]> {
    return this.#prisma.agentEvent.findMany({ where: { agentId }, orderBy: { id: 'desc' }, take: limit })
  }

  /** Deletes all but the newest `kept` lines. */
  async prune(agentId: string, kept: number): Promise<void> {
    const [oldest] = await this.#prisma.agentEvent.findMany({
      where: { agentId },
      orderBy: { id: 'desc' },
      skip: kept,
      take: 1,
      select: { id: true },
    })
    if (oldest) await this.#prisma.agentEvent.deleteMany({ where: { agentId, id: { lte: oldest.id } } })
  }
}
