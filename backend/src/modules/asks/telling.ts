/** Notices of programs in agents, and what they let their agent show. */
import {
  type AgentShown,
  type EditorText,
  NOTICES_PER_MINUTE,
  type Notify,
  type PlatformEvent,
  type RunHappening,
  type Show,
  SHOWS_PER_MINUTE,
} from '@slipway/protocol'
import type { Clock } from '../../lib/time/clock.ts'
import type { Signal } from '../../lib/emitter.ts'
import { AppError } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import { allows } from '../access/policy.ts'
import type { AgentNews } from '../agents/news/topic.ts'
import type { Caller } from '../identity/caller.ts'
import { isKeptFrom } from '../sessions/claim.ts'
import { Allowance } from './allowance.ts'
import type { Askers } from './askers.ts'
import { ShownOfAgents } from './shown.ts'
import type { Visitor } from './visitor.ts'

export interface TellingDeps {
  readonly askers: Askers
  readonly news: Pick<Signal<AgentNews>, 'emit'>
  /** Adds to the events of a task, if this backend follows it. */
  readonly addToRun: (runId: string, happening: RunHappening) => void
  readonly newId: NewId
  readonly clock: Clock
}

export class Telling {
  readonly #deps: TellingDeps
  readonly #shown = new ShownOfAgents()
  readonly #notices: Allowance
  readonly #shows: Allowance

  constructor(deps: TellingDeps) {
    this.#deps = deps
    this.#notices = new Allowance(NOTICES_PER_MINUTE, 'notices', deps.clock)
    this.#shows = new Allowance(SHOWS_PER_MINUTE, 'changes of what it shows', deps.clock)
  }

  of(caller: Caller, agentId: string): AgentShown {
    return this.#shown.of(agentId, (one) => !isKeptFrom(caller, one))
  }

  /** Tells people something. Throws `TOO_MANY_REQUESTS`. */
  async notify(visitor: Visitor, { message, type = 'info' }: Notify): Promise<void> {
    const { askers, addToRun, newId, clock } = this.#deps
    const { agentId } = visitor
    this.#notices.take(agentId)
    const { run, personal, clean } = await askers.of(visitor)
    const sessionId = run?.id ?? null
    const notice = { id: newId(), sessionId, at: new Date(clock.now()).toISOString(), type, message: clean(message) }
    this.#shown.notice(agentId, { ...notice, personal })
    this.#tell(agentId, personal, { type: 'agent:notice', agentId, notice })
    if (run) addToRun(run.id, { type: 'status', status: 'notice', message: notice.message })
  }

  /** Shows something, or not any more. Throws `TOO_MANY_REQUESTS` and `VALIDATION`. */
  async show(visitor: Visitor, { kind, key = '', lines }: Show): Promise<void> {
    const { askers, clock } = this.#deps
    const { agentId } = visitor
    const hasKey = kind === 'status' || kind === 'widget'
    if (hasKey !== (key !== '')) throw new AppError('VALIDATION', `body.key: a ${kind} has ${hasKey ? 'a' : 'no'} name`)
    if (kind !== 'widget' && kind !== 'editor' && lines.length > 1)
      throw new AppError('VALIDATION', `body.lines: a ${kind} has one line`)
    this.#shows.take(agentId)
    const { run, personal, clean } = await askers.of(visitor)
    const at = new Date(clock.now()).toISOString()
    const shown = { sessionId: run?.id ?? null, at, kind, ...clean({ key, lines }) }
    this.#shown.show(agentId, { ...shown, personal })
    this.#tell(agentId, personal, { type: 'agent:shown', agentId, shown })
  }

  /** The text that was shown last as that of the editor, by a program of the same task. It is kept, so no person is asked. */
  async editorText(visitor: Visitor): Promise<EditorText> {
    const { run } = await this.#deps.askers.of(visitor)
    return { text: this.#shown.editorText(visitor.agentId, run?.id ?? null) }
  }

  /** The task has ended. */
  sessionOver(agentId: string, sessionId: string): void {
    this.#shown.sessionOver(agentId, sessionId)
  }

  /** None of the agent's programs runs any more. */
  stopped(agentId: string): void {
    this.#shown.stopped(agentId)
  }

  /** The agent was deleted. */
  forget(agentId: string): void {
    this.#shown.forget(agentId)
    this.#notices.forget(agentId)
    this.#shows.forget(agentId)
  }

  #tell(agentId: string, personal: boolean, event: PlatformEvent): void {
    const may: AgentNews['may'] = (caller, relation) =>
      allows(caller, 'agent.view', relation) && !isKeptFrom(caller, { personal })
    this.#deps.news.emit({ agentId, event, may })
  }
}
