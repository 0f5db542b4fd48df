/** Ends the processes that users left running in agents in which they have no right any more. */
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { isUuid } from '../../../lib/ids.ts'
import type { Log } from '../../../lib/log.ts'
import { Semaphore } from '../../../lib/semaphore.ts'
import { Sweeper } from '../../../lib/time/sweeper.ts'
import type { ContainerProcess, ContainerRuntime } from '../../../runtime/port.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { AgentRepository } from '../../agents/repository.ts'
import type { AgentRow } from '../../agents/rows.ts'
import type { AgentService } from '../../agents/service.ts'
import type { Unshared } from '../../agents/news/signals.ts'
import { type Actor, PLATFORM } from '../../audit/actor.ts'
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
/** Time between two attempts, in milliseconds. */
const AGAIN_EVERY_MS = 10 * SECOND_MS
/** How often that time is doubled in an agent whose own container fails, which may be on purpose: five minutes in the end. */
const DOUBLINGS_MAX = 5
/** Most users whose processes are still to be ended, once for each agent. */
const FORMER_MAX = 10_000

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'processes' | 'endProcess'>
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly agentRows: Pick<AgentRepository, 'byId'>
  readonly attended: (agentId: string) => Iterable<Attended>
  /**
   * Resolves with true once the recovery knows which sessions continue there; with false if the engine does not answer.
   */
  readonly recovered: (agentId: string) => Promise<boolean>
  readonly records: Pick<SessionRecords, 'origins' | 'ofUser' | 'formerUsers'>
  readonly audit: Pick<Audit, 'recordNow'>
  readonly log: Log
  /** Replaces {@link AGAIN_EVERY_MS} in tests. */
  readonly againEveryMs?: number
}

/** A user who has lost the right to an agent. */
interface Former {
  readonly agentId: string
  readonly userId: string
  /** Who ends the processes, and why. */
  readonly actor: Actor
  readonly because: 'unshared' | 'no_right'
  /** What they started later is theirs by another right. */
  readonly until: Date
  /** A process without a known session may be theirs if it started since. Null: none is. */
  readonly since: Date | null
  /** Attempts that reached the container. */
  attempts: number
}

/** An agent whose container runs. */
interface Place {
  readonly row: AgentRow
  readonly containerId: string
}

/** A process id may come back. */
const nameOf = ({ pid, startTicks }: ContainerProcess): string => `${pid}:${startTicks}`

