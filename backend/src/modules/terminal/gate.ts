/** What stands before a terminal, in this order: authentication, the query, access, the limit, the container. */
import { type AuthFrame, CloseCode, TERMINAL_MESSAGE } from '@slipway/protocol'
import type { Signal } from '../../lib/emitter.ts'
import { AppError } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import { allows } from '../access/policy.ts'
import type { Source } from '../audit/actor.ts'
import type { KeyApprovals } from '../agents/home/approve.ts'
import { launchSpec } from '../agents/home/launch.ts'
import type { AgentService, Found } from '../agents/service.ts'
import type { Provisioner } from '../credentials/provision.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import type { Caller } from '../identity/caller.ts'
import { type Ending, engineUnavailable, failedToStart, notRunning } from './ending.ts'
import { BadQueryError, modeFor, modelFor, type Query, readQuery } from './modes.ts'
import { RefusedError, refusedBy } from './refused.ts'
import type { SessionRecords } from './records.ts'
import type { Slot, TerminalRegistry } from './registry.ts'
import { Session } from './session.ts'

/** What a program is started with when the client does not say. */
const DEFAULT_COLS = 80
const DEFAULT_ROWS = 24
const HOME = '/home/developer'

/** What every terminal of this backend shares. */
export interface TerminalDeps {
  readonly authenticator: Authenticator
  readonly agents: AgentService
  readonly runtime: Pick<ContainerRuntime, 'openPty'>
  readonly registry: TerminalRegistry
  readonly provisioner: Provisioner
  readonly approvals: KeyApprovals
  readonly records: SessionRecords
  /** Told of each session that ended. */
  readonly ended: Signal<Ending>
  readonly newId: NewId
  readonly log: Log
}

/** Finds the agent of an address for a caller, or throws a {@link RefusedError}. */
export type Locate = (caller: Caller) => Promise<Found>

/** Everything between a first message and a running program. */
export class Gate {
  readonly #deps: TerminalDeps
  readonly #locate: Locate
  readonly #source: Source

  constructor(deps: TerminalDeps, locate: Locate, source: Source) {
    this.#deps = deps
    this.#locate = locate
    this.#source = source
  }

  /** Throws a {@link RefusedError} with what the client is to be told. */
  async open(auth: AuthFrame, rawQuery: unknown): Promise<Session> {
    const { agents, registry } = this.#deps
    const { slot, query } = await this.#letIn(auth, rawQuery)
    const { row } = slot
    try {
      if (slot.ended) throw refusedBy(slot.ended)
      const { runningId, container, reason } = agents.snapshot(row)
      if (runningId === null) {
        if (reason?.code === 'engine_unavailable') throw refusedBy(engineUnavailable)
        if (!container) throw new RefusedError(CloseCode.NOT_RUNNING, TERMINAL_MESSAGE.containerNotFound(row.name))
        throw refusedBy(notRunning(row.name))
      }
      return await this.#start(slot, runningId, auth, modelFor(query, row))
    } catch (error) {
      registry.release(slot)
      throw error
    }
  }

  /** Everything that takes a place: who it is, what they ask for, and whether they may. */
  async #letIn(auth: AuthFrame, rawQuery: unknown): Promise<{ slot: Slot; query: Query }> {
    const { authenticator, registry, newId } = this.#deps
    const arrival = registry.arrive()
    try {
      const caller = await authenticator.authenticate(auth.token, this.#source)
      if (!caller || !allows(caller, 'terminal.open'))
        throw new RefusedError(CloseCode.UNAUTHENTICATED, TERMINAL_MESSAGE.invalidToken)
      const query = parseQuery(rawQuery)
      const { row, relation } = await this.#locate(caller)
      const slot = registry.reserve({ sessionId: newId(), caller, row, relation, mode: modeFor(query, row) }, arrival)
      if (!slot) throw new RefusedError(CloseCode.SESSION_EXISTS, TERMINAL_MESSAGE.sessionExists)
      return { slot, query }
    } finally {
      registry.leave(arrival)
    }
  }

  async #start(slot: Slot, containerId: string, auth: AuthFrame, model: string | null): Promise<Session> {
    const { runtime, registry, records, ended, provisioner, approvals, log } = this.#deps
    const { sessionId, row, mode } = slot
    const provision = await provisioner.provide(slot.caller, row)
    slot.personal = provision.personal
    const { argv, env, notice } = launchSpec(mode, {
      credentials: (services) => provision.environment(services),
      model,
      skipPermissions: row.skipPermissions,
      isSystem: row.isSystem,
    })
    // A row that is refused refuses the terminal: nothing is executed before it.
    await records.begin(slot).catch((error: unknown) => Promise.reject(unrecorded(error)))
    // Told meanwhile that it must not begin.
    if (slot.ended) {
      records.ended(sessionId, slot.ended)
      throw refusedBy(slot.ended)
    }
    if (env['ANTHROPIC_API_KEY'] !== undefined) await approvals.approve(containerId, env['ANTHROPIC_API_KEY'])
    const pty = await runtime
      .openPty(containerId, {
        session: sessionId,
        argv,
        env,
        cwd: HOME,
        cols: auth.cols ?? DEFAULT_COLS,
        rows: auth.rows ?? DEFAULT_ROWS,
      })
      .catch((error: unknown) => {
        records.ended(sessionId, { reason: 'failed_to_start' })
        return Promise.reject(explain(error, slot))
      })
    records.running(sessionId, pty.leader)
    log.info({ sessionId, agentId: row.id, userId: slot.caller.userId }, 'terminal opened')
    const session = new Session({
      id: sessionId,
      pty,
      mode,
      agentName: row.name,
      notice: [...provision.problems, ...(notice === null ? [] : [notice])].join('\r\n') || null,
      onEnd: (ending) => {
        registry.release(slot)
        records.ended(sessionId, ending)
        ended.emit(ending)
        log.info({ sessionId, agentId: row.id, reason: ending.reason }, 'terminal ended')
      },
    })
    session.gone.catch((error: unknown) => log.error({ sessionId, err: error }, 'processes of a terminal are left'))
    registry.opened(slot, session)
    return session
  }
}

const parseQuery = (query: unknown): Query => {
  try {
    return readQuery(query)
  } catch (error) {
    if (error instanceof BadQueryError) throw new RefusedError(CloseCode.BAD_REQUEST, error.message)
    throw error
  }
}

/** Why it could not be recorded, to the one who waits for the terminal. */
const unrecorded = (error: unknown): unknown =>
  error instanceof AppError ? new RefusedError(CloseCode.INTERNAL, error.message) : error

/** What the engine said, as far as it helps a person. */
const explain = (error: unknown, { row, mode }: Slot): unknown => {
  if (!(error instanceof RuntimeError)) return error
  switch (error.code) {
    case 'engine_unavailable':
      return refusedBy(engineUnavailable)
    case 'not_running':
      return refusedBy(notRunning(row.name))
    case 'not_found':
      return new RefusedError(CloseCode.NOT_RUNNING, TERMINAL_MESSAGE.containerNotFound(row.name))
    default:
      return refusedBy(failedToStart(mode, error.message.slice(0, 300)))
  }
}
