/** Continues the conversations of tasks in terminals. */
import { CLI_SESSION_PATTERN, type CodingTerminal } from '@slipway/protocol'
import { Signal } from '../../../lib/emitter.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { providerOf } from '../../providers/catalogue.ts'
import { labelOfRun } from '../../providers/task-provider.ts'
import type { Conversation, ConversationKey, Conversations } from '../../sessions/conversations.ts'
import type { RunService } from '../service.ts'
import { inUse, type Leases } from './leases.ts'

const CLI_SESSION = new RegExp(CLI_SESSION_PATTERN)

interface Deps {
  readonly runs: Pick<RunService, 'require'>
  readonly leases: Leases
  /** A conversation is free, for which a run in line may wait. */
  readonly freed: () => void
}

export class RunConversations implements Conversations {
  readonly #deps: Deps
  /** A terminal has taken a conversation, or no process is left of it. */
  readonly changed = new Signal<ConversationKey>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Where the caller opens the terminal of a task's conversation, which is kept for them meanwhile. Throws
   * `SESSION_IN_USE`, and what {@link find} throws.
   */
  async offer(caller: Caller, task: string): Promise<CodingTerminal> {
    const own = await this.#own(caller, task)
    if (own) return own
    const { agentName, ...conversation } = await this.#find(caller, task)
    const sessionId = await this.#deps.leases.reserve(conversation, caller.userId)
    const { cliSessionId, folder: cwd, mode } = conversation
    return { mode, cwd, cliSessionId, sessionId, ...addressOf(agentName, task) }
  }

  /** The terminal of the caller's interactive run that has not ended; null for any other run. */
  async #own(caller: Caller, task: string): Promise<CodingTerminal | null> {
    const { run, found } = await this.#deps.runs.require(caller, task, 'task.terminal')
    if (!found || run.mode !== 'interactive' || run.endedAt !== null || run.userId !== caller.userId) return null
    const { provider, cwd, cliSessionId, sessionId } = run
    const mode = providerOf(provider)?.mode ?? provider
    return { mode, cwd, cliSessionId, sessionId, ...addressOf(found.row.name, task) }
  }

  async find(caller: Caller, task: string, agentId: string): Promise<Conversation> {
    const conversation = await this.#find(caller, task)
    if (conversation.agentId !== agentId) throw notFound()
    return conversation
  }

  async take<T>(
    conversation: Conversation,
    { caller }: { readonly caller: Caller },
    open: () => Promise<T>,
  ): Promise<T> {
    const opened = await this.#deps.leases.forTerminal(conversation, caller.userId, open)
    this.changed.emit(conversation)
    return opened
  }

  freed(conversation: ConversationKey): void {
    this.#deps.freed()
    this.changed.emit(conversation)
  }

  async #find(caller: Caller, task: string): Promise<Conversation & { readonly agentName: string }> {
    const { run, found } = await this.#deps.runs.require(caller, task, 'task.terminal')
    if (!found) throw new AppError('WRONG_STATE', 'The agent of this task was deleted.')
    if (run.endedAt === null) throw inUse()
    const provider = providerOf(run.provider)
    if (!provider?.canResume)
      throw new AppError('WRONG_STATE', `${labelOfRun(run)} cannot continue a task in a terminal.`)
    const { cliSessionId } = run
    if (cliSessionId === null || !CLI_SESSION.test(cliSessionId))
      throw new AppError('WRONG_STATE', 'The CLI has not named its session, so the task cannot continue.')
    const { row } = found
    return {
      agentId: row.id,
      agentName: row.name,
      cliSessionId,
      mode: provider.mode,
      model: run.model,
      folder: run.cwd,
    }
  }
}

const addressOf = (agent: string, task: string): Pick<CodingTerminal, 'agent' | 'page' | 'socket'> => {
  const address = `/agents/${agent}`
  return { agent, page: `${address}?task=${task}`, socket: `/api${address}/terminal?task=${task}` }
}
