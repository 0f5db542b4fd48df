/** Runs a program in an agent to its end, for a caller who waits. */
import {
  AGENT_HOME,
  CREDENTIAL_SERVICES,
  EXEC_TIMEOUT_SECONDS_DEFAULT,
  type ExecBody,
  type ExecResult,
} from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import {
  type ContainerRuntime,
  KEPT_OUTPUT_MIN_BYTES,
  type OutputName,
  type Program,
  type ProgramExit,
} from '../../runtime/port.ts'
import { asAppError } from '../../runtime/app-error.ts'
import type { AgentService, Locate } from '../agents/service.ts'
import type { Caller } from '../identity/caller.ts'
import type { Provisioner } from '../credentials/provision.ts'
import { disconnected, type Ending, endingOfExit, engineUnavailable, notRunning } from '../sessions/ending.ts'
import { sessionEnvironment } from '../sessions/environment.ts'
import { EXEC_MODE as MODE, type SessionEnd, type SessionRecords } from '../sessions/records.ts'
import { EndedBeforeStart, startSession } from '../sessions/start.ts'
import { OutputTail } from './output.ts'
import type { ExecRegistry, Run } from './registry.ts'

/** How long a program waits for a server that is killed or away, in seconds: longer than a restart takes. */
const KEEP_SECONDS = 300

export interface ExecDeps {
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly runtime: Pick<ContainerRuntime, 'start'>
  readonly provisioner: Pick<Provisioner, 'provide'>
  readonly execs: ExecRegistry
  readonly records: Pick<SessionRecords, 'begin' | 'running' | 'ended'>
  readonly newId: NewId
  readonly log: Log
}

/** Who waits for it. */
export interface Waiting {
  /** Asked anew at each call, so that what was taken while the body came is seen. Throws when there is nobody any more. */
  caller(): Promise<Caller>
  readonly locate: Locate
  /** Aborted when nobody waits any more: the program is ended. */
  readonly left: AbortSignal
  /** Told once it runs, with a way to slow it down; whatever fails before that is not told here. */
  readonly onStart?: (program: Pick<Program, 'pause' | 'resume'>) => void
  /** Told every output as it comes. */
  readonly onOutput?: (from: OutputName, chunk: Uint8Array) => void
}

/** Why it is over; `exit` only where it ended by itself. */
type Outcome =
  | { readonly kind: 'exited'; readonly exit: ProgramExit }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'ended'; readonly ending: Ending }

export class ExecService {
  readonly #deps: ExecDeps

  constructor(deps: ExecDeps) {
    this.#deps = deps
  }

  /**
   * Resolves when the program has ended, or nothing is left of one that took too long. What ends it from outside is told at once: whoever
   * lost the right to it hears nothing more of it, however long it takes to go.
   */
  async run(body: ExecBody, waiting: Waiting): Promise<ExecResult> {
    const run = await this.#admit(waiting)
    const { execs, log } = this.#deps
    let gone: Promise<unknown> = Promise.resolve()
    try {
      const program = await this.#start(run, body)
      const began = performance.now()
      const kept = { stdout: new OutputTail(), stderr: new OutputTail() }
      waiting.onStart?.(program)
      let isOver = false
      program.onOutput((chunk, from, offset) => {
        // It is kept here from now on.
        program.acknowledge(offset + chunk.length, from)
        if (isOver) return
        kept[from].append(chunk)
        waiting.onOutput?.(from, chunk)
      })
      let outcome = await outcomeOf(program, run, waiting.left, body.timeoutSeconds)
      // Nobody may read any more, and a program that is blocked on its output could not react to the hang-up.
      if (outcome.kind !== 'exited') program.resume()
      const hungUp = program.hangUp().then(
        () => true,
        (error: unknown) => {
          log.error({ sessionId: run.sessionId, err: error }, 'processes of an exec are left')
          return false
        },
      )
      gone = hungUp
      if (outcome.kind === 'timed_out') outcome = await outcomeOfTimeout(program, run, hungUp, outcome)
      isOver = outcome.kind === 'ended'
      // A server that starts anew ends what is left of all that is not recorded as ended.
      if (isOver) gone = hungUp.then(() => this.#record(run, outcome))
      else this.#record(run, outcome)
      return resultOf(run, outcome, kept, performance.now() - began)
    } finally {
      // What it left in the background is being ended: until then it counts as running.
      void gone.catch(() => undefined).finally(() => execs.release(run))
    }
  }

  async #admit({ caller: authenticate, locate }: Waiting): Promise<Run> {
    const { execs, newId } = this.#deps
    const arrival = execs.arrive()
    const caller = await authenticate()
    const { row, relation } = await locate(caller)
    return execs.admit({ sessionId: newId(), caller, row, relation, mode: MODE }, arrival)
  }

