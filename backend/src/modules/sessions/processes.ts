/** What lives on in a container after its terminals: found, attributed to where it came from, and ended on request. */
import type { AgentProcess } from '@slipway/protocol'
import { AppError, notFound } from '../../lib/errors.ts'
import { isUuid } from '../../lib/ids.ts'
import { actorOf } from '../identity/caller.ts'
import type { Audit } from '../audit/audit.ts'
import { agentEvent } from '../agents/recorded.ts'
import type { ContainerProcess, ContainerRuntime } from '../../runtime/port.ts'
import { asAppError } from '../../runtime/app-error.ts'
import type { AgentService, Found } from '../agents/service.ts'
import type { Attended } from './claim.ts'
import type { SessionRecords } from './records.ts'
import type { Origin } from './repository.ts'

interface Parts {
  readonly runtime: ContainerRuntime
  readonly agents: AgentService
  readonly attended: (agentId: string) => Iterable<Attended>
  /** Resolves when it is known which sessions go on there, with true; false: what has to be asked does not answer. */
  readonly recovered: (agentId: string) => Promise<boolean>
  readonly records: Pick<SessionRecords, 'origins'>
  readonly audit: Pick<Audit, 'recordNow'>
}

/** The container's own first process and what keeps it alive. */
const CONTAINER_SESSION = 1

/**
 * Leaves out what is accounted for: the container's own processes, all that was started from outside (parent 0) with its
 * session and its descendants, unless that is a terminal that has ended; and terminals that were taken over, each with its
 * holder, whose own parent is long gone. A program cannot get into that set by what it claims: only the engine starts
 * processes without a parent, and the first process of a terminal is known by when it started.
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
    // After a restart what runs in terminals that are not found yet would be taken for what nobody has.
    if (!(await recovered(found.row.id)))
      throw new AppError('ENGINE_UNAVAILABLE', 'It is not known yet which terminals go on here. Try again in a moment.')
    const all = await runtime.processes(containerId).catch((error: unknown) => Promise.reject(asAppError(error)))
    const left = leftRunning(all, attended(found.row.id))
    // Any program may claim anything, and the database fails on what is no id.
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
    if (runningId === null) throw new AppError('WRONG_STATE', 'The agent is not running, so no process is either.')
    return runningId
  }
}

/** Its name alone: arguments may be secrets. */
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
