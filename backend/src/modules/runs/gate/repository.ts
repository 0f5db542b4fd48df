/** Repairs of runs with a gate, in the database. */
import { randomUUID } from 'node:crypto'
import type { PrismaClient } from '../../../database/generated/client.ts'
import { storedTotals } from '../ledger/totals-repository.ts'
import { BOOKED, bookProcess } from '../ledger/usage-repository.ts'
import { HELD, type Held } from '../repository.ts'
import type { Used } from '../stored-end.ts'

/** A repair that begins, and what is stored of the process before it. */
export interface StoredRepair extends Pick<Used, 'usage' | 'totals'> {
  /** Its number, counted from 1. */
  readonly repair: number
  readonly prompt: string
  readonly cliSessionId: string | null
  readonly lastSeq: number
}

export class GateRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /**
   * Puts a run back into the line, with the prompt of its repair. The number of the repair and the cost so far are stored with
   * it, so that a crash neither loses nor doubles a repair. Answers false if the run has ended, or is another backend's.
   */
  async repair({ id, generation }: Held, { repair, prompt, usage, totals, ...said }: StoredRepair): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const [run] = await tx.codingRun.updateManyAndReturn({
        where: { id, generation, state: { in: [...HELD] }, repairs: repair - 1, gateRepairs: { gte: repair } },
        data: {
          ...said,
          ...storedTotals(totals),
          repairs: repair,
          repairPrompt: prompt,
          state: 'queued',
          // Its request was answered long ago, so it may go back into the line.
          queue: true,
          continuesAt: null,
          sessionId: randomUUID(),
        },
        select: BOOKED,
      })
      if (!run) return false
      await bookProcess(tx, run, usage)
      return true
    })
  }
}
