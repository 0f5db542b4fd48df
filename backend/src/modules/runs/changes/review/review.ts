/** Reviews what a task changed: compares with the work tree as it is now, and takes changes back. */
import type { CodingSessionDiff, DiffSince, DiscardChanges, DiscardedChanges } from '@slipway/protocol'
import { AppError } from '../../../../lib/errors.ts'
import { QueueFullError, Semaphore } from '../../../../lib/semaphore.ts'
import { asAppError } from '../../../../runtime/app-error.ts'
import type { ContainerRuntime, RunOptions, RunResult } from '../../../../runtime/port.ts'
import type { Action } from '../../../access/policy.ts'
import { agentEvent } from '../../../agents/recorded.ts'
import type { AgentService, Found } from '../../../agents/service.ts'
import type { Audit } from '../../../audit/audit.ts'
import type { Provisioner } from '../../../credentials/provision/provision.ts'
import { actorOf, type Caller } from '../../../identity/caller.ts'
import { Masking } from '../../output/masking.ts'
import type { RunRow } from '../../repository.ts'
import type { RunService } from '../../service.ts'
import { changesIn } from '../../../git/diff/parse.ts'
import { ACTIVE, CANNOT, comparison, CONFLICT, discarding, FORGOTTEN, PATH_BYTES, undoing } from '../program.ts'
import { startTreeOf } from '../stored.ts'
import type { ReviewRepository } from './repository.ts'

/** Discards that wait for the one before in the same agent. */
const WAITING_MAX = 8

export interface ReviewDeps {
  readonly runs: Pick<RunService, 'require' | 'diff'>
  readonly rows: Pick<ReviewRepository, 'firstOf' | 'hasLater' | 'activeFolders'>
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly provisioner: Pick<Provisioner, 'taskSecrets'>
  readonly runtime: Pick<ContainerRuntime, 'run'>
  readonly audit: Pick<Audit, 'recordNow'>
  /** The folder of the transcripts. */
  readonly folder: string
}

/** A task whose changes a caller reviews, and where its start is. */
interface Reviewed {
  readonly run: RunRow
  readonly found: Found
  readonly containerId: string
  /** The task since whose start the changes are, and the tree of that start. */
  readonly base: { readonly id: string; readonly tree: string }
}

const gone = (): AppError =>
  new AppError(
    'CHANGES_GONE',
    'The container no longer has the work tree of that start. The diff until the end of the task is kept.',
  )

export class ChangeReview {
  readonly #deps: ReviewDeps
  /** One discard after the other in each agent in which something was discarded. */
  readonly #turns = new Map<string, Semaphore>()

  constructor(deps: ReviewDeps) {
    this.#deps = deps
  }

  /**
   * What has changed since then until now. If the work tree cannot be compared with the start of the task itself, the diff
   * until its end, with the reason. Otherwise it throws `CHANGES_GONE`, `WRONG_STATE` if the agent does not run, and what
   * {@link RunService.require} throws.
   */
  async diff(caller: Caller, id: string, since: DiffSince): Promise<CodingSessionDiff> {
    const { runs, rows } = this.#deps
    const { run, found } = await runs.require(caller, id, 'task.view')
    const continues = (await rows.firstOf(run)).id !== id
    const isOwn = since === 'turn' || !continues
    const diff = isOwn ? await this.#own(caller, run, found) : await this.#compare(run, found, since)
    return { ...diff, continues }
  }

