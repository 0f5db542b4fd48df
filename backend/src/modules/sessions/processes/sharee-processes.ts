/** After a share is revoked, ends the processes that its user left running in the agent. */
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { isUuid } from '../../../lib/ids.ts'
import type { Log } from '../../../lib/log.ts'
import { Semaphore } from '../../../lib/semaphore.ts'
import type { ContainerProcess, ContainerRuntime } from '../../../runtime/port.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { AgentService } from '../../agents/service.ts'
import type { Unshared } from '../../agents/news/signals.ts'
import type { Audit } from '../../audit/audit.ts'
import { actorOf } from '../../identity/caller.ts'
import type { Attended } from '../claim.ts'
import { leftRunning } from './processes.ts'
import type { SessionRecords } from '../records/records.ts'

/** Most listings of the processes. A process that is being ended may have started others. */
const ROUNDS_MAX = 5
/** Processes ended at the same time. Each takes a program of the engine. */
const AT_ONCE = 8
/** More processes than a container may have. */
const WAITING_MAX = 4096
/** Largest difference between the clocks of the engine and the database, in milliseconds. */
const CLOCKS_DIFFER_MS = 60 * SECOND_MS

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'processes' | 'endProcess'>
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly attended: (agentId: string) => Iterable<Attended>
  /**
   * Resolves with true once the recovery knows which sessions continue there; with false if the engine does not answer.
   */
  readonly recovered: (agentId: string) => Promise<boolean>
  readonly records: Pick<SessionRecords, 'origins' | 'ofUser'>
  readonly audit: Pick<Audit, 'recordNow'>
  readonly log: Log
}

export class ShareeProcesses {
  readonly #parts: Parts
  readonly #turns = new Semaphore(AT_ONCE, WAITING_MAX)

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Never rejects: the share is gone, and a failure is logged. */
  async end(unshared: Unshared): Promise<void> {
    const { log, recovered } = this.#parts
    const { id: agentId } = unshared.row
    const until = new Date()
    const ended = new Set<string>()
    try {
      if (!(await recovered(agentId))) throw new Error('the engine does not say which terminals continue')
      for (let round = 0; round < ROUNDS_MAX; round += 1) if (!(await this.#round(unshared, until, ended))) return
    } catch (error) {
      log.error({ agentId, userId: unshared.userId, err: error }, 'processes of a former sharee are left')
    }
  }

  /** Answers false if no process is left to end. */
  async #round({ row, userId, sharedAt, caller }: Unshared, until: Date, ended: Set<string>): Promise<boolean> {
    const { runtime, agents, attended, records, audit } = this.#parts
    const { runningId } = agents.snapshot(row)
    if (runningId === null) return false
    const all = await runtime.processes(runningId)
    const marks = [...new Set(all.map(({ terminalSession }) => terminalSession ?? '').filter(isUuid))]
    const [origins, theirs] = await Promise.all([records.origins(row.id, marks), records.ofUser(marks, userId, until)])
    const others = [...attended(row.id)].filter(({ sessionId }) => !theirs.has(sessionId))
    // A process without a known session may be the user's if it started after the agent was shared with them.
    const since = sharedAt.getTime() - CLOCKS_DIFFER_MS
    const isTheirs = ({ terminalSession, startedAt }: ContainerProcess): boolean =>
      terminalSession !== null && origins.has(terminalSession)
        ? theirs.has(terminalSession)
        : startedAt === null || startedAt.getTime() >= since
    const nameOf = ({ pid, startTicks }: ContainerProcess): string => `${pid}:${startTicks}`
    const doomed = leftRunning(all, others).filter((one) => isTheirs(one) && !ended.has(nameOf(one)))
    if (doomed.length === 0) return false
    const actor = actorOf(caller)
    const entries = doomed.map(({ pid, command, terminalSession }) => {
      // The program's name alone, because arguments may be secrets.
      const facts = { pid, program: command.split(' ', 1)[0] ?? '', sessionId: terminalSession, because: 'unshared' }
      return { actor, action: 'process.ended', ...agentEvent(row, facts) } as const
    })
    await audit.recordNow(...entries)
    await Promise.all(
      doomed.map((one) => {
        ended.add(nameOf(one))
        return this.#turns.run(() => runtime.endProcess(runningId, one.pid))
      }),
    )
    return true
  }
}
