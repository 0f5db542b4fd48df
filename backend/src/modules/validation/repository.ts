/** Validations in the database: each is a row of its own, and its state is in the row of its run, too. */
import {
  ValidateOptions,
  type ValidationEvidence,
  ValidationEvidence as EvidenceSchema,
  type ValidationReason,
  type ValidationState,
} from '@slipway/protocol'
import Value from 'typebox/value'
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import { HELD, type Held, type RunRow } from '../runs/repository.ts'
import { NO_EVIDENCE } from './plan/plan.ts'
import type { Verdict } from './verdict.ts'

/** Most runs of one look. */
const DUE_MAX = 20
const RUNNING: ValidationState = 'running'

/** One attempt to validate a run. */
export interface Attempt {
  readonly runId: string
  readonly attempt: string
}

/** A stored validation. */
export interface StoredValidation {
  readonly state: ValidationState
  readonly reason: ValidationReason | null
  readonly personal: boolean
  readonly evidence: ValidationEvidence
  readonly startedAt: Date
  readonly endedAt: Date | null
}

/** A run to validate, and how. */
export interface RunToJudge {
  readonly run: RunRow
  readonly options: ValidateOptions
}

export class ValidationRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** Null: there is none, or its row is not from this version. */
  async find(runId: string): Promise<StoredValidation | null> {
    const row = await this.#prisma.validation.findUnique({ where: { runId } })
    if (!row || !Value.Check(EvidenceSchema, row.evidence)) return null
    const { state, reason, evidence } = row
    return { ...row, state: state as ValidationState, reason: reason as ValidationReason | null, evidence }
  }

  /**
   * The runs that have ended and wait for their validation, the oldest first, at most {@link DUE_MAX}. Those of the agents
   * `besides` are left out.
   */
  async due(besides: readonly string[]): Promise<RunToJudge[]> {
    const where = {
      ...{ validation: 'waiting' satisfies ValidationState, endedAt: { not: null } },
      // A deleted agent is not in the list, and null is never `notIn`.
      OR: [{ agentId: null }, { agentId: { notIn: [...besides] } }],
    }
    const rows = await this.#prisma.codingRun.findMany({ where, orderBy: { endedAt: 'asc' }, take: DUE_MAX })
    return rows.map(({ validate, ...row }) => ({
      run: row as RunRow,
      options: Value.Check(ValidateOptions, validate) ? validate : {},
    }))
  }

  /** Begins an attempt. False if another one is about to begin or runs. `from` is the state that the caller has seen. */
  async begin({ runId, attempt }: Attempt, from: ValidationState | null, startedAt: Date): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const { count } = await tx.codingRun.updateMany({
        where: { id: runId, validation: from, endedAt: { not: null } },
        data: { validation: RUNNING },
      })
      if (count > 0) await begun(tx, { runId, attempt }, startedAt)
      return count > 0
    })
  }

  /**
   * Begins an attempt of a run with a gate, which has not ended. False if it has, or if another backend holds it.
   * `workedMs` is how long its processes have run.
   */
  async beginAtGate(
    attempt: Attempt,
    { generation }: Held,
    workedMs: number,
    startedAt: Date,
  ): Promise<RunToJudge | null> {
    return this.#prisma.$transaction(async (tx) => {
      const [run] = await tx.codingRun.updateManyAndReturn({
        where: { id: attempt.runId, generation, state: { in: [...HELD] }, gateRepairs: { not: null } },
        data: { validation: RUNNING, workedMs },
      })
      if (!run) return null
      await begun(tx, attempt, startedAt)
      const { validate, ...row } = run
      return { run: row as RunRow, options: Value.Check(ValidateOptions, validate) ? validate : {} }
    })
  }

  /** One of its programs holds a credential of its user's own. Stored before anything that the program prints. */
  async becomePersonal({ runId, attempt }: Attempt): Promise<void> {
    await this.#prisma.validation.updateMany({ where: { runId, attempt }, data: { personal: true } })
  }

  /** Stores what is known so far. Nothing if it has ended. */
  async progress({ runId, attempt }: Attempt, evidence: ValidationEvidence): Promise<void> {
    await this.#prisma.validation.updateMany({ where: { runId, attempt, endedAt: null }, data: { evidence } })
  }

  /** Only the first end of the last attempt is stored. */
  async end({ runId, attempt }: Attempt, verdict: Verdict, evidence: ValidationEvidence, endedAt: Date): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      const where = { runId, attempt, endedAt: null }
      const data = { ...verdict, evidence, endedAt }
      const { count } = await tx.validation.updateMany({ where, data })
      if (count > 0) await tx.codingRun.updateMany({ where: { id: runId }, data: { validation: verdict.state } })
    })
  }

  /**
   * Ends all that an earlier server left running: what their commands printed since is not known. One of a run that has not
   * ended begins again when its run is taken over. Answers how many.
   */
  async interrupt(endedAt: Date): Promise<number> {
    return this.#interrupt(endedAt, {})
  }

  /**
   * The same while this server runs: for runs with a gate that ended while no server held them, and for validations whose end
   * the database could not store. `besides` are the runs that are validated now, as of the time `endedAt`.
   */
  async interruptLost(endedAt: Date, besides: readonly string[]): Promise<number> {
    return this.#interrupt(endedAt, {
      startedAt: { lt: endedAt },
      run: { id: { notIn: [...besides] }, endedAt: { not: null } },
    })
  }

  #interrupt(endedAt: Date, more: Prisma.ValidationWhereInput): Promise<number> {
    const [state, reason] = ['not_verified', 'interrupted'] as const satisfies [ValidationState, ValidationReason]
    const where = { run: { endedAt: { not: null } }, ...more, endedAt: null }
    return this.#prisma.$transaction(async (tx) => {
      const ended = await tx.validation.updateManyAndReturn({
        where,
        data: { state, reason, endedAt },
        select: { runId: true },
      })
      const ids = ended.map(({ runId }) => runId)
      await tx.codingRun.updateMany({ where: { id: { in: ids }, validation: RUNNING }, data: { validation: state } })
      return ids.length
    })
  }
}

/** Stores the row of an attempt that begins. */
const begun = async (
  tx: Pick<Prisma.TransactionClient, 'validation'>,
  { runId, attempt }: Attempt,
  startedAt: Date,
): Promise<void> => {
  const fresh = { reason: null, personal: false, evidence: NO_EVIDENCE, endedAt: null }
  const data = { ...fresh, attempt, state: RUNNING, startedAt }
  await tx.validation.upsert({ where: { runId }, create: { runId, ...data }, update: data })
}
