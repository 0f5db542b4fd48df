/** Which tasks belong to a conversation or work in a folder, for those who review changes. */
import type { PrismaClient } from '../../../../database/generated/client.ts'
import { BATCH, HELD, type RunRow } from '../../repository.ts'

/** What is known of a task of the same agent. */
export type OtherRun = Pick<RunRow, 'id' | 'resumed' | 'createdAt'>
type Run = Pick<RunRow, 'id' | 'agentId' | 'cwd' | 'resumed' | 'cliSessionId' | 'createdAt'>

/** Most sessions of a CLI that one conversation is followed through. A CLI that forks makes one for each task. */
const SESSIONS_MAX = 100
const OTHER = { id: true, resumed: true, createdAt: true } as const

export class ReviewRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** The first task of a task's conversation, which may be itself. */
  async firstOf({ agentId, ...run }: Run): Promise<OtherRun> {
    let first: OtherRun = run
    for (let followed = 0; agentId !== null && first.resumed !== null && followed < SESSIONS_MAX; followed += 1) {
      const earlier = await this.#prisma.codingRun.findFirst({
        where: { agentId, cliSessionId: first.resumed, createdAt: { lt: first.createdAt } },
        orderBy: { createdAt: 'asc' },
        select: OTHER,
      })
      if (!earlier) break
      first = earlier
    }
    return first
  }

  /** Whether a later task has worked in the folder of a task. */
  async hasLater({ id, agentId, cwd, createdAt }: Run): Promise<boolean> {
    const later = { agentId, cwd, createdAt: { gte: createdAt }, startedAt: { not: null }, NOT: { id } }
    return (await this.#prisma.codingRun.count({ where: later })) > 0
  }

  /** The folders of the tasks that are at work in an agent. */
  async activeFolders(agentId: string): Promise<string[]> {
    const where = { agentId, state: { in: [...HELD] } }
    const runs = await this.#prisma.codingRun.findMany({ where, select: { cwd: true }, take: BATCH })
    return runs.map(({ cwd }) => cwd)
  }
}
