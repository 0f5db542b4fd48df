/** Runs of coding CLIs: starts, shows and ends them. */
import {
  type CodingResult,
  type CodingResults,
  type CodingSession,
  type CodingSessionDiff,
  type CodingSessionOutput,
  type CreateCodingSession,
  type RunAndWait,
  type RunRequest,
  RESULTS_LIMIT_DEFAULT,
  RUN_LISTED_SECONDS,
  type ResultsQuery,
} from '@slipway/protocol'
import { type Clock, SECOND_MS } from '../../lib/time/clock.ts'
import type { Signal } from '../../lib/emitter.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import { isUuid, type NewId } from '../../lib/ids.ts'
import { type AgentRepository, viewerOf } from '../agents/repository.ts'
import { relationOf } from '../agents/rows.ts'
import type { Found } from '../agents/service.ts'
import type { AgentNews } from '../agents/news/topic.ts'
import { agentEvent } from '../agents/recorded.ts'
import { type Action, allows } from '../access/policy.ts'
import type { Audit } from '../audit/audit.ts'
import { actorOf, type Caller } from '../identity/caller.ts'
import { isKeptFrom } from '../sessions/claim.ts'
import type { UserMessage } from '../providers/headless/headless.ts'
import { UNKNOWN } from '../git/diff/parse.ts'
import { readDiff } from './changes/stored.ts'
import { terminatedBy } from './end.ts'
import { type LiveRun, storedOutput } from './conduct/follow.ts'
import type { LeftRuns } from './left-runs.ts'
import type { RunRepository, RunRow } from './repository.ts'
import type { RunHolder } from './conduct/holder.ts'
import type { RunLine } from './line/line.ts'
import type { LiveRuns } from './live-runs.ts'
import type { RunPlanner } from './start/plan.ts'
import type { RunStarter } from './start/starter.ts'
import { PROMPT_SHOWN } from './search/prompt-repository.ts'
import type { ResultRepository } from './search/repository.ts'
import { beginningsOf } from './search/words.ts'
import { hasTranscript } from './transcript/segment.ts'
import { mayTell, personalRun, shortened, toResult, toSession } from './view.ts'

export interface RunDeps {
  readonly agentRows: Pick<AgentRepository, 'byId'>
  readonly repository: RunRepository
  readonly results: Pick<ResultRepository, 'find'>
  readonly planner: Pick<RunPlanner, 'locate'>
  readonly starter: RunStarter
  readonly line: Pick<RunLine, 'look' | 'end'>
  readonly lives: LiveRuns
  readonly holder: RunHolder
  readonly left: Pick<LeftRuns, 'terminate'>
  /** The folder of the transcripts. */
  readonly folder: string
  readonly audit: Pick<Audit, 'recordNow'>
  readonly news: Pick<Signal<AgentNews>, 'emit'>
  readonly newId: NewId
  readonly clock: Clock
}

/** A run that a caller may see. */
export interface FoundRun {
  readonly run: RunRow
  readonly live: LiveRun | null
}

export class RunService {
  readonly #deps: RunDeps

  constructor(deps: RunDeps) {
    this.#deps = deps
  }

  /**
   * Starts a run. `resourceId` names it at every retry of the same request, which gets the run that the first one
   * started.
   */
  async create(caller: Caller, body: RunRequest, resourceId: string | undefined): Promise<CodingSession> {
    const { repository, starter } = this.#deps
    // An earlier request with the same key started it, and its answer was lost.
    if (resourceId !== undefined && (await repository.byId(resourceId)))
      return this.#present((await this.require(caller, resourceId, 'task.start')).run)
    const id = resourceId ?? this.#deps.newId()
    const agentId = await starter.start(caller, body, id, (resumed) => this.require(caller, resumed, 'task.view'))
    const stored = await repository.byId(id)
    if (!stored) throw notFound()
    return this.announce(agentId, stored)
  }

  /** Tells about a new run, and answers it. */
  announce(agentId: string, stored: RunRow): CodingSession {
    const session = this.#present(stored)
    const event = { type: 'coding-agent:session:created', session: shortened(session) } as const
    this.#deps.news.emit({ agentId, event, may: mayTell(stored) })
    if (stored.state === 'queued') this.#deps.line.look()
    return session
  }

