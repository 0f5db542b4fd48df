/** Starts programs for channels, with what a terminal of the same person would get. */
import { AGENT_HOME, CREDENTIAL_SERVICES, EXEC_OUTPUT_BYTES } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import type { NewId } from '../../../lib/ids.ts'
import type { Log } from '../../../lib/log.ts'
import { asAppError } from '../../../runtime/app-error.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import type { Program } from '../../../runtime/program.ts'
import type { AgentService } from '../../agents/service.ts'
import type { Provisioner } from '../../credentials/provision/provision.ts'
import type { Caller } from '../../identity/caller.ts'
import { engineUnavailable, notRunning } from '../../sessions/ending.ts'
import { asFailure } from '../../sessions/failure.ts'
import type { OpenProgram, ProgramLimit, Programs } from '../../sessions/programs.ts'
import { type SessionRecords, SSH_MODE } from '../../sessions/records/records.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { sessionEnvironment } from '../../sessions/start/environment.ts'
import { EndedBeforeStart, startSession } from '../../sessions/start/start.ts'
import type { Started } from './carry.ts'
import type { Command, Pty } from './commands.ts'
import { PROGRAMS_PER_USER } from '../limits.ts'

/** How many programs one user may run over SSH. */
export const LIMIT: ProgramLimit = ({ ofUser }) =>
  ofUser < PROGRAMS_PER_USER
    ? null
    : new AppError(
        'TOO_MANY_REQUESTS',
        `You have ${PROGRAMS_PER_USER} programs running over SSH, the maximum. Close one.`,
      )

export interface SshProgramDeps {
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly runtime: Pick<ContainerRuntime, 'start'>
  readonly provisioner: Pick<Provisioner, 'provide'>
  readonly programs: Programs
  readonly records: Pick<SessionRecords, 'begin' | 'running' | 'ended'>
  readonly reinstate: Sessions['reinstate']
  readonly newId: NewId
  readonly log: Log
}

/** Who starts a program, and in which agent. */
export interface Starter {
  readonly agentId: string
  /** The person with their key, for the audit log. */
  readonly by: Caller
}

/** How a client wants a program. */
export interface Wanted {
  readonly pty: Pty | null
  /** Variables that it set, already checked. */
  readonly env: Readonly<Record<string, string>>
}

export class SshPrograms {
  readonly #deps: SshProgramDeps

  constructor(deps: SshProgramDeps) {
    this.#deps = deps
  }

  /** Throws an `AppError` whose message is for the client. */
  async start({ agentId, by }: Starter, command: Command, wanted: Wanted): Promise<Started> {
    const { programs, reinstate, newId } = this.#deps
    const arrival = programs.arrive()
    const { userId, source } = by
    // The rights, the settings and the owner may have changed since the connection was opened.
    const found = await reinstate({ userId, agentId, via: { kind: 'user', id: userId } })
    if (!found) throw new AppError('NOT_FOUND', 'You may not use this agent any more.')
    const { row, relation } = found
    const caller = { ...found.caller, source }
    const run = programs.admit({ sessionId: newId(), caller, row, relation, mode: SSH_MODE, askedBy: by }, arrival)
    try {
      return { run, program: await this.#start(run, command, wanted) }
    } catch (error) {
      programs.release(run)
      throw error instanceof EndedBeforeStart ? asFailure(error.ending) : asAppError(error)
    }
  }

  async #start(run: OpenProgram, { argv, name }: Command, { pty, env }: Wanted): Promise<Program> {
    const { agents, runtime, provisioner, records, log } = this.#deps
    const { sessionId, row, caller } = run
    const { runningId, reason } = agents.snapshot(row)
    if (runningId === null)
      throw asFailure(reason?.code === 'engine_unavailable' ? engineUnavailable : notRunning(row.name))
    const program = await startSession({ provisioner, records }, run, {
      facts: { program: name, terminal: pty !== null },
      ended: run.ending,
      start: (provision) =>
        runtime.start(runningId, {
          session: sessionId,
          argv,
          env: sessionEnvironment(
            provision.environment(CREDENTIAL_SERVICES).env,
            pty === null ? {} : { TERM: pty.term },
            env,
          ),
          folder: AGENT_HOME,
          io:
            pty === null
              ? { kind: 'pipes', stdin: 'open' }
              : { kind: 'terminal', cols: pty.cols, rows: pty.rows, notice: null },
          // Its connection ends with this backend, and with it the program.
          keepSeconds: 0,
          logBytes: EXEC_OUTPUT_BYTES,
          whenFull: 'block',
        }),
    })
    log.info({ sessionId, agentId: row.id, userId: caller.userId }, 'program over ssh started')
    return program
  }
}
