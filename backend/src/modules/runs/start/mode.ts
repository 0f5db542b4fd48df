/** What the mode of a run asks of its request. */
import { type RunMode, type RunRequest, RUN_TIMEOUT_SECONDS_MAX } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import { allows } from '../../access/policy.ts'
import type { Found } from '../../agents/service.ts'
import type { HeadlessOptions } from '../../providers/headless/headless.ts'
import { PROMPT_ARGUMENT_BYTES } from '../../providers/provider.ts'
import { outputOf, type TaskProvider } from '../../providers/task-provider.ts'

/** The output of a run in the mode `pty`, as `outputFormat`. */
export const PTY_OUTPUT = 'text'

/**
 * A program of the mode `pty` with an empty standard input. No user types there, so a question would wait until the time is over.
 * The other two streams stay on the terminal.
 */
export const withoutInput = (argv: readonly string[]): readonly string[] => [
  ...['/bin/sh', '-c', 'exec "$@" </dev/null', 'slipway-pty'],
  ...argv,
]

const refused = (message: string): AppError => new AppError('VALIDATION', `body.${message}`)

/** The mode of a request. Throws if the request asks for what that mode cannot. */
export const modeOf = (
  body: RunRequest,
  { terminalMode, plainArgv, label, headless }: TaskProvider,
  found: Found,
): RunMode => {
  const { mode = 'auto', prompt } = body
  if (mode === 'auto') {
    if (prompt === undefined) throw refused('prompt: is needed')
    return mode
  }
  if (prompt !== undefined && Buffer.byteLength(prompt) > PROMPT_ARGUMENT_BYTES)
    throw refused(`prompt: is an argument in the mode ${mode}, which has at most ${PROMPT_ARGUMENT_BYTES} bytes`)
  if (body.queue === true) throw refused(`queue: a task in the mode ${mode} cannot wait in line`)
  if (mode === 'pty') {
    if (plainArgv === null) throw refused(`mode: ${label} does not run in the mode pty`)
    if (body.resume !== undefined) throw refused('resume: a task in the mode pty cannot continue another one')
    if (body.max_turns !== undefined && headless.limitsTurns !== 'argument')
      throw refused(`max_turns: ${label} does not limit its turns in the mode pty`)
    if (body.max_budget_usd !== undefined && headless.limitsBudget !== true)
      throw refused(`max_budget_usd: ${label} does not limit its cost in the mode pty`)
    return mode
  }
  if (terminalMode === null) throw refused(`mode: ${label} has no interactive tasks`)
  for (const field of ['max_turns', 'max_budget_usd'] as const)
    if (body[field] !== undefined) throw refused(`${field}: an interactive task has no such limit`)
  if (!allows(found.caller, 'task.terminal', found.relation))
    throw new AppError('FORBIDDEN', 'An interactive task needs the right to open terminals.')
  return mode
}

/** The CLI's own session of a run that starts; null: the CLI will name it. On a terminal no CLI says its name. */
export const sessionOf = (
  mode: RunMode,
  { headless, takesNewSession }: TaskProvider,
  options: HeadlessOptions,
  asks: boolean,
): string | null => {
  if (mode === 'auto') return outputOf(headless, asks).read(options).verdict().sessionId
  if (mode === 'pty') return null
  return options.resume ?? (takesNewSession ? options.sessionId : null)
}

/** The time limit of a run, in seconds; 0: none. Throws if the request's is too long. */
export const timeoutOf = (mode: RunMode, asked: number | undefined, limits: TaskProvider['timeoutSeconds']): number => {
  const max = mode === 'interactive' ? RUN_TIMEOUT_SECONDS_MAX : limits.max
  if (asked !== undefined && asked > max) throw refused(`timeout_seconds: must be <= ${max} for this provider`)
  return asked ?? (mode === 'interactive' ? 0 : limits.default)
}
