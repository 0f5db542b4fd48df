/** The processes that outlive their terminals: lists them, finds their session, and ends them on request. */
import type { AgentProcess } from '@slipway/protocol'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid } from '../../../lib/ids.ts'
import { actorOf } from '../../identity/caller.ts'
import type { Audit } from '../../audit/audit.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { ContainerProcess, ContainerRuntime } from '../../../runtime/port.ts'
import { asAppError } from '../../../runtime/app-error.ts'
import type { AgentService, Found } from '../../agents/service.ts'
import type { Attended } from '../claim.ts'
import type { SessionRecords } from '../records/records.ts'
import type { Origin } from '../records/repository.ts'

interface Parts {
  readonly runtime: ContainerRuntime
  readonly agents: AgentService
  readonly attended: (agentId: string) => Iterable<Attended>
  /**
   * Resolves with true once the recovery knows which sessions continue there; with false if the engine or the database
   * does not answer.
   */
  readonly recovered: (agentId: string) => Promise<boolean>
  readonly records: Pick<SessionRecords, 'origins'>
  readonly audit: Pick<Audit, 'recordNow'>
}

/** The container's own first process and its helpers. */
const CONTAINER_SESSION = 1

/**
 * The processes that no session accounts for. It leaves out the container's own processes. It leaves out processes that
 * the engine started (parent 0), with their session and descendants, unless their terminal has ended. It leaves out
 * terminals that were taken over and their holders, whose parent is gone. A program cannot enter that set with a false
 * claim: only the engine starts processes without a parent, and a terminal's first process is recognized by its start
 * time.
 */
export const leftRunning = (all: readonly ContainerProcess[], sessions: Iterable<Attended>): ContainerProcess[] => {
  const [ids, leaders] = [new Set<string>(), new Set<string>()]
  for (const { sessionId, leader } of sessions) {
    ids.add(sessionId)
    if (leader !== null) leaders.add(leader)
  }
  const isLeader = ({ pid, startTicks }: ContainerProcess): boolean => leaders.has(`${pid}:${startTicks}`)
  const holders = new Set(all.filter(isLeader).map(({ ppid }) => ppid))
  const isRoot = (process: ContainerProcess): boolean => {
    const { pid, ppid, session, terminalSession } = process
    if (session === CONTAINER_SESSION) return false
    if (ppid === 0) return terminalSession === null || ids.has(terminalSession)
    return isLeader(process) || holders.has(pid)
  }
  const accounted = new Set(all.filter(isRoot).map((process) => process.pid))
  const roots = new Set(accounted)
  for (let before = -1; before !== accounted.size;) {
    before = accounted.size
    for (const { pid, ppid, session } of all) if (accounted.has(ppid) || roots.has(session)) accounted.add(pid)
  }
  return all.filter(({ pid, session }) => session !== CONTAINER_SESSION && !accounted.has(pid))
}

export class ProcessService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async list(found: Found): Promise<AgentProcess[]> {
    const { runtime, attended, records, recovered } = this.#parts
    const containerId = this.#runningId(found)
    // After a restart, programs of terminals that are not recovered yet would look like left processes.
    if (!(await recovered(found.row.id)))
      throw new AppError(
        'ENGINE_UNAVAILABLE',
        'The server does not know yet which terminals are still open. Try again in a moment.',
      )
    const all = await runtime.processes(containerId).catch((error: unknown) => Promise.reject(asAppError(error)))
    const left = leftRunning(all, attended(found.row.id))
    // Programs can set any mark, and the database rejects a mark that is no id.
    const marks = left.map((process) => process.terminalSession ?? '').filter(isUuid)
    const origins = await records.origins(found.row.id, [...new Set(marks)])
    return left.map((process) => toAgentProcess(process, origins.get(process.terminalSession ?? '') ?? null))
  }

  async end(found: Found, pid: number): Promise<void> {
    const containerId = this.#runningId(found)
    const left = await this.list(found)
    const process = left.find((one) => one.pid === pid)
    if (!process) throw notFound()
    const facts = { pid, program: programOf(process), sessionId: process.origin?.sessionId ?? null }
    const event = agentEvent(found.row, facts)
    await this.#parts.audit.recordNow({ actor: actorOf(found.caller), action: 'process.ended', ...event })
    const ended = await this.#parts.runtime
      .endProcess(containerId, pid)
      .catch((error: unknown) => Promise.reject(asAppError(error)))
    if (!ended) throw notFound()
  }

  #runningId({ row }: Found): string {
    const { runningId } = this.#parts.agents.snapshot(row)
    if (runningId === null) throw new AppError('WRONG_STATE', 'The agent is not running, so it has no processes.')
    return runningId
  }
}

/** The program's name alone, because arguments may be secrets. */
const programOf = ({ command }: AgentProcess): string => command.split(' ', 1)[0] ?? ''

const toAgentProcess = (process: ContainerProcess, origin: Origin | null): AgentProcess => ({
  pid: process.pid,
  ppid: process.ppid,
  command: process.command,
  startedAt: process.startedAt?.toISOString() ?? null,
  memoryBytes: process.memoryBytes,
  ignoresHangup: process.ignoresHangup,
  origin: origin && {
    ...origin,
    startedAt: origin.startedAt.toISOString(),
    endedAt: origin.endedAt?.toISOString() ?? null,
  },
})