  /** The changes since the start of the task itself. */
  async #own(caller: Caller, run: RunRow, found: Found | null): Promise<CodingSessionDiff> {
    const { runs } = this.#deps
    if (run.endedAt === null) return runs.diff(caller, run.id)
    try {
      return await this.#compare(run, found, 'turn')
    } catch (error) {
      if (!(error instanceof AppError) || !['CHANGES_GONE', 'WRONG_STATE'].includes(error.code)) throw error
      return { ...(await runs.diff(caller, run.id)), reason: error.message }
    }
  }

  async #compare(run: RunRow, found: Found | null, since: DiffSince): Promise<CodingSessionDiff> {
    const { containerId, base } = await this.#locate(run, found, since)
    const masking = new Masking(await this.#deps.provisioner.taskSecrets(run.userId, this.#agentOf(found).row))
    const { stdout } = await this.#run(containerId, comparison(base.id, base.tree))
    const { tree, ...changes } = changesIn(stdout, masking)
    const live = run.endedAt === null
    return { sessionId: run.id, live, ...changes, ...(!live && { tree }) }
  }

  /**
   * Takes a hunk or a file back to that start, in the work tree alone: neither the index nor a commit changes. Throws
   * `CHANGES_CONFLICT` if the file is not as the caller saw it, `FILE_REFUSED` for what is no file, `WRONG_STATE` while a
   * task is at work there, and what {@link diff} throws. Then nothing has changed.
   */
  async discard(caller: Caller, id: string, body: DiscardChanges): Promise<DiscardedChanges> {
    const { since, tree, path, oldPath = null, hunk = null } = body
    for (const one of [path, oldPath ?? ''])
      if (Buffer.byteLength(one) > PATH_BYTES) throw new AppError('VALIDATION', 'body.path: is too long')
    const what = { path, oldPath, hunk }
    const stdout = await this.#write(caller, id, { since, action: 'changes.discarded', facts: what }, (base, active) =>
      discarding(base.id, { base: base.tree, seen: tree, ...what }, active),
    )
    const [before, after] = stdout.toString('latin1').split('\n')
    if (before === undefined || after === undefined) throw conflict()
    return { since, before, after }
  }

  /** Takes a discard back. Throws what {@link discard} throws. */
  async undo(caller: Caller, id: string, { since, before, after }: DiscardedChanges): Promise<void> {
    await this.#write(caller, id, { since, action: 'changes.restored', facts: {} }, (base, active) =>
      undoing(base.id, [before, after], active),
    )
  }

  async #write(
    caller: Caller,
    id: string,
    act: {
      readonly since: DiffSince
      readonly action: 'changes.discarded' | 'changes.restored'
      readonly facts: Readonly<Record<string, string | number | null>>
    },
    program: (base: Reviewed['base'], active: readonly string[]) => RunOptions,
  ): Promise<Buffer> {
    const { runs, rows, audit } = this.#deps
    const { run, found } = await runs.require(caller, id, 'task.discard' satisfies Action)
    if (run.endedAt === null) throw active()
    const { base, containerId } = await this.#locate(run, found, act.since)
    const { row } = this.#agentOf(found)
    return this.#inTurn(row.id, async () => {
      const folders = await rows.activeFolders(row.id)
      const event = agentEvent(row, { taskId: id, ...act.facts })
      await audit.recordNow({ actor: actorOf(caller), action: act.action, ...event })
      return (await this.#run(containerId, program(base, folders))).stdout
    })
  }

  async #locate(run: RunRow, found: Found | null, since: DiffSince): Promise<Reviewed> {
    const { agents, rows, folder } = this.#deps
    const of = this.#agentOf(found)
    const { runningId } = agents.snapshot(of.row)
    if (runningId === null)
      throw new AppError('WRONG_STATE', 'The agent is not running. Start it to compare with its work tree.')
    if (since === 'turn' && (await rows.hasLater(run)))
      throw new AppError('WRONG_STATE', 'A later task has worked in this folder. Discard changes there.')
    const { id } = since === 'turn' ? run : await rows.firstOf(run)
    const tree = await startTreeOf(folder, id)
    if (tree === null) throw gone()
    return { run, found: of, containerId: runningId, base: { id, tree } }
  }

  #agentOf(found: Found | null): Found {
    if (!found) throw new AppError('WRONG_STATE', 'The agent of this task was deleted.')
    return found
  }

  async #run(containerId: string, options: RunOptions): Promise<RunResult> {
    const result = await this.#deps.runtime
      .run(containerId, options)
      .catch((error: unknown) => Promise.reject(asAppError(error)))
    const failure = failureOf(result.exitCode)
    if (failure) throw failure
    return result
  }

  async #inTurn<T>(agentId: string, work: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(agentId) ?? new Semaphore(1, WAITING_MAX)
    this.#turns.set(agentId, turns)
    return turns.run(work).catch((error: unknown) => {
      if (!(error instanceof QueueFullError)) throw error
      throw new AppError('TOO_MANY_REQUESTS', 'Too many changes of this agent are being discarded at once.', {
        cause: error,
        retryAfterSeconds: 1,
      })
    })
  }
}

const active = (): AppError =>
  new AppError('WRONG_STATE', 'A task is at work in this folder. Wait for its end, or stop it.')
const conflict = (): AppError =>
  new AppError('CHANGES_CONFLICT', 'The file has changed since. Read the changes again, then decide again.')

const failureOf = (exitCode: number): AppError | null => {
  switch (exitCode) {
    case 0:
      return null
    case CANNOT:
      return new AppError('FILE_REFUSED', 'Git cannot take this change back alone: it is no file of its own.')
    case CONFLICT:
      return conflict()
    case ACTIVE:
      return active()
    case FORGOTTEN:
      return gone()
    default:
      return new AppError('WRONG_STATE', 'Git could not read the work tree, or not in time.')
  }
}
