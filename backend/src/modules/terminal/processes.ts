/** What lives on in a container after its terminals: found, attributed to where it came from, and ended on request. */
import type { AgentProcess } from '@slipway/protocol'
import { AppError, notFound } from '../../lib/errors.ts'
import type { ContainerProcess, ContainerRuntime } from '../../runtime/port.ts'
import { asAppError } from '../agents/figures.ts'
import type { AgentService, Found } from '../agents/service.ts'
import type { Origin, SessionRecords } from './records.ts'
import type { TerminalRegistry } from './registry.ts'

interface Parts {
  readonly runtime: ContainerRuntime
  readonly agents: AgentService
  readonly registry: TerminalRegistry
  readonly records: SessionRecords
}

/** The container's own first process and what keeps it alive. */
const CONTAINER_SESSION = 1

/**
 * Leaves out what is expected: the container's own processes, whatever belongs to a terminal that is open now, and our
 * own short programs (started from outside without a terminal's mark).
 */
export const leftRunning = (all: readonly ContainerProcess[], open: ReadonlySet<string>): ContainerProcess[] => {
  const known = new Map(all.map((process) => [process.pid, process]))
  const isExpected = (process: ContainerProcess): boolean => {
    const { ppid, session, terminalSession } = process
    if (session === CONTAINER_SESSION) return true
    // Marked or not: a shell may have cleared the environment of what it started.
    const leader = known.get(session)
    const mark = terminalSession ?? leader?.terminalSession ?? null
    if (mark !== null) return open.has(mark) && isInside(process, mark)
    const parent = known.get(ppid)
    return ppid === 0 || (parent !== undefined && parent !== process && isExpected(parent))
  }
  /** Whether it is in the terminal's session or descends from it, rather than detached from it. */
  const isInside = (process: ContainerProcess, mark: string): boolean => {
    for (let at: ContainerProcess | undefined = process; at; at = known.get(at.ppid))
      if (at.terminalSession === mark && at.ppid === 0) return true
    const leader = known.get(process.session)
    return leader?.terminalSession === mark && leader.ppid === 0
  }
  return all.filter((process) => !isExpected(process))
}

export class ProcessService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async list(found: Found): Promise<AgentProcess[]> {
    const { runtime, registry, records } = this.#parts
    const containerId = this.#runningId(found)
    const all = await runtime.processes(containerId).catch((error: unknown) => Promise.reject(asAppError(error)))
    const left = leftRunning(all, registry.attended(found.row.id))
    const marks = left.map((process) => process.terminalSession).filter((mark) => mark !== null)
    const origins = await records.origins(found.row.id, [...new Set(marks)])
    return left.map((process) => toAgentProcess(process, origins.get(process.terminalSession ?? '') ?? null))
  }

  async end(found: Found, pid: number): Promise<void> {
    const containerId = this.#runningId(found)
    const left = await this.list(found)
    if (!left.some((process) => process.pid === pid)) throw notFound()
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
