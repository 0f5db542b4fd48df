/** Follows a running program: collects its outputs, ends it if necessary, and records its end. */
import type { ExecResult } from '@slipway/protocol'
import { EXEC_OUTPUT_BYTES } from '@slipway/protocol'
import { SECOND_MS } from '../../lib/time/clock.ts'
import type { Log } from '../../lib/log.ts'
import { FROM_THE_START, type Offsets, type OutputName, type Program, type ProgramExit } from '../../runtime/program.ts'
import { disconnected, type Ending, endingOfExit } from '../sessions/ending.ts'
import { asFailure } from '../sessions/failure.ts'
import { EXEC_MODE as MODE, type SessionEnd, type SessionRecords } from '../sessions/records/records.ts'
import { OutputTail } from '../sessions/output-tail.ts'
import type { OpenProgram, Programs } from '../sessions/programs.ts'

export interface ConductDeps {
  readonly execs: Pick<Programs, 'release'>
  readonly records: Pick<SessionRecords, 'ended'>
  readonly log: Log
}

/** The conditions of a run. */
export interface Terms {
  /** Aborted when the caller no longer waits for the program, which then ends. */
  readonly left: AbortSignal
  /** Aborted when the program's time is over. */
  readonly late: AbortSignal
  /** How long it has run already, in milliseconds. */
  readonly ranMs?: number
  /** Longest end of each output that is kept, in bytes. */
  readonly keptBytes?: number
  /** The offsets at which its outputs begin; earlier output is lost. */
  readonly from?: Offsets
  /** Called with each piece of output. */
  readonly onOutput?: ((from: OutputName, chunk: Uint8Array) => void) | undefined
}

/** Why the program is over; `exit` only if it ended by itself. */
type Outcome =
  | { readonly kind: 'exited'; readonly exit: ProgramExit }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'ended'; readonly ending: Ending }

/**
 * Resolves when the program has ended. If it took too long, resolves when none of its processes is left. An end from
 * outside is reported at once: a caller who lost the right gets no more output, even if the program ends slowly. Frees
 * the program's place when none of its processes is left.
 */
export const conduct = async (
  { execs, records, log }: ConductDeps,
  run: OpenProgram,
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
    // The next start of the server ends the processes of every program without a recorded end.
    if (isOver) gone = hungUp.then(() => record(outcome))
    else record(outcome)
    return resultOf(run, outcome, kept, performance.now() - began)
  } finally {
    // Its background processes are being ended. Until then the program counts as running.
    void gone.catch(() => undefined).finally(() => execs.release(run))
  }
}

/** Aborts `late` after `seconds`, less the time that the program has run. */
export const lateAfter = (late: AbortController, seconds: number, ranMs = 0): { clear(): void } => {
  const timer = setTimeout(() => late.abort(), Math.max(0, seconds * SECOND_MS - ranMs))
  return { clear: () => clearTimeout(timer) }
}

/** Settles with the first event, and removes the listeners of the others. */
const outcomeOf = async (
  program: Program,
  run: OpenProgram,
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

/**
 * The caller may leave while the program is being ended for its time. If it cannot be ended, the outcome does not wait.
 */
const outcomeOfTimeout = (
  program: Program,
  run: OpenProgram,
  hungUp: Promise<boolean>,
  timedOut: Outcome,
): Promise<Outcome> =>
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
  { row }: OpenProgram,
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
