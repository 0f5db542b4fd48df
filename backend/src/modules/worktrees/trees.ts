/** Gives runs worktrees of their own, and removes those that were left as they were made. */
import { AGENT_HOME, type WorktreeMode } from '@slipway/protocol'
import type { Clock } from '../../lib/time/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { asAppError } from '../../runtime/app-error.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import { Holds } from './holds.ts'
import {
  BROKEN,
  BUSY,
  claiming,
  endedIn,
  ending,
  finding,
  type Ended,
  type EndWish,
  madeIn,
  making,
  nameOf,
  NO_COMMIT,
  NO_WORK_TREE,
  NOT_BUSY,
  readying,
  reasonOf,
  settingUp,
  shortName,
} from './program.ts'
import type { WorktreeMetrics } from './metrics.ts'
import { inUse, refused, wasRemoved } from './refusals.ts'
import type { StoredState, WorktreeRepository, WorktreeRow } from './repository.ts'
import { wishOf } from './wish.ts'

/** A run that is about to start. */
export interface PlacedRun {
  readonly id: string
  readonly agentId: string
  readonly userId: string
  readonly prompt: string
  readonly cwd: string
  /** The session of the CLI that it continues, which belongs to its folder; or null. */
  readonly resumed: string | null
  /** Null: the agent's setting counts. */
  readonly worktree: WorktreeMode | null
}

export interface WorktreesDeps {
  readonly runtime: Pick<ContainerRuntime, 'run'>
  readonly repository: WorktreeRepository
  /** The running agents with their containers. */
  readonly running: () => readonly { readonly agentId: string; readonly containerId: string }[]
  readonly clock: Clock
  readonly newId: NewId
  readonly metrics: Pick<WorktreeMetrics, 'failed'>
  readonly log: Log
}

/** Most characters of a set-up command's last words in an error. */
const SETUP_SHOWN = 500

const whyLocked = (runId: string): string => `Slipway task ${runId}`

export class Worktrees {
  readonly #deps: WorktreesDeps
  readonly #holds = new Holds()

  constructor(deps: WorktreesDeps) {
    this.#deps = deps
  }

  /**
   * The folder in which a run works: in a worktree that it gets, or its own. In the mode `auto` a run without a work tree
   * works in its own folder. Throws `NO_WORKTREE`; `WORKTREE_IN_USE` if that may pass; and what the runtime throws.
   */
  async prepare(run: PlacedRun, containerId: string): Promise<string> {
    const { repository } = this.#deps
    const settings = await repository.settingsOf(run.agentId)
    const at = await repository.containing(run.agentId, run.cwd)
    // Its CLI finds its session only in the same folder.
    const stays = at !== null && (run.resumed !== null || at.runId === run.id)
    const mode = run.worktree ?? settings.mode
    const wish = stays || run.resumed !== null ? 'none' : wishOf(mode, run.prompt)
    if (wish !== 'none') {
      const folder = await this.#make(run, containerId, { wish, settings, isForced: mode === 'always' })
      if (folder !== null) return folder
    }
    if (at) await this.#holds.whenFree(at.id, () => this.#claim(at.id, run, containerId, settings.setup))
    return run.cwd
  }

  /** Ends what runs left in all running agents. Never rejects. */
  async sweep(): Promise<void> {
    const { repository, running, clock, metrics, log } = this.#deps
    const containers = new Map(running().map(({ agentId, containerId }) => [agentId, containerId]))
    for (const row of await repository.left([...containers.keys()], new Date(clock.now())))
      try {
        const containerId = containers.get(row.agentId)
        // One that a run is taking at this moment is left to the next look.
        if (containerId !== undefined) await this.#holds.ifFree(row.id, () => this.#lookAt(row, containerId))
      } catch (error) {
        metrics.failed()
        log.warn({ agentId: row.agentId, worktree: row.id, err: error }, 'a worktree could not be looked at')
      }
    await repository.sweep(new Date(clock.now()))
  }

