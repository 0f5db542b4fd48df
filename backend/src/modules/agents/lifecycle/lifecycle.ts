/** Operations on containers, one at a time for each agent. */
import type { StateReason } from '@slipway/protocol'
import { AppError, notFound } from '../../../lib/errors.ts'
import type { Log } from '../../../lib/log.ts'
import { QueueFullError, Semaphore } from '../../../lib/semaphore.ts'
import { RuntimeError } from '../../../runtime/errors.ts'
import type { ContainerInfo, ContainerRuntime, ContainerSpec } from '../../../runtime/port.ts'
import type { Board } from '../state/board.ts'
import type { AgentRow } from '../rows.ts'
import { reasonFor } from './failures.ts'
import type { Operation } from '../state/state.ts'

/** Time between the stop signal and the kill, in seconds. */
const STOP_GRACE_SECONDS = 5
/**
 * Longest time for the programs of its terminals to end before the container stops, in milliseconds: their 5 s, and the
 * kills.
 */
const TERMINALS_LEAVE_MS = 8_000
/** Most operations that may wait on one agent: enough for a user, but not for a script that floods it. */
const WAITING_PER_AGENT = 8
/** Containers that start at the same time; the others wait. Otherwise fifty new ones would time out. */
const LAUNCHES_AT_ONCE = 4
const LAUNCHES_WAITING = 10_000

interface Parts {
  readonly runtime: ContainerRuntime
  readonly board: Board
  readonly log: Log
  readonly defaultImage: string
  /** Prepares the home of a running container, so that the CLIs ask nothing at their first start. */
  prepareHome(containerId: string): Promise<void>
  /** Resolves when no process of the terminals that were told to end is left. */
  terminalsLeft(agentId: string): Promise<void>
}

interface Options {
  /** Whether there is nothing to do any more. */
  readonly isDone?: () => boolean
  /** The reason that is shown afterwards. */
  readonly because?: StateReason | null
  /** False if the home was deleted before the operation failed. */
  readonly hasHome?: () => false | undefined
}

export class Lifecycle {
  readonly #parts: Parts
  /** Runs one operation at a time for each agent. */
  readonly #turns = new Map<string, Semaphore>()
  readonly #launches = new Semaphore(LAUNCHES_AT_ONCE, LAUNCHES_WAITING)

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Creates a new agent's container and home, and starts it. A failure becomes the agent's state. */
  create(row: AgentRow): Promise<void> {
    return this.#exclusively(row, 'creating', () => this.#launch(row))
  }