  async #start(run: Run, { argv, cwd, env, stdin }: ExecBody): Promise<Program> {
    const { agents, runtime, provisioner, records, log } = this.#deps
    const { sessionId, row, caller } = run
    const before = run.ending()
    if (before) throw asFailure(before)
    const [name = ''] = argv
    // A shell's builtin becomes it, and would take these for something of its own.
    if (name === '' || name.startsWith('-'))
      throw new AppError('VALIDATION', 'body.argv: the program must have a name, which does not begin with "-"')
    const { runningId, reason } = agents.snapshot(row)
    if (runningId === null)
      throw asFailure(reason?.code === 'engine_unavailable' ? engineUnavailable : notRunning(row.name))
    const program = await startSession({ provisioner, records }, run, {
      // Its name, and none of its arguments: they may be secrets.
      facts: { program: name },
      ended: run.ending,
      start: (provision) =>
        runtime.start(runningId, {
          session: sessionId,
          argv,
          // What the caller gives counts most.
          env: sessionEnvironment(provision.environment(CREDENTIAL_SERVICES).env, env ?? {}, {
            SLIPWAY_SESSION: sessionId,
          }),
          cwd: cwd?.startsWith('/') ? cwd : `${AGENT_HOME}/${cwd ?? ''}`,
          io: {
            kind: 'pipes',
            input: stdin === undefined ? 'none' : Buffer.from(stdin),
            keptOutputBytes: KEPT_OUTPUT_MIN_BYTES,
            whenFull: 'drop',
          },
          keepSeconds: KEEP_SECONDS,
        }),
    }).catch((error: unknown) => Promise.reject(asStartFailure(error)))
    log.info({ sessionId, agentId: row.id, userId: caller.userId }, 'exec started')
    return program
  }

  #record({ sessionId, row }: Run, outcome: Outcome): void {
    const end = endOf(row.name, outcome)
    this.#deps.records.ended(sessionId, end)
    this.#deps.log.info({ sessionId, agentId: row.id, reason: end.reason }, 'exec ended')
  }
}

/** Settles with whatever comes first, and leaves nothing behind of the rest. */
const outcomeOf = async (
  program: Program,
  run: Run,
  left: AbortSignal,
  timeoutSeconds = EXEC_TIMEOUT_SECONDS_DEFAULT,
): Promise<Outcome> => {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const timer = setTimeout(() => resolve({ kind: 'timed_out' }), timeoutSeconds * SECOND_MS)
  const leave = (): void => resolve({ kind: 'ended', ending: disconnected })
  left.addEventListener('abort', leave)
  if (left.aborted) leave()
  void program.exit.then((exit) => resolve({ kind: 'exited', exit }))
  void run.ended.then((ending) => resolve({ kind: 'ended', ending }))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    left.removeEventListener('abort', leave)
  }
}

/** One that is being ended for its time may lose its caller meanwhile. Where it cannot be ended nobody waits for it. */
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
const asFailure = ({ reason, message }: Ending): AppError => {
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

const asStartFailure = (error: unknown): unknown => {
  if (error instanceof EndedBeforeStart) return asFailure(error.ending)
  if (error instanceof RuntimeError && error.code === 'bad_folder')
    return new AppError('VALIDATION', `body.cwd: must be a folder inside ${AGENT_HOME}`, { cause: error })
  return asAppError(error)
}
