/** Runs the scripts in the container of an agent, so many at once. */
import { AGENT_HOME } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import { asAppError } from '../../runtime/app-error.ts'
import type { ContainerRuntime, RunOptions, RunResult } from '../../runtime/port.ts'
import type { AgentService, Found } from '../agents/service.ts'
import { failureOf, failureOfAct, TOO_LARGE } from './failures.ts'
import type { RepositoryPlace } from './program.ts'
import { AgentTurns } from './turns.ts'

export interface RunnerDeps {
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly runtime: Pick<ContainerRuntime, 'run'>
  readonly newId: NewId
}

export class GitRunner {
  readonly #deps: RunnerDeps
  readonly #turns = new AgentTurns()

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  /** Where a script works for a repository of the home. */
  placeOf(repository: string): RepositoryPlace {
    return { id: this.#deps.newId(), folder: `${AGENT_HOME}/${repository}` }
  }

  /**
   * What `read` makes of the output. Throws `WRONG_STATE` while the agent does not run, `NO_REPOSITORY`, `GIT_REFUSED`,
   * `CHANGES_CONFLICT`, and `ENGINE_UNAVAILABLE`, also for an output that is none of the script.
   */
  async look<T>(found: Found, options: RunOptions, read: (stdout: Buffer, result: RunResult) => T): Promise<T> {
    return this.#run(found, 'looks', options, (result) => {
      if (result.exitCode !== 0 && result.exitCode !== TOO_LARGE) throw failureOf(result.exitCode)
      return read(result.stdout, result)
    })
  }

  /**
   * The output of what changes a repository: one at a time in each agent. Throws like {@link look}, and `FILES_NOT_WRITTEN` if
   * files of the work tree are neither as they were nor as they should be.
   */
  async act(found: Found, options: RunOptions): Promise<Buffer> {
    return this.#run(found, 'acts', options, ({ exitCode, stdout, stderr }) => {
      if (exitCode !== 0) throw failureOfAct(exitCode, stderr.toString('utf8'))
      return stdout
    })
  }

  async #run<T>(
    { row }: Found,
    kind: 'looks' | 'acts',
    options: RunOptions,
    read: (result: RunResult) => T,
  ): Promise<T> {
    const { agents, runtime } = this.#deps
    return this.#turns.run(row.id, kind, async () => {
      const { runningId } = agents.snapshot(row)
      if (runningId === null)
        throw new AppError('WRONG_STATE', 'The agent is not running. Start it, because its files are in its container.')
      try {
        return read(await runtime.run(runningId, options))
      } catch (error) {
        throw asAppError(error)
      }
    })
  }
}
