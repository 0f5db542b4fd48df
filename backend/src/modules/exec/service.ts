/** Runs a program in an agent to its end, for a caller who waits. */
import {
  CREDENTIAL_SERVICES,
  EXEC_OUTPUT_BYTES,
  EXEC_TIMEOUT_SECONDS_DEFAULT,
  type ExecBody,
  type ExecResult,
} from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { asAppError } from '../../runtime/app-error.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { OutputName, Program } from '../../runtime/program.ts'
import type { AgentService, Locate } from '../agents/service.ts'
import type { Provision, Provisioner } from '../credentials/provision/provision.ts'
import type { Caller } from '../identity/caller.ts'
import { engineUnavailable, notRunning } from '../sessions/ending.ts'
import { asFailure } from '../sessions/failure.ts'
import { sessionEnvironment } from '../sessions/start/environment.ts'
import { pastEnding } from '../sessions/records/past-session.ts'
import { EXEC_MODE as MODE, type SessionRecords } from '../sessions/records/records.ts'
import type { Recovery } from '../sessions/recovery/recovery.ts'
import { badFolder, folderOf } from '../sessions/start/folder.ts'
import { EndedBeforeStart, startSession } from '../sessions/start/start.ts'
import { conduct, lateAfter } from './conduct.ts'
import { KEEP_SECONDS, KEYED_OUTPUT_BYTES, type LeftExecs } from './left-execs.ts'
import type { OpenProgram, Programs } from '../sessions/programs.ts'

const NEVER = new AbortController().signal

export interface ExecDeps {
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly runtime: Pick<ContainerRuntime, 'start'>
  readonly provisioner: Pick<Provisioner, 'provide'>
  readonly execs: Programs
  readonly records: Pick<SessionRecords, 'begin' | 'running' | 'ended' | 'find'>
  readonly left: Pick<LeftExecs, 'join'>
  readonly recovered: Recovery['decided']
  readonly newId: NewId
  readonly log: Log
}

/** The caller that waits for it. */
export interface Waiting {
  /**
   * Looks the caller up at each call. It thus sees a right that was revoked while the body arrived. Throws if the
   * caller no longer exists.
   */
  caller(): Promise<Caller>
  readonly locate: Locate
  /** The variables that it gets. Absent: the keys and tokens in force, and the agent's own variables. */
  readonly environment?: (provision: Provision) => Readonly<Record<string, string>>
  /** Identifies the program of a request with an idempotency key. It is the same for every retry. */
  readonly resourceId?: string | undefined
  /** Aborted when the client has gone. The program then ends, unless the request has a key. */
  readonly left: AbortSignal
  /**
   * Called once the program runs, with a way to slow it down, and with whether it holds a credential of its user's own.
   * Not called if the start fails.
   */
  readonly onStart?: (program: Pick<Program, 'pause' | 'resume'>, open: Pick<OpenProgram, 'personal'>) => void
  /** Called with each piece of output. */
  readonly onOutput?: (from: OutputName, chunk: Uint8Array) => void
}

export class ExecService {
  readonly #deps: ExecDeps

  constructor(deps: ExecDeps) {
    this.#deps = deps
  }

  /**
   * Resolves when the program has ended. If it took too long, resolves when none of its processes is left. A retry of a
   * request with a key gets the first request's result, and starts no program.
   */
  async run(body: ExecBody, waiting: Waiting): Promise<ExecResult> {
    return (await this.#joined(body, waiting)) ?? (await this.#run(body, waiting))
  }

  async #run(body: ExecBody, waiting: Waiting): Promise<ExecResult> {
    const { execs } = this.#deps
    const run = await this.#admit(waiting)
    const program = await this.#start(run, body, waiting.environment).catch((error: unknown) => {
      execs.release(run)
      return Promise.reject(error)
    })
    const late = new AbortController()
    const time = lateAfter(late, body.timeoutSeconds ?? EXEC_TIMEOUT_SECONDS_DEFAULT)
    waiting.onStart?.(program, run)
    const isNamed = waiting.resourceId !== undefined
    try {
      return await conduct(this.#deps, run, program, {
        // If the client can retry, the program continues: the retry gets its result.
        left: isNamed ? NEVER : waiting.left,
        late: late.signal,
        onOutput: waiting.onOutput,
        ...(isNamed ? { keptBytes: KEYED_OUTPUT_BYTES } : {}),
      })
    } finally {
      time.clear()
    }
  }

  /** Null for the first request. */
  async #joined(body: ExecBody, { resourceId, caller: authenticate, locate }: Waiting): Promise<ExecResult | null> {
    if (resourceId === undefined) return null
    const { left, records, recovered } = this.#deps
    const caller = await authenticate()
    const { row } = await locate(caller)
    if (!(await recovered(caller.userId, row.id))) throw asFailure(engineUnavailable)
    const joined = left.join(resourceId, body)
    if (joined) return joined
    const past = await records.find(resourceId, { agentId: row.id, userId: caller.userId })
    if (!past) return null
    const { message } = pastEnding(past, row.name)
    throw new AppError(
      'WRONG_STATE',
      `The program of this request has ended, and its result was not stored. ${message}`,
    )
  }

  async #admit({ caller: authenticate, locate, resourceId }: Waiting): Promise<OpenProgram> {
    const { execs, newId } = this.#deps
    const arrival = execs.arrive()
    const caller = await authenticate()
    const { row, relation } = await locate(caller)
    return execs.admit({ sessionId: resourceId ?? newId(), caller, row, relation, mode: MODE }, arrival)
  }

  async #start(
    run: OpenProgram,
    { argv, cwd, env, stdin }: ExecBody,
    environment: NonNullable<Waiting['environment']> = allOf,
  ): Promise<Program> {
    const { agents, runtime, provisioner, records, log } = this.#deps
    const { sessionId, row, caller } = run
    const before = run.ending()
    if (before) throw asFailure(before)
    const [name = ''] = argv
    // The shell's `exec` replaces itself by the program, and would parse such names as its own options.
    if (name === '' || name.startsWith('-'))
      throw new AppError('VALIDATION', 'body.argv: the program must have a name that does not begin with "-"')
    const { runningId, reason } = agents.snapshot(row)
    if (runningId === null)
      throw asFailure(reason?.code === 'engine_unavailable' ? engineUnavailable : notRunning(row.name))
    const program = await startSession({ provisioner, records }, run, {
      // Only its name, because arguments may be secrets.
      facts: { program: name },
      ended: run.ending,
      start: (provision) =>
        runtime.start(runningId, {
          session: sessionId,
          argv,
          // The caller's variables override all others.
          env: sessionEnvironment(environment(provision), env ?? {}),
          folder: folderOf(cwd),
          io: { kind: 'pipes', stdin: stdin === undefined ? 'none' : Buffer.from(stdin) },
          keepSeconds: KEEP_SECONDS,
          logBytes: EXEC_OUTPUT_BYTES,
          whenFull: 'block',
        }),
    }).catch((error: unknown) => Promise.reject(asStartFailure(error)))
    log.info({ sessionId, agentId: row.id, userId: caller.userId }, 'exec started')
    return program
  }
}

const allOf = (provision: Provision): Record<string, string> => provision.environment(CREDENTIAL_SERVICES).env

const asStartFailure = (error: unknown): unknown => {
  if (error instanceof EndedBeforeStart) return asFailure(error.ending)
  if (error instanceof RuntimeError && error.code === 'bad_folder') return badFolder(error)
  return asAppError(error)
}
