/** Who continues a session of a CLI, in the database. */
import type { RunState } from '@slipway/protocol'
import type { PrismaClient } from '../../../database/generated/client.ts'
import { BATCH } from '../repository.ts'

/** A session of a CLI. Its files are in the agent's home, so two agents never have the same. */
export interface CliSession {
  readonly agentId: string
  readonly cliSessionId: string
}

/** A run or a terminal that has, or had, a session of a CLI. */
export interface CliSessionHolder {
  readonly kind: 'run' | 'terminal'
  /** The session of its current process. */
  readonly sessionId: string
  readonly userId: string
  readonly hasEnded: boolean
}

/** How many of the newest terminals of one session are looked at. Of those that have not ended there is one at most. */
const NEWEST = 10

export class LeaseRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /**
   * Who has the session: the terminals without an end, and the runs in these states. Those that have ended are there, too,
   * if their session of the platform may have processes: it is `attended`, or its record has no end. A run has such a record
   * while the recovery has not ended its program: a user ended the run while no backend held it.
   */
  async holders(
    { agentId, cliSessionId }: CliSession,
    states: readonly RunState[],
    attended: readonly string[],
  ): Promise<(CliSessionHolder & { readonly id: string })[]> {
    const unended = await this.#unended({ agentId, cliSessionId })
    const isHeld = { OR: [{ state: { in: [...states] } }, { sessionId: { in: [...attended, ...unended] } }] }
    const [runs, terminals] = await Promise.all([
      this.#prisma.codingRun.findMany({
        where: { agentId, OR: [{ cliSessionId }, { resumed: cliSessionId }], AND: [isHeld] },
        select: { id: true, sessionId: true, userId: true, endedAt: true },
        take: BATCH,
      }),
      this.#prisma.terminalSession.findMany({
        where: { agentId, cliSessionId },
        select: { id: true, userId: true, endedAt: true },
        orderBy: { startedAt: 'desc' },
        take: NEWEST,
      }),
    ])
    return [
      ...runs.map(({ endedAt, ...run }) => ({ kind: 'run' as const, ...run, hasEnded: endedAt !== null })),
      ...terminals
        .filter(({ id, endedAt }) => endedAt === null || attended.includes(id))
        .map(({ id, userId, endedAt }) => ({
          kind: 'terminal' as const,
          id,
          sessionId: id,
          userId,
          hasEnded: endedAt !== null,
        })),
    ]
  }

  /**
   * The sessions of the platform without an end of the runs that have this session. Runs before their end are among them:
   * one may end before its row is read.
   */
  async #unended({ agentId, cliSessionId }: CliSession): Promise<string[]> {
    const rows = await this.#prisma.$queryRaw<{ sessionId: string }[]>`
      SELECT r."sessionId" FROM "CodingRun" r
      JOIN "TerminalSession" s ON s."id" = r."sessionId" AND s."endedAt" IS NULL
      WHERE r."agentId" = ${agentId}::uuid AND (r."cliSessionId" = ${cliSessionId} OR r."resumed" = ${cliSessionId})
      LIMIT ${BATCH}`
    return rows.map(({ sessionId }) => sessionId)
  }
}
