/** What a run changed in the git work tree of its folder: between its start and now, or its end. */
import type { CodingSessionDiff } from '@slipway/protocol'
import type { Log } from '../../../lib/log.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import type { Masking } from '../output/masking.ts'
import type { Held, RunRepository } from '../repository.ts'
import type { Collected } from '../stored-end.ts'
import { type Changes, changesIn, UNKNOWN } from '../../git/diff/parse.ts'
import { beginning, comparison, FAILURES, keeping, NO_WORK_TREE, removal } from './program.ts'
import { writeDiff } from './stored.ts'

export interface ChangeDeps {
  readonly runtime: Pick<ContainerRuntime, 'run'>
  readonly repository: Pick<RunRepository, 'changed'>
  /** The folder of the transcripts. */
  readonly folder: string
  readonly log: Log
  /** Called when nothing of a run is left to read in its work tree. */
  readonly over?: () => void
}

/** A run whose changes are read. */
export interface ChangedRun {
  readonly held: Held
  readonly containerId: string
  /** The tree of its start; null: unknown. */
  readonly startTree: string | null
  readonly masking: Masking
}

/**
 * Stores the work tree of a folder in the container, without a change to its repository. Call it before the program
 * starts. Answers its tree, or null if the folder is in no work tree, or if that is not read in time. Never rejects.
 */
export const beginChanges = async (
  { runtime, log }: Pick<ChangeDeps, 'runtime' | 'log'>,
  containerId: string,
  { id, cwd }: { readonly id: string; readonly cwd: string },
): Promise<string | null> => {
  try {
    const { exitCode, stdout } = await runtime.run(containerId, beginning(id, cwd))
    const [, tree = null] = /^([0-9a-f]{40,64})\n$/.exec(stdout.toString('latin1')) ?? []
    if (exitCode === 0 && tree !== null) return tree
    if (exitCode !== NO_WORK_TREE)
      log.info({ sessionId: id, exitCode, why: FAILURES[exitCode] }, 'the changes of a run will not be known')
  } catch (error) {
    log.warn({ sessionId: id, err: error }, 'the changes of a run will not be known')
  }
  return null
}

/** Removes what {@link beginChanges} stored in the container. Never rejects. */
export const forgetChanges = async ({ runtime, log }: ChangeDeps, containerId: string, id: string): Promise<void> => {
  await runtime.run(containerId, removal(id)).catch((error: unknown) => {
    // It goes with the container, or with a later run two days from now.
    log.debug({ sessionId: id, err: error }, 'the start of a run is left in its container')
  })
}

export class RunChanges {
  readonly #deps: ChangeDeps
  readonly #run: ChangedRun
  /** The look in progress, which simultaneous callers share. */
  #look: Promise<Changes> | null = null
  #collected: Promise<CodingSessionDiff> | null = null

  constructor(deps: ChangeDeps, run: ChangedRun) {
    this.#deps = deps
    this.#run = run
  }

  /** What has changed so far, or until its end if that was collected. Never rejects. */
  async diff(): Promise<CodingSessionDiff> {
    if (this.#collected) return this.#collected
    this.#look ??= this.#compare().finally(() => (this.#look = null))
    return { sessionId: this.#run.held.id, live: true, ...(await this.#look) }
  }

  /** Reads and stores what changed, once its program has ended. Answers what belongs into its row. Never rejects. */
  async collect(): Promise<Collected> {
    this.#collected ??= this.#collect()
    const { changesDetected, filesChanged, insertions, deletions } = await this.#collected
    return { changesDetected, filesChanged, insertions, deletions, startTree: null }
  }

  /** Like {@link collect}, for a run whose end was stored before. */
  async collectLate(): Promise<void> {
    const { repository, log } = this.#deps
    const { held } = this.#run
    const collected = await this.collect()
    await repository.changed(held, collected).catch((error: unknown) => {
      log.warn({ sessionId: held.id, err: error }, 'the changes of a run could not be counted')
    })
  }

  /**
   * Leaves the start of the run in the container for those who review its changes, for a limited time, or removes it if
   * they are unknown. Call it when everything of the end is stored. Never rejects.
   */
  async leave(): Promise<void> {
    await this.#leave()
    this.#deps.over?.()
  }

  async #leave(): Promise<void> {
    const { containerId, held, startTree } = this.#run
    const { runtime, log } = this.#deps
    if (startTree === null) return
    if ((await this.#collected)?.changesDetected == null) return forgetChanges(this.#deps, containerId, held.id)
    await runtime.run(containerId, keeping(held.id)).catch((error: unknown) => {
      log.debug({ sessionId: held.id, err: error }, 'the starts of earlier runs are left in the container')
    })
  }

  async #collect(): Promise<CodingSessionDiff> {
    const { id } = this.#run.held
    const { startTree } = this.#run
    const diff = { sessionId: id, live: false, ...(await this.#compare()) }
    if (diff.changesDetected !== null && startTree !== null)
      await writeDiff(this.#deps.folder, { ...diff, startTree }).catch((error: unknown) => {
        this.#deps.log.error({ sessionId: id, err: error }, 'the changes of a run could not be stored')
      })
    return diff
  }

  async #compare(): Promise<Changes> {
    const { held, containerId, startTree, masking } = this.#run
    const { runtime, log } = this.#deps
    if (startTree === null) return UNKNOWN
    try {
      const { exitCode, stdout } = await runtime.run(containerId, comparison(held.id, startTree))
      if (exitCode === 0) {
        const { tree: _, ...changes } = changesIn(stdout, masking)
        return changes
      }
      log.info({ sessionId: held.id, exitCode, why: FAILURES[exitCode] }, 'the changes of a run could not be read')
    } catch (error) {
      log.warn({ sessionId: held.id, err: error }, 'the changes of a run could not be read')
    }
    return UNKNOWN
  }
}
