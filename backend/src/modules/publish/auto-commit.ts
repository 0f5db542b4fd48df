/** Commits what tasks have changed when they have completed, in agents whose owner wants that. */
import { AppError } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import { Semaphore } from '../../lib/semaphore.ts'
import type { Found } from '../agents/service.ts'
import type { reinstater } from '../sessions/recovery/reinstate.ts'
import type { DueTask } from './repository.ts'
import type { PublishService } from './service.ts'

/** Commits at the same time, and those that wait. What finds no place stays in the work tree, for a commit of a user. */
const AT_ONCE = 2
const WAITING_MAX = 200

export interface AutoCommitDeps {
  readonly tasks: { due(id: string): Promise<DueTask | null> }
  readonly service: Pick<PublishService, 'commitByItself'>
  readonly reinstate: ReturnType<typeof reinstater>
  readonly log: Pick<Log, 'info' | 'warn'>
}

export class AutoCommits {
  readonly #deps: AutoCommitDeps
  readonly #turns = new Semaphore(AT_ONCE, WAITING_MAX)
  readonly #open = new Set<Promise<void>>()
  #isStopping = false

  constructor(deps: AutoCommitDeps) {
    this.#deps = deps
  }

  /** Begins the commit of a task that has ended, if its agent wants one. */
  ended(id: string): void {
    if (this.#isStopping) return
    const work = this.#turns
      .run(() => this.#commit(id))
      .catch((error: unknown) => this.#failed(id, error))
      .finally(() => this.#open.delete(work))
    this.#open.add(work)
  }

  /** Begins no more, and resolves when those that run are done. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#open)
  }

  async #commit(id: string): Promise<void> {
    const { tasks, service } = this.#deps
    const due = this.#isStopping ? null : await tasks.due(id)
    const found = due && (await this.#reinstated(due))
    if (found) await service.commitByItself(found.caller, id)
  }

  /** The user of the task with their rights of now. */
  #reinstated({ userId, agentId, via }: DueTask): Promise<Found | null> {
    return this.#deps.reinstate({ userId, agentId, via }, 'task.publish')
  }

  /** A folder without a repository, or one in the middle of a merge, is nothing to worry about: its changes stay. */
  #failed(id: string, error: unknown): void {
    const { log } = this.#deps
    if (error instanceof AppError) log.info({ taskId: id, code: error.code }, 'the work of a task was not committed')
    else log.warn({ taskId: id, err: error }, 'the work of a task was not committed')
  }
}
