/** Typing into runs. */
import { AppError } from '../../../lib/errors.ts'
import type { Caller } from '../../identity/caller.ts'
import type { RunService } from '../service.ts'

export class RunKeyboard {
  readonly #runs: Pick<RunService, 'require'>

  constructor(runs: Pick<RunService, 'require'>) {
    this.#runs = runs
  }

  /**
   * Refuses input and another size: a task runs without a terminal. Throws `NOT_INTERACTIVE`, what `RunService.require`
   * throws, and `FORBIDDEN` for another user's task, whose program may hold that user's own credentials.
   */
  async refuse(caller: Caller, id: string): Promise<never> {
    const { run } = await this.#runs.require(caller, id, 'task.input')
    if (run.userId !== caller.userId)
      throw new AppError('FORBIDDEN', 'Only the user who started the task may type into it.')
    throw new AppError(
      'NOT_INTERACTIVE',
      'This task runs without a terminal, so it takes no input. When it has ended, continue it in a terminal.',
    )
  }
}
