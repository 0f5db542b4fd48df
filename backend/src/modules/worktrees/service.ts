/** The worktrees of an agent for its users: listed, removed, and their settings. */
import type {
  RemovedWorktree,
  TakeBackWorktree,
  TakenBack,
  Worktree,
  WorktreeSettings,
  WorktreesQuery,
  WorktreeState,
} from '@slipway/protocol'
import { AppError, notFound } from '../../lib/errors.ts'
import { isUuid, type NewId } from '../../lib/ids.ts'
import { asAppError } from '../../runtime/app-error.ts'
import type { ContainerRuntime, RunOptions, RunResult } from '../../runtime/port.ts'
import type { AgentService, Found } from '../agents/service.ts'
import { agentEvent } from '../agents/recorded.ts'
import type { Audit, Facts } from '../audit/audit.ts'
import { failureOfAct, OF_WRITING } from '../git/failures.ts'
import { actorOf } from '../identity/caller.ts'
import { Holds } from './holds.ts'
import { BUSY, looking, reasonOf, takenBackIn, takingBack } from './program.ts'
import { isIn, type WorktreeRepository, type WorktreeRow } from './repository.ts'
import { inUse } from './refusals.ts'
import type { Worktrees } from './trees.ts'

export interface WorktreeServiceDeps {
  readonly repository: WorktreeRepository
  readonly trees: Pick<Worktrees, 'remove'>
  readonly runtime: Pick<ContainerRuntime, 'run'>
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly audit: Pick<Audit, 'recordNow'>
  readonly newId: NewId
}

/** What a look in the container says of a worktree. */
interface Look {
  readonly state: WorktreeState
  readonly head: string | null
  readonly sizeBytes: number | null
}

const NOT_SEEN: Look = { state: 'unknown', head: null, sizeBytes: null }
const KIB = 1024
/** What the script prints, as states for users. */
const STATES: Readonly<Record<string, WorktreeState>> = {
  clean: 'clean',
  dirty: 'kept',
  commits: 'kept',
  conflicted: 'conflicted',
  broken: 'broken',
  in_use: 'in_use',
}

export class WorktreeService {
  readonly #deps: WorktreeServiceDeps
  /** By agent and repository. */
  readonly #takingBack = new Holds({ why: 'A worktree of the repository is being taken back' })

  constructor(deps: WorktreeServiceDeps) {
    this.#deps = deps
  }

  settings({ row }: Found): Promise<WorktreeSettings> {
    return this.#deps.repository.settingsOf(row.id)
  }

  /** Throws `AUDIT_REFUSED`. */
  async set({ caller, row }: Found, settings: WorktreeSettings): Promise<WorktreeSettings> {
    await this.#deps.repository.set(row, settings, actorOf(caller))
    return settings
  }

  /** Newest first. What is not known while the agent does not run is null. */
  async list({ row }: Found, { folder }: WorktreesQuery = {}): Promise<Worktree[]> {
    const { repository, agents } = this.#deps
    const all = await repository.of(row.id)
    const rows = folder === undefined ? all : all.filter(({ path }) => isIn(folder, path))
    const { runningId } = agents.snapshot(row)
    const looks = runningId === null || rows.length === 0 ? [] : await this.#look(rows, runningId)
    const conversations = await repository.conversations(row.id)
    return rows.map((one, index) => present(one, looks[index] ?? NOT_SEEN, conversations.get(one.id) ?? null))
  }

