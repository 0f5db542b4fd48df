/** What an agent writes and uses, asked of the engine when somebody looks. */
import type { AgentStats } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { AgentService, Found } from './service.ts'

/** A failure of the engine as an answer to a request. */
export const asAppError = (error: unknown): unknown => {
  if (!(error instanceof RuntimeError)) return error
  if (error.code === 'engine_unavailable')
    return new AppError('ENGINE_UNAVAILABLE', 'The container engine does not answer. Try again in a moment.', {
      cause: error,
    })
  if (error.code === 'not_found' || error.code === 'not_running')
    return new AppError('WRONG_STATE', 'The agent is not running. Start it first.', { cause: error })
  return new AppError('ENGINE_UNAVAILABLE', 'The container engine could not do that. Try again in a moment.', {
    cause: error,
  })
}

export class AgentFigures {
  readonly #runtime: ContainerRuntime
  readonly #agents: AgentService

  constructor(runtime: ContainerRuntime, agents: AgentService) {
    this.#runtime = runtime
    this.#agents = agents
  }

  async stats(found: Found): Promise<AgentStats> {
    const { runningId } = this.#agents.snapshot(found.row)
    if (runningId === null) throw new AppError('WRONG_STATE', 'The agent is not running. Start it first.')
    return this.#runtime.stats(runningId).catch((error: unknown) => Promise.reject(asAppError(error)))
  }

  /** Also of a stopped agent; empty where there is no container. */
  async logs(found: Found, tail: number): Promise<string> {
    const { container } = this.#agents.snapshot(found.row)
    if (!container) return ''
    return this.#runtime.logs(container.id, tail).catch((error: unknown) => Promise.reject(asAppError(error)))
  }
}
