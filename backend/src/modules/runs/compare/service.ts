/** Starts one prompt on several targets, shows what came of it, and keeps the one that its user chooses. */
import {
  type CodingSession,
  type Comparison,
  type Comparisons,
  type ComparisonsQuery,
  COMPARISONS_LIMIT_DEFAULT,
  type CreateComparison,
} from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import type { Log } from '../../../lib/log.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import type { RunService } from '../service.ts'
import type { RunPlanner } from '../start/plan.ts'
import { shortened, toSession } from '../view.ts'
import { requireApart } from './folders.ts'
import type { ComparisonRepository, ComparisonRow, NewTarget, Refusal } from './repository.ts'

export interface ComparisonDeps {
  readonly comparisons: ComparisonRepository
  readonly runs: Pick<RunService, 'create' | 'listed' | 'require'>
  readonly planner: Pick<RunPlanner, 'locate'>
  readonly newId: NewId
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

/** A server was ended while it started the target. */
const INTERRUPTED: Refusal = { code: 'INTERNAL', message: 'The server was ended before it could start this task.' }
const UNEXPECTED = 'The task could not be started. The log of the server says why.'

export class ComparisonService {
  readonly #deps: ComparisonDeps

  constructor(deps: ComparisonDeps) {
    this.#deps = deps
  }

  /**
   * Starts each target, or puts it into the line. Those that can do neither are told with their refusals. If none can,
   * nothing is left, and the refusal of the first one is thrown. `resourceId` names the comparison at every retry of the
   * same request, which gets the one that the first made. Throws `SAME_FOLDER`.
   */
  async create(caller: Caller, body: CreateComparison, resourceId: string | undefined): Promise<Comparison> {
    const { comparisons, newId, clock } = this.#deps
    requireApart(body.targets)
    // An earlier request with the same key made it, and its answer was lost.
    if (resourceId !== undefined && (await comparisons.find(caller.userId, resourceId)))
      return this.get(caller, resourceId)
    const id = resourceId ?? newId()
    const { prompt, targets: asked, ...limits } = body
    const targets = asked.map((target): NewTarget => ({
      agentName: target.agent,
      provider: target.provider ?? null,
      model: target.model ?? null,
      cwd: target.cwd ?? null,
      runId: newId(),
    }))
    await comparisons.create({ id, prompt, createdAt: new Date(clock.now()), targets }, caller.userId)
    const [first, ...others] = await Promise.all(
      targets.map(({ runId }, at) => this.#start(caller, { ...asked[at], ...limits, prompt, queue: true }, runId)),
    )
    if (first && others.every((failure) => failure !== null)) {
      await comparisons.forget(id)
      throw first
    }
    return this.get(caller, id)
  }

  /** Why a target did not start; null if it did. */
  async #start(caller: Caller, body: Parameters<RunService['create']>[1], runId: string): Promise<AppError | null> {
    try {
      await this.#deps.runs.create(caller, body, runId)
      return null
    } catch (error) {
      const isExpected = error instanceof AppError
      if (!isExpected) this.#deps.log.error({ taskId: runId, err: error }, 'a target of a comparison did not start')
      const failure = isExpected ? error : new AppError('INTERNAL', UNEXPECTED, { cause: error })
      await this.#deps.comparisons.refused(runId, failure)
      return failure
    }
  }

  /** Checks the right before the kept answer to a repeated request is sent again. Throws like a new request. */
  async checkAgain(caller: Caller, { targets }: CreateComparison, id: string): Promise<void> {
    const { comparisons, runs, planner } = this.#deps
    const stored = await comparisons.find(caller.userId, id)
    if (!stored) await Promise.any(targets.map((target) => planner.locate(caller, target))).catch(firstOf)
    else
      for (const { runId, refusalCode } of stored.targets)
        if (refusalCode === null) await runs.require(caller, runId, 'task.start')
  }

  /** The caller's own, the newest first. Their tasks come without the answers. */
  async list(caller: Caller, { page = 1, limit = COMPARISONS_LIMIT_DEFAULT }: ComparisonsQuery): Promise<Comparisons> {
    const part = { skip: (page - 1) * limit, take: limit }
    const [rows, total] = await this.#deps.comparisons.page(caller.userId, part)
    return { items: (await this.#present(caller, rows)).map(briefly), page, limit, total }
  }

  /** Throws `NOT_FOUND`. */
  async get(caller: Caller, id: string): Promise<Comparison> {
    const [comparison] = await this.#present(caller, [await this.#require(caller, id)])
    if (!comparison) throw notFound()
    return comparison
  }

  /** Chooses one of its runs and archives the others. Throws `NOT_FOUND`, `WRONG_STATE`, `AUDIT_REFUSED`. */
  async choose(caller: Caller, id: string, sessionId: string): Promise<Comparison> {
    const { comparisons, clock } = this.#deps
    const row = await this.#require(caller, id)
    if (!row.targets.some(({ runId, refusalCode }) => runId === sessionId && refusalCode === null)) throw notFound()
    await comparisons.choose(row, sessionId, new Date(clock.now()), actorOf(caller))
    return this.get(caller, id)
  }

  /** Archives a run of the caller, or takes it out of the archive. Throws what `RunService.require` throws, `WRONG_STATE`. */
  async archive(caller: Caller, runId: string, isArchived: boolean): Promise<CodingSession> {
    const { comparisons, runs, clock } = this.#deps
    const { run } = await runs.require(caller, runId, 'task.archive')
    if (run.userId !== caller.userId)
      throw new AppError('FORBIDDEN', 'Only the user who started the task may archive it.')
    const archivedAt = isArchived ? new Date(clock.now()) : null
    await comparisons.move(runId, { actor: actorOf(caller), archivedAt })
    return toSession((await runs.require(caller, runId, 'task.archive')).run)
  }

  async #require({ userId }: Caller, id: string): Promise<ComparisonRow> {
    const row = isUuid(id) ? await this.#deps.comparisons.find(userId, id) : null
    if (!row) throw notFound()
    return row
  }

  async #present(caller: Caller, rows: readonly ComparisonRow[]): Promise<Comparison[]> {
    const ids = rows.flatMap(({ targets }) => targets.map(({ runId }) => runId))
    const { comparisons, runs } = this.#deps
    const started = new Map<string, CodingSession | null>()
    for (const { row, isSeen } of await comparisons.runs(caller, ids))
      started.set(row.id, isSeen ? runs.listed(caller, row) : null)
    const tokens = await comparisons.tokens(ids)
    return rows.map(({ targets, createdAt, ...row }) => ({
      ...{ id: row.id, prompt: row.prompt, chosenId: row.chosenId, createdAt: createdAt.toISOString() },
      targets: targets.map(({ agentName, provider, model, cwd, runId, refusalCode, refusal }) => {
        const told = refusalCode === null ? INTERRUPTED : { code: refusalCode, message: refusal ?? '' }
        const session = started.get(runId) ?? null
        const used = session === null ? null : (tokens.get(runId) ?? null)
        return {
          ...{ agent: agentName, provider, model, cwd, session, tokens: used },
          refusal: started.has(runId) ? null : told,
        }
      }),
    }))
  }
}

/** For a list: with a cut prompt, and without the answers of the tasks. */
const briefly = (comparison: Comparison): Comparison =>
  shortened({
    ...comparison,
    targets: comparison.targets.map(({ session, ...target }) => ({
      ...target,
      session: session && { ...session, result: null },
    })),
  })

/** Throws the first of several failures. */
const firstOf = (error: unknown): never => {
  throw error instanceof AggregateError ? error.errors[0] : error
}
