/** The questions of programs in agents, in the database. */
import type { PrismaClient } from '../../database/generated/client.ts'
import type { Asked } from './leases.ts'
import { type DialogRow, toRow } from '../dialogs/repository.ts'

/** The task to which a program says that it belongs. */
export interface AskingRun {
  readonly id: string
  readonly userId: string
  readonly personal: boolean
  readonly cwd: string
}

export class AskRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** The question with this id of an agent's program. */
  async find(agentId: string, askId: string): Promise<DialogRow | null> {
    const row = await this.#prisma.dialog.findUnique({ where: { agentId_askId: { agentId, askId } } })
    return row && toRow(row)
  }

  /** All open ones. An agent has a bounded number. */
  async open(): Promise<(Asked & { readonly runId: string | null })[]> {
    const rows = await this.#prisma.dialog.findMany({
      where: { state: 'open', askId: { not: null } },
      select: { askId: true, agentId: true, runId: true },
    })
    return rows.flatMap(({ askId, agentId, runId }) =>
      askId === null || agentId === null ? [] : [{ askId, agentId, runId }],
    )
  }

  /** Deletes the closed ones of an agent but for the newest. */
  async trim(agentId: string, kept: number): Promise<void> {
    const where = { agentId, askId: { not: null }, state: { not: 'open' } }
    const [first] = await this.#prisma.dialog.findMany({
      where,
      orderBy: { openedAt: 'desc' },
      skip: kept,
      take: 1,
      select: { openedAt: true },
    })
    if (first) await this.#prisma.dialog.deleteMany({ where: { ...where, openedAt: { lte: first.openedAt } } })
  }

  /** The task of this agent that has this session and has not ended. */
  async runOf(agentId: string, sessionId: string): Promise<AskingRun | null> {
    return this.#prisma.codingRun.findFirst({
      where: { agentId, sessionId, endedAt: null },
      select: { id: true, userId: true, personal: true, cwd: true },
    })
  }
}
