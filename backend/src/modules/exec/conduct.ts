/** What becomes of a program that runs: its outputs are collected, something ends it, and its end is recorded. */
import type { ExecResult } from '@slipway/protocol'
import { EXEC_OUTPUT_BYTES } from '@slipway/protocol'
import { SECOND_MS } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import { FROM_THE_START, type Offsets, type OutputName, type Program, type ProgramExit } from '../../runtime/port.ts'
import { disconnected, type Ending, endingOfExit } from '../sessions/ending.ts'
import { EXEC_MODE as MODE, type SessionEnd, type SessionRecords } from '../sessions/records.ts'
import { OutputTail } from './output.ts'
import type { ExecRegistry, Run } from './registry.ts'

export interface ConductDeps {
  readonly execs: Pick<ExecRegistry, 'release'>
  readonly records: Pick<SessionRecords, 'ended'>
  readonly log: Log
}

/** How it is conducted. */
export interface Terms {
  /** Aborted when the caller no longer waits for the program, which is then ended. */
  readonly left: AbortSignal
  /** Aborted when its time is over. */
  readonly late: AbortSignal
  /** How long it has run already, in milliseconds. */
  readonly ranMs?: number
  /** Most that is kept of each output, in bytes. */
  readonly keptBytes?: number
  /** Where its outputs begin: what was before is lost. */
  readonly from?: Offsets
  /** Told every output as it comes. */
  readonly onOutput?: ((from: OutputName, chunk: Uint8Array) => void) | undefined
}

/** Why it is over; `exit` only where it ended by itself. */
type Outcome =
  | { readonly kind: 'exited'; readonly exit: ProgramExit }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'ended'; readonly ending: Ending }

/**
 * Resolves when the program has ended, or nothing is left of one that took too long. An end from outside is reported at
 * once: a caller who lost the right to the program hears nothing more of it, even if the program takes long to go. Frees its place when
 * none of its processes is left.
 */
export const conduct = async (
  { execs, records, log }: ConductDeps,
  run: Run,
  program: Program,
  { left, late, ranMs = 0, keptBytes = EXEC_OUTPUT_BYTES, from: first = FROM_THE_START, onOutput }: Terms,
): Promise<ExecResult> => {
  const record = (outcome: Outcome): void => {
    const end = endOf(run.row.name, outcome)
    records.ended(run.sessionId, end)
    log.info({ sessionId: run.sessionId, agentId: run.row.id, reason: end.reason }, 'exec ended')
  }
  const began = performance.now() - ranMs
  const kept = { stdout: new OutputTail(keptBytes, first.stdout), stderr: new OutputTail(keptBytes, first.stderr) }
  let isOver = false
  run.leader = program.leader
  program.onOutput((chunk, from, offset) => {
    program.acknowledge(from, offset + chunk.length)
    if (isOver) return
    kept[from].append(chunk)
    onOutput?.(from, chunk)
  })
  let outcome = await outcomeOf(program, run, { left, late })
  // The caller may have stopped reading, and a program that is blocked on its output could not react to the hang-up.
  if (outcome.kind !== 'exited') program.resume()
  const hungUp = program.hangUp().then(
    () => true,
    (error: unknown) => {
      log.error({ sessionId: run.sessionId, err: error }, 'processes of an exec are left')
      return false
    },
  )
  let gone: Promise<unknown> = hungUp
  try {
    if (outcome.kind === 'timed_out') outcome = await outcomeOfTimeout(program, run, hungUp, outcome)
    isOver = outcome.kind === 'ended'
    // A server that starts anew ends what is left of all that is not recorded as ended.
    if (isOver) gone = hungUp.then(() => record(outcome))
    else record(outcome)
    return resultOf(run, outcome, kept, performance.now() - began)
  } finally {
    // What it left in the background is being ended: until then it counts as running.
    void gone.catch(() => undefined).finally(() => execs.release(run))
  }
}

/** Aborts it after so many seconds, less what the program has run already. */
export const lateAfter = (late: AbortController, seconds: number, ranMs = 0): { clear(): void } => {
  const timer = setTimeout(() => late.abort(), Math.max(0, seconds * SECOND_MS - ranMs))
  return { clear: () => clearTimeout(timer) }
}

/** Settles with whatever comes first, and leaves nothing behind of the rest. */
const outcomeOf = async (
  program: Program,
  run: Run,
  { left, late }: Pick<Terms, 'left' | 'late'>,
): Promise<Outcome> => {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const settled = new AbortController()
  const on = (signal: AbortSignal, outcome: Outcome): void => {
    if (signal.aborted) resolve(outcome)
    else signal.addEventListener('abort', () => resolve(outcome), { once: true, signal: settled.signal })
  }
  on(left, { kind: 'ended', ending: disconnected })
  on(late, { kind: 'timed_out' })
  void program.exit.then((exit) => resolve({ kind: 'exited', exit }))
  void run.ended.then((ending) => resolve({ kind: 'ended', ending }))
  try {
    return await promise
  } finally {
    settled.abort()
  }
}

/** The caller may leave while a program is being ended for its time. If the program cannot be ended, the outcome does not wait for it. */
const outcomeOfTimeout = (program: Program, run: Run, hungUp: Promise<boolean>, timedOut: Outcome): Promise<Outcome> =>
  Promise.race([
    hungUp
      .then((isGone) => (isGone ? program.exit : undefined))
      .catch(() => undefined)
      .then(() => timedOut),
    run.ended.then((ending): Outcome => ({ kind: 'ended', ending })),
  ])

const endOf = (agentName: string, outcome: Outcome): SessionEnd => {
  if (outcome.kind === 'timed_out') return { reason: 'timed_out' }
  return outcome.kind === 'ended' ? outcome.ending : endingOfExit(MODE, agentName, outcome.exit)
}

const resultOf = (
  { row }: Run,
  outcome: Outcome,
  { stdout, stderr }: Record<OutputName, OutputTail>,
  durationMs: number,
): ExecResult => {
  if (outcome.kind === 'ended') throw asFailure(outcome.ending)
  const exit = outcome.kind === 'exited' ? outcome.exit : null
  if (exit?.cause === 'container_stopped' || exit?.cause === 'engine_unavailable')
    throw asFailure(endingOfExit(MODE, row.name, exit))
  return {
    exitCode: exit?.exitCode ?? null,
    stdout: stdout.text,
    stderr: stderr.text,
    truncated: stdout.isTruncated || stderr.isTruncated,
    timedOut: outcome.kind === 'timed_out',
    outOfMemory: exit?.cause === 'out_of_memory',
    durationMs: Math.round(durationMs),
  }
}

/** What ended it from outside, as an answer to a request. */
export const asFailure = ({ reason, message }: Ending): AppError => {
  switch (reason) {
    case 'access_revoked':
      return new AppError('FORBIDDEN', message)
    case 'server_stopping':
      return new AppError('SERVER_STOPPING', message)
    case 'engine_unavailable':
      return new AppError('ENGINE_UNAVAILABLE', 'The container engine does not answer. Try again in a moment.')
    default:
      return new AppError('WRONG_STATE', message)
  }
}
