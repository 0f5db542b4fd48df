/** Validations in the database: each is a row of its own, and its state is in the row of its run, too. */
import {
  ValidateOptions,
  type ValidationEvidence,
  ValidationEvidence as EvidenceSchema,
  type ValidationReason,
  type ValidationState,
} from '@slipway/protocol'
import Value from 'typebox/value'
import type { PrismaClient } from '../../database/generated/client.ts'
import type { RunRow } from '../runs/repository.ts'
import { NO_EVIDENCE } from './plan.ts'
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

/** A run that has ended, and waits for its validation. */
export interface DueRun {
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

  /** The runs that have ended and wait for their validation, the oldest first, at most {@link DUE_MAX}. */
  async due(): Promise<DueRun[]> {
    const where = { validation: 'waiting' satisfies ValidationState, endedAt: { not: null } }
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
      if (count === 0) return false
      const data = {
        attempt,
        state: RUNNING,
        reason: null,
        personal: false,
        evidence: NO_EVIDENCE,
        startedAt,
        endedAt: null,
      }
      await tx.validation.upsert({ where: { runId }, create: { runId, ...data }, update: data })
      return true
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

  /** Ends all that an earlier server left running: what their commands printed since is not known. Answers how many. */
  async interrupt(endedAt: Date): Promise<number> {
    const [state, reason] = ['not_verified', 'interrupted'] as const satisfies [ValidationState, ValidationReason]
    return this.#prisma.$transaction(async (tx) => {
      const { count } = await tx.validation.updateMany({ where: { endedAt: null }, data: { state, reason, endedAt } })
      await tx.codingRun.updateMany({ where: { validation: RUNNING }, data: { validation: state } })
      return count
    })
  }
}
