/**
 * When something last happened in each agent, how many tasks work in it, and the branch that was last seen in it. It is kept
 * in memory, so that a list of agents costs no query for it. After a start it is what the database knows.
 */
import { AGENT_HOME, type Agent, type AgentBranch } from '@slipway/protocol'
import { type Clock, MINUTE_MS } from '../../../lib/time/clock.ts'
import type { Signal } from '../../../lib/emitter.ts'

/** Shortest time between two events about one agent, in milliseconds. Pages show minutes. */
export const TELL_EVERY_MS = MINUTE_MS

/** Longest name of a branch that is kept, in characters. It comes from the container. */
const BRANCH_MAX = 255

/** A branch in a folder below the home. Null: no branch is checked out there. */
export interface SeenBranch {
  readonly folder: string
  readonly branch: string | null
  /** Whether the agent begins with this repository. */
  readonly isFirst?: boolean
}

/** What the database knows of one agent. */
export interface PastActivity {
  readonly agentId: string
  readonly lastAt: Date | null
  readonly repository: { readonly folder: string; readonly branch: string | null; readonly seenAt: Date } | null
}

/** The part of an agent's answer that is known here. */
export type ShownActivity = Pick<Agent, 'lastActivityAt' | 'branch' | 'tasksAtWork'>

interface Repository {
  readonly folder: string
  readonly isFirst: boolean
  readonly branch: AgentBranch | null
}

/** As many entries as there are agents. */
export class Activity {
  readonly #clock: Clock
  readonly #changed: Pick<Signal<string>, 'emit'>
  readonly #lastAt = new Map<string, number>()
  readonly #toldAt = new Map<string, number>()
  readonly #repositories = new Map<string, Repository>()
  /** The sessions of the tasks at work in each agent; agents without one are left out. As many as there are tasks. */
  readonly #atWork = new Map<string, ReadonlySet<string>>()

  /** `changed` gets the id of an agent of which pages should know more. */
  constructor(clock: Clock, changed: Pick<Signal<string>, 'emit'>) {
    this.#clock = clock
    this.#changed = changed
  }

  /** Takes over what the database knows. What is known already is newer. */
  remember(past: readonly PastActivity[]): void {
    for (const { agentId, lastAt, repository } of past) {
      if (lastAt && !this.#lastAt.has(agentId)) this.#lastAt.set(agentId, lastAt.getTime())
      if (repository && !this.#repositories.has(agentId))
        this.#repositories.set(agentId, repositoryOf({ ...repository, isFirst: true }, repository.seenAt))
    }
  }

  /** Something happens in the agent now. */
  happened(agentId: string): void {
    const now = this.#clock.now()
    this.#lastAt.set(agentId, now)
    if (now - (this.#toldAt.get(agentId) ?? -Infinity) < TELL_EVERY_MS) return
    this.#toldAt.set(agentId, now)
    this.#changed.emit(agentId)
  }

  /** A look at a repository shows its branch. Other repositories than the one that the agent begins with do not replace that. */
  saw(agentId: string, { isFirst = false, ...seen }: SeenBranch): void {
    const before = this.#repositories.get(agentId)
    if (before?.isFirst && !isFirst && before.folder !== seen.folder) return
    const next = repositoryOf({ ...seen, isFirst: isFirst || (before?.isFirst ?? false) }, new Date(this.#clock.now()))
    this.#repositories.set(agentId, next)
    if (before?.folder !== next.folder || before.branch?.name !== next.branch?.name) this.#changed.emit(agentId)
  }

  /** A task works in the agent from now on, or does not any more: it has ended, or it waits. */
  taskWorks(agentId: string, sessionId: string, isAtWork: boolean): void {
    const before = this.#atWork.get(agentId)
    if ((before?.has(sessionId) ?? false) === isAtWork) return
    const others = [...(before ?? [])].filter((id) => id !== sessionId)
    if (isAtWork) others.push(sessionId)
    if (others.length > 0) this.#atWork.set(agentId, new Set(others))
    else this.#atWork.delete(agentId)
    this.#changed.emit(agentId)
  }

  of(agentId: string): ShownActivity {
    const lastAt = this.#lastAt.get(agentId)
    return {
      lastActivityAt: lastAt === undefined ? null : new Date(lastAt).toISOString(),
      branch: this.#repositories.get(agentId)?.branch ?? null,
      tasksAtWork: this.#atWork.get(agentId)?.size ?? 0,
    }
  }

  forget(agentId: string): void {
    for (const map of [this.#lastAt, this.#toldAt, this.#repositories, this.#atWork]) map.delete(agentId)
  }
}

const repositoryOf = ({ folder, branch, isFirst }: Required<SeenBranch>, seenAt: Date): Repository => ({
  folder,
  isFirst,
  branch:
    branch === null
      ? null
      : { name: branch.slice(0, BRANCH_MAX), folder: `${AGENT_HOME}/${folder}`, seenAt: seenAt.toISOString() },
})