  /** Checks the right before the kept answer to a repeated request is sent again. Throws like a new request. */
  async checkAgain(caller: Caller, body: CreateCodingSession, id: string): Promise<void> {
    const run = await this.#deps.repository.byId(id)
    if (run) await this.require(caller, id, 'task.start')
    else await this.#deps.planner.locate(caller, body)
  }

  /** The caller's runs that are active or ended a short time ago, newest first. */
  async list(caller: Caller): Promise<CodingSession[]> {
    const { repository, clock } = this.#deps
    const endedAfter = new Date(clock.now() - RUN_LISTED_SECONDS * SECOND_MS)
    return (await repository.recentOf(caller, endedAfter)).map((row) => shortened(this.#present(row)))
  }

  /** A run that the caller may see, for a list. Null if a process of it got a personal credential meanwhile. */
  listed(caller: Caller, row: RunRow): CodingSession | null {
    const live = row.endedAt === null ? this.#deps.lives.find(row.id) : null
    return live && isKeptFrom(caller, live) ? null : shortened(this.#present(row))
  }

  async get(caller: Caller, id: string): Promise<CodingSession> {
    return this.#present((await this.require(caller, id, 'task.view')).run)
  }

  /** Starts a run and waits for its end. It goes on if the caller does not wait. */
  async run(caller: Caller, body: RunAndWait): Promise<CodingResult> {
    if (body.queue === true)
      throw new AppError(
        'VALIDATION',
        'body.queue: a request that waits for the end cannot wait in line, so start a session',
      )
    // It would wait for hours.
    const { id } = await this.create(caller, { ...body, wait_for_limit: false }, undefined)
    await this.#deps.holder.conductorOf(id)?.settled
    return this.result(caller, id, 'task.start')
  }

  /** The caller's own results that match, newest first. */
  async results(caller: Caller, query: ResultsQuery): Promise<CodingResults> {
    const { q, page = 1, limit = RESULTS_LIMIT_DEFAULT, ...fields } = query
    const beginnings = q === undefined ? null : beginningsOf(q)
    if (q !== undefined && beginnings === null)
      throw new AppError('VALIDATION', 'querystring.q: needs a letter or a digit')
    // One more character than is shown, so that it is seen to be cut.
    const part = { skip: (page - 1) * limit, take: limit, promptMax: PROMPT_SHOWN + 1 }
    const [rows, total] = await this.#deps.results.find(caller, { ...fields, beginnings }, part)
    return { items: rows.flatMap((row) => shortened(toResult(row)) ?? []), page, limit, total }
  }

  async result(caller: Caller, id: string, action: Action = 'task.view'): Promise<CodingResult> {
    const result = toResult((await this.require(caller, id, action)).run)
    if (!result) throw new AppError('WRONG_STATE', 'The task has not ended yet.')
    return result
  }

  /** Ends a run, and answers it at once. Its end follows, in the name of the user who started it. */
  async terminate(caller: Caller, id: string): Promise<CodingSession> {
    const { run, found } = await this.require(caller, id, 'task.end')
    const { holder, left, repository, line, audit } = this.#deps
    const actor = actorOf(caller)
    const agent = found?.row ?? { id: run.agentId ?? '', name: run.agentName, ownerEmail: null }
    if (run.endedAt === null)
      await audit.recordNow({ actor, action: 'task.terminated', ...agentEvent(agent, { taskId: id }) })
    /** Its process may have ended since its row was read, so the row is read again. */
    const endIfWaiting = async (): Promise<boolean> => {
      const row = await repository.byId(id)
      const isWaiting = row?.state === 'queued' || row?.state === 'waiting'
      return isWaiting && line.end(row, terminatedBy(caller.email), found, actor)
    }
    const endIfHeld = (): void => {
      const conductor = holder.conductorOf(id)
      conductor?.terminate(caller.email)
      // It may have begun to wait just now. If this fails, the next request ends it.
      void conductor?.done.then(endIfWaiting).catch(() => undefined)
    }
    // It may wait already while the processes of its program are still being ended. Else, without a conductor, it is starting,
    // or waits for its recovery: the code that goes on with it finds that it has ended.
    const isOver = async (): Promise<boolean> =>
      (await endIfWaiting()) || holder.conductorOf(id) !== null || left.terminate(id, caller.email)
    let isSettled = run.endedAt !== null
    while (!isSettled) isSettled = await isOver()
    // It may have started while its row was being ended.
    endIfHeld()
    return this.#present(run)
  }

  /**
   * Answers what gives the caller's run a message while its turn goes on, and resolves to false if it takes none. That does
   * not fail any more. Throws what {@link require} throws.
   */
  async steering(caller: Caller, id: string): Promise<(message: UserMessage) => Promise<boolean>> {
    const { run } = await this.require(caller, id, 'task.start')
    if (run.userId !== caller.userId) return () => Promise.resolve(false)
    return async (message) => (await this.#deps.holder.conductorOf(id)?.steer?.(message)) ?? false
  }

  async output(caller: Caller, id: string): Promise<CodingSessionOutput> {
    const { run } = await this.require(caller, id, 'task.view')
    const conductor = this.#deps.holder.conductorOf(id)
    const output = conductor?.run.live.output ?? (await storedOutput(this.#deps.folder, id))
    return { sessionId: id, state: run.state, output, hasOutput: output !== '' }
  }

  /** A run whose events after a number can be followed. Throws `TRANSCRIPT_REMOVED`, and what {@link require} throws. */
  async requireEvents(caller: Caller, id: string, after: number) {
    const found = await this.require(caller, id, 'task.view')
    const { endedAt, lastSeq } = found.run
    if (endedAt !== null && lastSeq > after && !(await hasTranscript(this.#deps.folder, id)))
      throw new AppError('TRANSCRIPT_REMOVED', 'The events of this task were removed. Its result is kept.')
    return found
  }

  /** What the run changed, or has changed so far. */
  async diff(caller: Caller, id: string): Promise<CodingSessionDiff> {
    const { run } = await this.require(caller, id, 'task.view')
    const conductor = this.#deps.holder.conductorOf(id)
    if (conductor) return conductor.run.changes.diff()
    if (run.endedAt === null)
      throw new AppError('WRONG_STATE', 'The task is being started or taken up again. Try again in a moment.')
    return (await readDiff(this.#deps.folder, id)) ?? { sessionId: id, live: false, ...UNKNOWN }
  }

  /**
   * A run that the caller may see. Throws `NOT_FOUND` for a missing one and for one that the caller must not know of,
   * and `FORBIDDEN` for a missing right.
   */
  async require(caller: Caller, id: string, action: Action): Promise<FoundRun & { readonly found: Found | null }> {
    const run = isUuid(id) ? await this.#deps.repository.find(id, viewerOf(caller)) : null
    if (!run) throw notFound()
    const live = run.endedAt === null ? await this.#live(id) : null
    // It has ended since it was read.
    if (run.endedAt === null && !live) return this.require(caller, id, action)
    const row = run.agentId === null ? null : await this.#deps.agentRows.byId(run.agentId)
    const relation = row && relationOf(caller, row)
    if (isKeptFrom(caller, run) || (live && isKeptFrom(caller, live))) throw personalRun()
    // After the deletion of the agent, its user still sees what came of it.
    if (!row && run.userId === caller.userId && allows(caller, action, 'owner')) return { run, live, found: null }
    if (!row || !relation) throw notFound()
    const isOthers = run.userId !== caller.userId && relation === 'sharee'
    if (!allows(caller, action, relation) || (action === 'task.end' && isOthers))
      throw new AppError(
        'FORBIDDEN',
        'Only the user who started the task, the owner of the agent and admins may do this.',
      )
    return { run, live, found: { caller, row, relation } }
  }

  /** What to follow of a run that had not ended when it was asked for; null if it has ended meanwhile. */
  async #live(id: string): Promise<LiveRun | null> {
    const { lives, repository } = this.#deps
    const known = lives.find(id)
    if (known) return known
    const live = lives.get(id)
    const run = await repository.byId(id)
    if (run?.endedAt === null) return live
    lives.over(id)
    return null
  }

  #present(row: RunRow): CodingSession {
    return toSession(row, this.#deps.holder.conductorOf(row.id)?.run.live.lastSeq ?? row.lastSeq)
  }
}
