/** Typing into runs. */
import type { RunInput, RunSize } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import type { Caller } from '../../identity/caller.ts'
import type { TaskTerminal } from '../../sessions/task-terminals.ts'
import type { RunService } from '../service.ts'
import { type InteractiveRuns, isInteractive } from './runs.ts'

export class RunKeyboard {
  readonly #runs: Pick<RunService, 'require'>
  readonly #interactive: Pick<InteractiveRuns, 'terminalOf'>

  constructor(runs: Pick<RunService, 'require'>, interactive: Pick<InteractiveRuns, 'terminalOf'>) {
    this.#runs = runs
    this.#interactive = interactive
  }

  /**
   * Types into the terminal of an interactive run. Throws `NOT_INTERACTIVE` for any other run, `WRONG_STATE` for one that
   * has ended or takes no input now, what `RunService.require` throws, and `FORBIDDEN` for another user's task, whose
   * program may hold that user's own credentials.
   */
  async type(caller: Caller, id: string, { data }: Pick<RunInput, 'data'>): Promise<void> {
    const terminal = await this.#terminal(caller, id)
    if (!terminal.type(Buffer.from(data)))
      throw new AppError('WRONG_STATE', 'The program has not read its earlier input. Try again in a moment.')
  }

  /** Sets the size of its terminal. Throws like {@link type}. */
  async resize(caller: Caller, id: string, { cols, rows }: Pick<RunSize, 'cols' | 'rows'>): Promise<void> {
    const terminal = await this.#terminal(caller, id)
    terminal.resize(cols, rows)
  }

  async #terminal(caller: Caller, id: string): Promise<TaskTerminal> {
    const { run } = await this.#runs.require(caller, id, 'task.input')
    if (run.userId !== caller.userId)
      throw new AppError('FORBIDDEN', 'Only the user who started the task may type into it.')
    if (!isInteractive(run))
      throw new AppError(
        'NOT_INTERACTIVE',
        'This task runs without a terminal, so it takes no input. When it has ended, continue it in a terminal.',
      )
    if (run.endedAt !== null) throw new AppError('WRONG_STATE', 'The task has ended.')
    const terminal = this.#interactive.terminalOf(id)
    if (!terminal)
      throw new AppError('WRONG_STATE', 'The task is being started or taken up again. Try again in a moment.')
    return terminal
  }
}