  /**
   * A second request gets the answer of the first one, whose client may have lost it. Throws `NOT_FOUND`, `WRONG_STATE`,
   * `WORKTREE_IN_USE`, `WORKTREE_NOT_READY`, `AUDIT_REFUSED`.
   */
  async remove(found: Found, id: string): Promise<RemovedWorktree> {
    const row = isUuid(id) ? await this.#deps.repository.byId(id) : null
    if (row?.agentId === found.row.id && row.state === 'removed') return { salvage: row.salvage }
    const { worktree, containerId } = await this.#require(found, id)
    await this.#record(found, 'worktree.removed', { path: worktree.path })
    return { salvage: await this.#deps.trees.remove(worktree, containerId) }
  }

  /**
   * Brings its commits into the branch from which it was made. Throws like {@link remove}, `GIT_REFUSED` if git cannot write the
   * files of the branch, and `FILES_NOT_WRITTEN` if they could not be put back either.
   */
  async takeBack(found: Found, id: string, what: TakeBackWorktree): Promise<TakenBack> {
    const { worktree } = await this.#require(found, id)
    const { branch, path, common } = worktree
    if (what.commits !== undefined && what.how !== 'cherry_pick')
      throw new AppError('VALIDATION', 'body.commits: is only for cherry_pick')
    if (branch === null) throw notReady('its origin had no branch when it was made')
    await this.#record(found, 'worktree.taken_back', { path, branch, how: what.how })
    // Two at once would write the same work tree.
    return this.#takingBack.whenFree(`${found.row.id} ${common}`, () => this.#takeBack(found, id, branch, what))
  }

  async #takeBack(found: Found, id: string, branch: string, what: TakeBackWorktree): Promise<TakenBack> {
    // It may have changed during the wait.
    const { worktree, containerId } = await this.#require(found, id)
    if (worktree.state !== 'kept') throw inUse()
    const active = await this.#deps.repository.activeFolders(found.row.id, null)
    const { exitCode, stdout, stderr } = await this.#run(containerId, takingBack(worktree, branch, what, active))
    if (exitCode === BUSY)
      throw new AppError('WORKTREE_IN_USE', 'A task works in the work tree of the branch. End it first.')
    if (OF_WRITING.has(exitCode)) throw failureOfAct(exitCode, stderr.toString('utf8'))
    if (exitCode !== 0) throw notReady(reasonOf(exitCode))
    return { branch, ...takenBackIn(stdout) }
  }

  async #require({ row }: Found, id: string): Promise<{ worktree: WorktreeRow; containerId: string }> {
    const { repository, agents } = this.#deps
    const worktree = isUuid(id) ? await repository.find(row.id, id) : null
    if (!worktree) throw notFound()
    const { runningId } = agents.snapshot(row)
    if (runningId === null)
      throw new AppError(
        'WRONG_STATE',
        'The agent is not running. Start it, because its worktrees are in its container.',
      )
    return { worktree, containerId: runningId }
  }

  #record({ caller, row }: Found, action: 'worktree.removed' | 'worktree.taken_back', facts: Facts): Promise<void> {
    return this.#deps.audit.recordNow({ actor: actorOf(caller), action, ...agentEvent(row, facts) })
  }

  /** A failure of the engine answers the request. */
  #run(containerId: string, options: RunOptions): Promise<RunResult> {
    return this.#deps.runtime.run(containerId, options).catch((error: unknown) => Promise.reject(asAppError(error)))
  }

  /** Those that were not looked at in time are missing. */
  async #look(rows: readonly WorktreeRow[], containerId: string): Promise<(Look | undefined)[]> {
    const { stdout } = await this.#run(containerId, looking(this.#deps.newId(), rows))
    const looks = new Map<number, Look>()
    for (const line of stdout.toString('latin1').split('\n')) {
      const [, number, word = '', head, kib] = /^(\d+) (\w+) (-|[0-9a-f]{40,64}) (\d+)$/.exec(line) ?? []
      const state = STATES[word]
      if (number !== undefined && state !== undefined)
        looks.set(Number(number), {
          state,
          head: head === undefined || head === '-' ? null : head,
          sizeBytes: state === 'broken' ? null : Number(kib) * KIB,
        })
    }
    return rows.map((_, index) => looks.get(index))
  }
}

const notReady = (why: string): AppError =>
  new AppError('WORKTREE_NOT_READY', `The worktree was not taken back: ${why}.`)

/** One that is not kept yet is a task's, even if no program works in it at this moment. */
const present = (row: WorktreeRow, { state, head, sizeBytes }: Look, conversationId: string | null): Worktree => ({
  id: row.id,
  state: row.state === 'kept' ? state : 'in_use',
  path: row.path,
  repository: row.repository,
  branch: row.branch,
  base: row.base,
  head,
  sizeBytes,
  sessionId: row.runId,
  conversationId,
  userId: row.userId,
  createdAt: row.createdAt.toISOString(),
  usedAt: row.usedAt.toISOString(),
})