export class ShareeProcesses {
  readonly #parts: Parts
  readonly #turns = new Semaphore(AT_ONCE, WAITING_MAX)
  readonly #sweeper: Sweeper
  /** Those whose processes are still to be ended. */
  readonly #former = new Set<Former>()
  readonly #trying = new Set<Former>()
  /** A failure that lasts is logged once. */
  readonly #logged = new WeakSet<Former>()
  #sweeps = 0
  #isListed = false
  #isStopped = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#sweeper = new Sweeper({
      steps: [() => this.#list(), () => this.#again()],
      everyMs: parts.againEveryMs ?? AGAIN_EVERY_MS,
      onFailure: (error) => parts.log.error({ err: error }, 'users without a right in their agents are not known yet'),
    })
  }

  /** Looks also for what an earlier backend left to be ended. */
  start(): void {
    this.#sweeper.start()
  }

  /** What is left is looked for by the next backend. */
  stop(): void {
    this.#isStopped = true
    // Not awaited, since the engine may hang.
    void this.#sweeper.stop()
  }

  /** After a share was revoked. Never rejects: the share is gone, and what fails is tried again. */
  async end({ row, userId, sharedAt, caller }: Unshared): Promise<void> {
    const who = { agentId: row.id, userId, actor: actorOf(caller), attempts: 0 }
    await this.#try({ ...who, because: 'unshared', until: new Date(), since: sharedAt })
  }

  /**
   * An earlier backend may have been killed before it had ended them. Only processes of known sessions are ended then: a
   * process without one may be of any user by now.
   */
  async #list(): Promise<void> {
    if (this.#isListed) return
    const lost = { actor: PLATFORM, because: 'no_right', until: new Date(), since: null } as const
    for (const user of await this.#parts.records.formerUsers(FORMER_MAX))
      this.#former.add({ ...user, ...lost, attempts: 0 })
    this.#isListed = true
  }

  async #again(): Promise<void> {
    this.#sweeps += 1
    for (const former of [...this.#former]) {
      const every = 2 ** Math.min(former.attempts, DOUBLINGS_MAX)
      if (!this.#isStopped && this.#sweeps % every === 0) await this.#try(former)
    }
  }

  async #try(former: Former): Promise<void> {
    if (this.#trying.has(former)) return
    this.#trying.add(former)
    if (this.#former.size < FORMER_MAX) this.#former.add(former)
    try {
      await this.#endAll(former)
      this.#former.delete(former)
    } catch (error) {
      this.#failed(former, error)
    } finally {
      this.#trying.delete(former)
    }
  }

  #failed(former: Former, error: unknown): void {
    if (this.#isStopped || this.#logged.has(former)) return
    this.#logged.add(former)
    const { agentId, userId } = former
    const facts = { agentId, userId, isTriedAgain: this.#former.has(former) }
    this.#parts.log.error({ ...facts, err: error }, 'processes of a user without a right in the agent are left')
  }

  async #endAll(former: Former): Promise<void> {
    const { agentRows, recovered, log } = this.#parts
    const { agentId, userId } = former
    const row = await agentRows.byId(agentId)
    // The agent was deleted, or it is theirs again.
    if (!row || row.ownerId === userId || row.sharedWith.includes(userId)) return
    if (!(await recovered(agentId))) throw new Error('the engine does not say which terminals continue')
    const containerId = this.#containerOf(row, former.until)
    if (containerId === null) return
    former.attempts += 1
    const ended = new Set<string>()
    for (let round = 0; round < ROUNDS_MAX; round += 1)
      if (!(await this.#round({ row, containerId }, former, ended))) return
    // Another attempt would find others, too.
    log.error({ agentId, userId }, 'programs of a user without a right in the agent start others again and again')
  }

  /** Answers false if no process is left to end. */
  async #round({ row, containerId }: Place, former: Former, ended: Set<string>): Promise<boolean> {
    const { runtime, attended, records, audit } = this.#parts
    const { userId, until, since, actor, because } = former
    const all = await runtime.processes(containerId)
    const marks = [...new Set(all.map(({ terminalSession }) => terminalSession ?? '').filter(isUuid))]
    const [origins, theirs] = await Promise.all([records.origins(row.id, marks), records.ofUser(marks, userId, until)])
    const others = [...attended(row.id)].filter(({ sessionId }) => !theirs.has(sessionId))
    const isTheirs = ({ terminalSession, startedAt }: ContainerProcess): boolean =>
      terminalSession !== null && origins.has(terminalSession)
        ? theirs.has(terminalSession)
        : since !== null && (startedAt === null || startedAt.getTime() >= since.getTime() - CLOCKS_DIFFER_MS)
    const doomed = leftRunning(all, others).filter((one) => isTheirs(one) && !ended.has(nameOf(one)))
    if (doomed.length === 0) return false
    const entries = doomed.map(({ pid, command, terminalSession }) => {
      // The program's name alone, because arguments may be secrets.
      const facts = { pid, program: command.split(' ', 1)[0] ?? '', sessionId: terminalSession, because }
      return { actor, action: 'process.ended', ...agentEvent(row, facts) } as const
    })
    await audit.recordNow(...entries)
    await Promise.all(
      doomed.map((one) => {
        ended.add(nameOf(one))
        return this.#turns.run(() => runtime.endProcess(containerId, one.pid))
      }),
    )
    return true
  }

  /** The container that may have their processes; null if none has. Throws if that is not known. */
  #containerOf(row: AgentRow, until: Date): string | null {
    const { runningId, state, reason, container } = this.#parts.agents.snapshot(row)
    if (runningId === null) {
      const isKnown = (state === 'stopped' || state === 'failed') && reason?.code !== 'engine_unavailable'
      if (isKnown) return null
      throw new Error('it is not known yet whether the agent runs')
    }
    const startedAt = container?.startedAt?.getTime() ?? 0
    return startedAt > until.getTime() + CLOCKS_DIFFER_MS ? null : runningId
  }
}
