/** Bounds what runs at once in one agent for its pages of changes. */
import { AppError } from '../../lib/errors.ts'
import { QueueFullError, Semaphore } from '../../lib/semaphore.ts'

/** Looks that run at once in an agent, and those that wait. */
const LOOKS = 4
const WAITING_LOOKS = 40
/** Acts that wait for the one that runs: each takes the index for itself. */
const WAITING_ACTS = 10

interface Turns {
  readonly looks: Semaphore
  readonly acts: Semaphore
  users: number
}

export class AgentTurns {
  /** Of agents in which something runs or waits. */
  readonly #agents = new Map<string, Turns>()

  /** Throws `TOO_MANY_REQUESTS` if too many wait already. */
  async run<T>(agentId: string, kind: 'looks' | 'acts', work: () => Promise<T>): Promise<T> {
    const turns = this.#agents.get(agentId) ?? {
      looks: new Semaphore(LOOKS, WAITING_LOOKS),
      acts: new Semaphore(1, WAITING_ACTS),
      users: 0,
    }
    this.#agents.set(agentId, turns)
    turns.users += 1
    try {
      return await turns[kind].run(work)
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error
      throw new AppError('TOO_MANY_REQUESTS', 'Too much of git runs in this agent at once. Try again in a moment.', {
        cause: error,
        retryAfterSeconds: 1,
      })
    } finally {
      turns.users -= 1
      if (turns.users === 0) this.#agents.delete(agentId)
    }
  }
}
