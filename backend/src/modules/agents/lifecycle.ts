/** What is done to containers, one thing at a time for each agent. */
import type { StateReason } from '@slipway/protocol'
import { AppError, notFound } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import { QueueFullError, Semaphore } from '../../lib/semaphore.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import type { ContainerInfo, ContainerRuntime, ContainerSpec } from '../../runtime/port.ts'
import type { Board } from './board.ts'
import type { AgentRow } from './rows.ts'
import { reasonFor } from './failures.ts'
import type { Operation } from './state.ts'

/** From the stop signal to the kill, in seconds. */
const STOP_GRACE_SECONDS = 5
/** Operations on one agent that may wait; a person who clicks, not a program that hammers. */
const WAITING_PER_AGENT = 8
/** Containers that are started at once, so that fifty new ones do not make each other time out; the rest waits. */
const LAUNCHES_AT_ONCE = 4
const LAUNCHES_WAITING = 10_000

interface Parts {
  readonly runtime: ContainerRuntime
  readonly board: Board
  readonly log: Log
  readonly defaultImage: string
  /** Prepares the home of a running container, so that the CLIs ask nothing at their first start. */
  prepareHome(row: AgentRow, containerId: string): Promise<void>
}

/** Whoever waits for a turn while the agent is deleted finds it gone. */
interface AgentQueue {
  readonly turn: Semaphore
  deleted: boolean
}

export class Lifecycle {
  readonly #parts: Parts
  readonly #queues = new Map<string, AgentQueue>()
  readonly #launches = new Semaphore(LAUNCHES_AT_ONCE, LAUNCHES_WAITING)

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Makes the agent run, making its container where there is none. Failures become its state. */
  launch(row: AgentRow, operation: Extract<Operation, 'creating' | 'starting'> = 'starting'): Promise<void> {
    return this.#exclusively(row, operation, () => this.#launch(row))
  }

  stop(row: AgentRow): Promise<void> {
    return this.#exclusively(row, 'stopping', () => this.#stop(row))
  }

  restart(row: AgentRow): Promise<void> {
    return this.#exclusively(row, 'starting', async () => {
      await this.#stop(row)
      return this.#launch(row)
    })
  }

  /** Throws the container away, keeps the home and starts with a new one. */
  recreate(row: AgentRow): Promise<void> {
    return this.#exclusively(row, 'creating', async () => {
      const container = await this.#find(row)
      if (container) await this.#parts.runtime.remove(container.id)
      return this.#launch(row)
    })
  }

  /** Container and home; then `forget`. When the engine fails, the agent stays and says why. */
  async delete(row: AgentRow, forget: () => Promise<void>): Promise<void> {
    let failure: unknown
    await this.#exclusively(row, 'deleting', async () => {
      try {
        const container = await this.#find(row)
        if (container) await this.#parts.runtime.remove(container.id)
        await this.#parts.runtime.removeHome(row.name)
        await forget()
      } catch (error) {
        failure = error
        throw error
      }
      const queue = this.#queues.get(row.id)
      if (queue) queue.deleted = true
      this.#queues.delete(row.id)
      return null
    })
    if (failure instanceof RuntimeError)
      throw new AppError('ENGINE_UNAVAILABLE', 'The container engine could not delete it. Try again.', {
        cause: failure,
      })
    if (failure !== undefined) throw failure as Error
  }

  /** What a container made from the settings of now would carry. */
  fingerprintOf(row: AgentRow): string {
    return this.#parts.runtime.fingerprint(this.#specOf(row))
  }

  #specOf(row: AgentRow): ContainerSpec {
    return {
      agentId: row.id,
      agentName: row.name,
      ownerId: row.ownerId,
      isSystem: row.isSystem,
      image: row.image ?? this.#parts.defaultImage,
      cpus: row.cpus,
      memoryMb: row.memoryMb,
    }
  }

  async #launch(row: AgentRow): Promise<ContainerInfo> {
    return this.#launches.run(async () => {
      const container = await this.#parts.runtime.launch(this.#specOf(row))
      await this.#parts.prepareHome(row, container.id)
      return container
    })
  }

  async #stop(row: AgentRow): Promise<ContainerInfo | null> {
    const container = await this.#find(row)
    if (!container) return null
    await this.#parts.runtime.stop(container.id, STOP_GRACE_SECONDS)
    return { ...container, running: false }
  }

  #find(row: AgentRow): Promise<ContainerInfo | null> {
    return this.#parts.runtime.find({ agentId: row.id, agentName: row.name })
  }

  async #exclusively(row: AgentRow, operation: Operation, work: () => Promise<ContainerInfo | null>): Promise<void> {
    const queue = this.#queues.get(row.id) ?? { turn: new Semaphore(1, WAITING_PER_AGENT), deleted: false }
    this.#queues.set(row.id, queue)
    try {
      await queue.turn.run(async () => {
        if (queue.deleted) throw notFound()
        this.#parts.board.begin(row.id, operation)
        try {
          this.#parts.board.settle(row.id, { container: await work() })
        } catch (error) {
          await this.#failed(row, reasonFor(error, this.#specOf(row)), error)
        }
      })
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error
      throw new AppError('WRONG_STATE', 'Too much is being done to this agent already. Wait until it is over.')
    }
  }

  /** What there is of a container is asked for anew: the operation may have failed before or after it was made. */
  async #failed(row: AgentRow, failure: StateReason, error: unknown): Promise<void> {
    this.#parts.log.warn({ agentId: row.id, reason: failure.code, err: error }, 'agent operation failed')
    const container = await this.#find(row).catch(() => null)
    this.#parts.board.settle(row.id, { container, failure })
  }
}