  /**
   * Starts the agent, and creates its container if there is none. A running container is kept even if the settings have
   * changed: a user who presses Start does not want to end its programs.
   */
  start(row: AgentRow): Promise<void> {
    return this.#exclusively(row, 'starting', () => this.#launch(row), {
      isDone: () => this.#parts.board.get(row.id).runningId !== null,
    })
  }

  /** `because` is shown afterwards if no user asked for the stop. */
  stop(row: AgentRow, because: StateReason | null = null): Promise<void> {
    return this.#exclusively(row, 'stopping', () => this.#stop(row), { because })
  }

  restart(row: AgentRow): Promise<void> {
    return this.#exclusively(row, 'starting', async () => {
      await this.#stop(row)
      return this.#launch(row)
    })
  }

  /** Replaces the container and keeps the home. */
  recreate(row: AgentRow): Promise<void> {
    return this.#exclusively(row, 'creating', async () => {
      const container = await this.#find(row)
      await this.#terminalsLeft(row)
      if (container) await this.#parts.runtime.remove(container.id)
      return this.#launch(row)
    })
  }

  /**
   * Deletes the container and the home, then calls `forget`. Waiting operations then find the agent gone. If the engine
   * fails, the agent stays and shows the reason.
   */
  async delete(row: AgentRow, forget: () => Promise<void>): Promise<void> {
    let failure: unknown
    let hasHome: false | undefined
    const work = async (): Promise<null> => {
      try {
        const container = await this.#findOwn(row)
        await this.#terminalsLeft(row)
        if (container) await this.#parts.runtime.remove(container.id)
        await this.#parts.runtime.removeHome({ agentId: row.id, agentName: row.name })
        hasHome = false
        await forget()
      } catch (error) {
        failure = error
        throw error
      }
      this.#parts.board.forget(row.id)
      this.#turns.delete(row.id)
      return null
    }
    await this.#exclusively(row, 'deleting', work, { hasHome: () => hasHome })
    if (failure instanceof RuntimeError)
      throw new AppError('ENGINE_UNAVAILABLE', 'The container engine could not delete the agent. Try again.', {
        cause: failure,
      })
    if (failure !== undefined) throw failure as Error
  }

  /** The fingerprint of a container created from the current settings. */
  fingerprintOf(row: AgentRow): string {
    return this.#parts.runtime.fingerprint(this.#specOf(row))
  }

  #specOf(row: AgentRow): ContainerSpec {
    return {
      agentId: row.id,
      agentName: row.name,
      ownerId: row.ownerId,
      isSystem: row.isSystem,
      uid: row.uid,
      image: row.image ?? this.#parts.defaultImage,
      cpus: row.cpus,
      memoryMb: row.memoryMb,
    }
  }

  async #launch(row: AgentRow): Promise<ContainerInfo> {
    return this.#launches.run(async () => {
      const { runtime } = this.#parts
      const container = await runtime.launch(this.#specOf(row))
      try {
        await this.#parts.prepareHome(container.id)
      } catch (error) {
        // An agent that failed must not have a running container; the home is kept.
        await runtime.remove(container.id).catch(() => undefined)
        throw error
      }
      return container
    })
  }

  async #stop(row: AgentRow): Promise<ContainerInfo | null> {
    const container = await this.#find(row)
    if (!container) return null
    await this.#terminalsLeft(row)
    await this.#parts.runtime.stop(container.id, STOP_GRACE_SECONDS)
    return { ...container, running: false }
  }

  /** Stopping a container kills all programs in it at once, so the programs of terminals get time to end before. */
  async #terminalsLeft(row: AgentRow): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<null>()
    const timer = setTimeout(() => resolve(null), TERMINALS_LEAVE_MS)
    await Promise.race([this.#parts.terminalsLeft(row.id), late])
    clearTimeout(timer)
  }

  #find(row: AgentRow): Promise<ContainerInfo | null> {
    return this.#parts.runtime.find({ agentId: row.id, agentName: row.name })
  }

  /** A foreign container of that name prevents creation, but not deletion. */
  async #findOwn(row: AgentRow): Promise<ContainerInfo | null> {
    try {
      return await this.#find(row)
    } catch (error) {
      if (error instanceof RuntimeError && error.code === 'name_taken') return null
      throw error
    }
  }

  async #exclusively(
    row: AgentRow,
    operation: Operation,
    work: () => Promise<ContainerInfo | null>,
    { isDone = () => false, because = null, hasHome = () => undefined }: Options = {},
  ): Promise<void> {
    const { board } = this.#parts
    const turn = this.#turns.get(row.id) ?? new Semaphore(1, WAITING_PER_AGENT)
    // Without an entry the agent was deleted meanwhile.
    if (board.has(row.id)) this.#turns.set(row.id, turn)
    try {
      await turn.run(async () => {
        if (!board.has(row.id)) throw notFound()
        if (isDone()) return
        board.begin(row.id, operation)
        try {
          board.settle(row.id, { container: await work(), failure: because })
        } catch (error) {
          await this.#failed(row, reasonFor(error, this.#specOf(row)), error, hasHome())
        }
      })
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error
      throw new AppError('WRONG_STATE', 'Too many operations wait for this agent. Wait until they are done.')
    }
  }

  /**
   * Asks the engine for the container again, since the operation may have failed before or after creating it. If the
   * engine cannot answer, the board keeps the last known container.
   */
  async #failed(row: AgentRow, failure: StateReason, error: unknown, hasHome: false | undefined): Promise<void> {
    this.#parts.log.warn({ agentId: row.id, reason: failure.code, err: error }, 'agent operation failed')
    const container = await this.#findOwn(row).catch(() => undefined)
    this.#parts.board.settle(row.id, { container, hasHome, failure })
  }
}
