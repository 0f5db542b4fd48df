/** The relays of all agents that run. */
import type { Duplex } from 'node:stream'
import type { Board } from '../agents/state/board.ts'
import type { Attended } from '../sessions/claim.ts'
import { Keeper } from './keeper.ts'
import type { RelayDeps } from './open.ts'

export interface RelaysDeps extends RelayDeps {
  readonly board: Pick<Board, 'get'>
  /** Gets each connection of a program, with its agent. */
  readonly connected: (agentId: string, stream: Duplex) => void
}

export class Relays {
  readonly #deps: RelaysDeps
  readonly #keepers = new Map<string, Keeper>()
  /** The last look at each agent; looks at one agent follow each other. */
  readonly #looks = new Map<string, Promise<void>>()
  #isStopping = false

  constructor(deps: RelaysDeps) {
    this.#deps = deps
  }

  /** Starts or ends the relay of an agent, as its state is now. Never throws. */
  look(agentId: string): void {
    const before = this.#looks.get(agentId) ?? Promise.resolve()
    const look = before
      .then(() => this.#look(agentId))
      .finally(() => {
        if (this.#looks.get(agentId) === look) this.#looks.delete(agentId)
      })
    this.#looks.set(agentId, look)
  }

  /** The relay of an agent, as a session that accounts for its processes. */
  attended(agentId: string): Attended[] {
    return this.#keepers.get(agentId)?.attended() ?? []
  }

  /** Ends all. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#looks.values())
    await Promise.all([...this.#keepers.values()].map((keeper) => keeper.stop()))
  }

  async #look(agentId: string): Promise<void> {
    const { board, connected } = this.#deps
    const keeper = this.#keepers.get(agentId)
    const { runningId } = board.get(agentId)
    const isWanted = runningId !== null && !this.#isStopping
    if (keeper && isWanted && keeper.containerId === runningId) return
    this.#keepers.delete(agentId)
    await keeper?.stop()
    if (!isWanted || this.#isStopping) return
    const tell = (stream: Duplex): void => connected(agentId, stream)
    this.#keepers.set(agentId, new Keeper(this.#deps, runningId, tell))
  }
}
