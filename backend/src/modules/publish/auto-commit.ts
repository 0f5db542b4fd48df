/** Commits what tasks have changed when they have completed, in agents whose owner wants that. */
import { type Clock, HOUR_MS } from '../../lib/time/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import { Semaphore } from '../../lib/semaphore.ts'
import type { Found } from '../agents/service.ts'
import type { reinstater } from '../sessions/recovery/reinstate.ts'
import type { PublishMetrics } from './metrics.ts'
import type { CompletedTasks, DueTask } from './repository.ts'
import type { PublishService } from './service.ts'

/**
 * Commits at the same time, and those that wait. What finds no place stays in the work tree until the next start of the
 * server, or a commit of a user.
 */
const AT_ONCE = 2
const WAITING_MAX = 200
/**
 * How long after its end a task is still committed at the start of a server, in milliseconds. Later, its folder may have
 * changes that its user does not expect to be committed.
 */
const LEFT_MS = HOUR_MS

export interface AutoCommitDeps {
  readonly tasks: Pick<CompletedTasks, 'due' | 'left'>
  readonly service: Pick<PublishService, 'commitByItself'>
  readonly reinstate: ReturnType<typeof reinstater>
  readonly clock: Clock
  readonly metrics: Pick<PublishMetrics, 'commit'>
  readonly log: Pick<Log, 'info' | 'warn'>
}

export class AutoCommits {
  readonly #deps: AutoCommitDeps
  readonly #turns = new Semaphore(AT_ONCE, WAITING_MAX)
  /** By task: the commits that run or wait. */
  readonly #open = new Map<string, Promise<void>>()
  #isStopping = false

  constructor(deps: AutoCommitDeps) {
    this.#deps = deps
  }

  /** Begins the commit of a task that has ended, if its agent wants one. */
  ended(id: string): void {
    void this.#begin(id)
  }

  /**
   * Makes the commits that an earlier server did not make, because it was stopped or killed between the end of the task
   * and the commit. Call it once, when the runs of earlier servers are decided about.
   */
  async takeUp(): Promise<void> {
    const { tasks, clock } = this.#deps
    const since = new Date(clock.now() - LEFT_MS)
    for await (const id of tasks.left(since)) {
      if (this.#isStopping) return
      // One after the other, so that those that end now find a place.
      await this.#begin(id)
    }
  }

  #begin(id: string): Promise<void> {
    const begun = this.#open.get(id)
    if (this.#isStopping || begun) return begun ?? Promise.resolve()
    const work = this.#turns
      .run(() => this.#commit(id))
      .catch((error: unknown) => this.#failed(id, error))
      .finally(() => this.#open.delete(id))
    this.#open.set(id, work)
    return work
  }

  /** Begins no more, and resolves when those that run are done. The next server takes up those that waited. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#open.values())
  }

  async #commit(id: string): Promise<void> {
    const { tasks, service, metrics } = this.#deps
    const due = this.#isStopping ? null : await tasks.due(id)
    if (!due) return
    const found = await this.#reinstated(due)
    const hasCommitted = found !== null && (await service.commitByItself(found.caller, id))
    metrics.commit(hasCommitted ? 'committed' : 'nothing')
  }

  /** The user of the task with their rights of now. */
  #reinstated({ userId, agentId, via }: DueTask): Promise<Found | null> {
    return this.#deps.reinstate({ userId, agentId, via }, 'task.publish')
  }

  /** A folder without a repository, or one in the middle of a merge, is nothing to worry about: its changes stay. */
  #failed(id: string, error: unknown): void {
    const { metrics, log } = this.#deps
    metrics.commit(error instanceof AppError ? 'refused' : 'failed')
    if (error instanceof AppError) log.info({ taskId: id, code: error.code }, 'the work of a task was not committed')
    else log.warn({ taskId: id, err: error }, 'the work of a task was not committed')
  }
}