  /** Ends one that its run has left, unless a run works there. */
  async #lookAt(row: WorktreeRow, containerId: string): Promise<void> {
    const { repository, clock } = this.#deps
    // A run may have begun since, because each removal takes its time.
    const isUsed = await repository.isUsed(row.agentId, row.path, new Date(clock.now()))
    const isBeingMade = row.state === 'making' && (await repository.isStarting(row.runId))
    if (isUsed || isBeingMade) return
    // The next turn finds the same files, and what the set-up made.
    const isHeld = (await repository.conversations(row.agentId)).has(row.id)
    if (!isHeld) await this.#settle(row, containerId, row.state === 'making' ? 'always' : 'if-clean')
    else if (row.state !== 'kept') await this.#settle(row, containerId, 'keep')
  }

  /**
   * Saves and removes one that a user does not want any more. Answers where everything is that was in it, also if another request
   * has removed it meanwhile. Throws `WORKTREE_IN_USE`, `WORKTREE_NOT_READY`, and `ENGINE_UNAVAILABLE` or `WRONG_STATE` if the
   * engine fails.
   */
  async remove(row: WorktreeRow, containerId: string): Promise<string | null> {
    await this.#refuseUsed(row)
    return this.#holds.whenFree(row.id, () => this.#remove(row, containerId))
  }

  async #remove(row: WorktreeRow, containerId: string): Promise<string | null> {
    const { repository, metrics } = this.#deps
    const now = await repository.byId(row.id)
    if (now?.state === 'removed') return now.salvage
    await this.#refuseUsed(row)
    const state = now?.state
    if (state === undefined || state === 'removing') throw inUse()
    if (!(await repository.turn(row.id, [state], 'removing'))) throw inUse()
    const ended = await this.#end(row, containerId, 'always').catch(async (error: unknown) => {
      metrics.failed()
      // The user can remove it again at once. The script goes on where it was interrupted.
      await repository.turn(row.id, ['removing'], state)
      throw asAppError(error)
    })
    if (ended === 'busy') throw inUse()
    if (typeof ended === 'string') throw new AppError('WORKTREE_NOT_READY', `The worktree was not removed: ${ended}.`)
    return ended.salvage
  }

  async #refuseUsed({ agentId, path }: WorktreeRow): Promise<void> {
    const { repository, clock } = this.#deps
    if (await repository.isUsed(agentId, path, new Date(clock.now()))) throw inUse()
  }

  async #make(
    run: PlacedRun,
    containerId: string,
    {
      wish,
      settings,
      isForced,
    }: {
      readonly wish: 'always' | 'if_busy'
      readonly settings: Awaited<ReturnType<WorktreeRepository['settingsOf']>>
      readonly isForced: boolean
    },
  ): Promise<string | null> {
    const { runtime, repository, clock, newId } = this.#deps
    const id = newId()
    const name = `${shortName(run.cwd)}-${id.slice(-12)}`
    const { root, setup } = settings
    const path = `${AGENT_HOME}/${root}/${name}`
    const row = { id, agentId: run.agentId, userId: run.userId, runId: run.id, path, createdAt: new Date(clock.now()) }
    if (!(await repository.create(row)))
      throw refused('The task got no worktree', 'the agent has the most that it may have. Remove one first')
    const active = await repository.activeFolders(run.agentId, run.id)
    const what = { id, folder: run.cwd, root, name, commit: null, active, why: whyLocked(run.id) }
    const { exitCode, stdout } = await runtime.run(containerId, making({ ...what, onlyIfBusy: wish === 'if_busy' }))
    if (exitCode !== 0) {
      const isNone = exitCode === NOT_BUSY || exitCode === NO_WORK_TREE || exitCode === NO_COMMIT
      if (isNone) await repository.forget(id)
      if (isNone && !(isForced && exitCode !== NOT_BUSY)) return null
      throw refused('The task got no worktree', reasonOf(exitCode))
    }
    const made = madeIn(stdout)
    await repository.made(id, made)
    if (setup !== null) await this.#setUp({ id, ...made }, containerId, setup)
    return made.folder
  }

  /** Throws if the command fails. Then what is in the worktree is saved and removed. */
  async #setUp(
    place: Pick<WorktreeRow, 'id' | 'path' | 'common' | 'base'>,
    containerId: string,
    command: string,
  ): Promise<void> {
    const { runtime } = this.#deps
    const { exitCode, stdout } = await runtime.run(containerId, settingUp(place, command))
    if (exitCode === 0) return void (await runtime.run(containerId, readying(place)))
    const words = stdout.toString('utf8').trim().slice(-SETUP_SHOWN).toWellFormed()
    await this.#end(place, containerId, 'always')
    throw refused('The set-up command of the worktree failed', `exit code ${exitCode}. It printed: ${words}`)
  }

  /**
   * A run works in an existing one. One that was removed as it was made is made and set up again. One that was removed with
   * its work is taken if a user has brought it back.
   */
  async #claim(id: string, run: PlacedRun, containerId: string, setup: string | null): Promise<void> {
    const { runtime, repository, clock } = this.#deps
    // It may have changed during the wait.
    const row = await this.#settled(id, containerId)
    const why = whyLocked(run.id)
    const usedAt = new Date(clock.now())
    const isBack = row.state === 'removed' && (await runtime.run(containerId, finding(row))).exitCode === 0
    const from: readonly StoredState[] = isBack ? ['removed'] : ['in_use', 'kept']
    if (await repository.turn(row.id, from, 'in_use', { usedAt, ...(isBack && { kept: null, removedAt: null }) })) {
      const { exitCode } = await runtime.run(containerId, claiming(row, why))
      if (exitCode !== 0) throw refused('The task cannot work in its worktree', reasonOf(BROKEN))
      return
    }
    if (row.state === 'removed' && row.kept !== null) throw wasRemoved(row)
    if (!(await repository.turn(row.id, ['removed'], 'in_use', { usedAt, removedAt: null })))
      throw refused('The task cannot work in its worktree', 'it was not made to its end. Try again in a moment')
    const name = nameOf(row.path)
    const root = row.path.slice(0, -name.length - 1)
    const what = { id: row.id, folder: row.repository, root, name, commit: row.base, active: [], why }
    const { exitCode } = await runtime.run(containerId, making({ ...what, onlyIfBusy: false }))
    if (exitCode === 0) return setup === null ? undefined : this.#setUpAgain(row, containerId, setup)
    await repository.turn(row.id, ['in_use'], 'removed')
    throw refused('The worktree of the task could not be made again', reasonOf(exitCode))
  }

  /** One whose removal a killed server began is ended first. Throws `NO_WORKTREE` if it is gone. */
  async #settled(id: string, containerId: string): Promise<WorktreeRow> {
    const { repository } = this.#deps
    const row = await repository.byId(id)
    if (row?.state === 'removing') await this.#settle(row, containerId, 'keep')
    const now = row?.state === 'removing' ? await repository.byId(id) : row
    if (!now) throw refused('The task cannot work in its worktree', reasonOf(BROKEN))
    return now
  }

  /** After a failure it can be made once more. */
  async #setUpAgain(row: WorktreeRow, containerId: string, setup: string): Promise<void> {
    try {
      await this.#setUp(row, containerId, setup)
    } catch (error) {
      await this.#deps.repository.turn(row.id, ['removed'], 'removed', { kept: null })
      throw error
    }
  }

  /** What a run left is removed if it is as it was made, or kept for its conversation. */
  async #settle(row: WorktreeRow, containerId: string, wish: EndWish): Promise<void> {
    const { repository, log } = this.#deps
    if (!(await repository.turn(row.id, [row.state], 'removing'))) return
    const ended = await this.#end(row, containerId, wish)
    log.info({ agentId: row.agentId, worktree: row.id, ended }, 'a worktree was left')
  }

  /** Answers why it was not removed, or what became of it. */
  async #end(
    place: Pick<WorktreeRow, 'id' | 'path' | 'common' | 'base'>,
    containerId: string,
    wish: EndWish,
  ): Promise<Ended | string> {
    const { runtime, repository, clock, metrics } = this.#deps
    const { id } = place
    const from: readonly StoredState[] = ['removing', 'in_use']
    const { exitCode, stdout } = await runtime.run(containerId, ending(place, wish))
    if (exitCode === BUSY) {
      await repository.turn(id, from, 'in_use')
      return 'busy'
    }
    if (exitCode !== 0) {
      metrics.failed()
      await repository.turn(id, from, 'kept', { kept: reasonOf(exitCode) })
      return reasonOf(exitCode)
    }
    const { kept, salvage } = endedIn(stdout)
    if (kept !== null) {
      await repository.turn(id, from, 'kept', { kept })
      return { kept, salvage }
    }
    const isChanged = wish === 'always'
    const removedAt = new Date(clock.now())
    await repository.turn(id, from, 'removed', { kept: isChanged ? 'removed' : null, salvage, removedAt })
    return { kept: null, salvage }
  }
}
