/**
 * What agents show, and their last notices, in memory: a program that goes on tells it again, and nothing waits for it. A
 * flood of a container never reaches the database.
 */
import { type AgentNotice, type AgentShown, NOTICES_KEPT, type Shown, SHOWN_MAX } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'

/** Whether its program may hold its user's own credentials. */
interface Personal {
  readonly personal: boolean
}

interface OfAgent {
  readonly shown: Map<string, Shown & Personal>
  readonly notices: (AgentNotice & Personal)[]
}

const keyOf = ({ sessionId, kind, key }: Pick<Shown, 'sessionId' | 'kind' | 'key'>): string =>
  `${sessionId ?? ''} ${kind} ${key}`

const without = <T extends Personal>({ personal: _personal, ...rest }: T): Omit<T, 'personal'> => rest

export class ShownOfAgents {
  /** As many as there are agents. */
  readonly #agents = new Map<string, OfAgent>()

  /** `sees`: whether the reader may see what a program with a user's own credential says. */
  of(agentId: string, sees: (one: Personal) => boolean): AgentShown {
    const { shown, notices } = this.#agents.get(agentId) ?? { shown: new Map<string, Shown & Personal>(), notices: [] }
    return {
      shown: [...shown.values()].filter(sees).map(without),
      notices: notices.filter(sees).map(without),
    }
  }

  notice(agentId: string, notice: AgentNotice & Personal): void {
    const { notices } = this.#get(agentId)
    notices.push(notice)
    if (notices.length > NOTICES_KEPT) notices.shift()
  }

  /** Throws `VALIDATION` if the agent shows as much as it may. */
  show(agentId: string, one: Shown & Personal): void {
    const { shown } = this.#get(agentId)
    const key = keyOf(one)
    if (one.lines.length === 0) {
      shown.delete(key)
      return
    }
    if (!shown.has(key) && shown.size >= SHOWN_MAX)
      throw new AppError('VALIDATION', `body: an agent shows at most ${SHOWN_MAX} things. Clear one first.`)
    shown.set(key, one)
  }

  /** The text of the editor of a task, or of what belongs to none; empty without one. */
  editorText(agentId: string, sessionId: string | null): string {
    const key = keyOf({ sessionId, kind: 'editor', key: '' })
    return this.#agents.get(agentId)?.shown.get(key)?.lines.join('\n') ?? ''
  }

  /** The task has ended. */
  sessionOver(agentId: string, sessionId: string): void {
    const shown = this.#agents.get(agentId)?.shown
    for (const [key, one] of shown ?? []) if (one.sessionId === sessionId) shown?.delete(key)
  }

  /** The container was stopped, so none of its programs runs. */
  stopped(agentId: string): void {
    this.#agents.get(agentId)?.shown.clear()
  }

  forget(agentId: string): void {
    this.#agents.delete(agentId)
  }

  #get(agentId: string): OfAgent {
    const found = this.#agents.get(agentId) ?? { shown: new Map<string, Shown & Personal>(), notices: [] }
    this.#agents.set(agentId, found)
    return found
  }
}
