/** Conversations of users. */
import {
  type Conversation,
  type Conversations,
  type ConversationsQuery,
  type CreateConversation,
  type ForkConversation,
  type InterruptTurn,
  PAGE_LIMIT_DEFAULT,
  type UpdateConversation,
} from '@slipway/protocol'
import type { Clock } from '../../lib/time/clock.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import { isUuid, type NewId } from '../../lib/ids.ts'
import { pageOf, pageStart } from '../../lib/page.ts'
import { type Action, allows } from '../access/policy.ts'
import { agentEvent } from '../agents/recorded.ts'
import { type AgentRepository, viewerOf } from '../agents/repository.ts'
import { relationOf } from '../agents/rows.ts'
import type { Found } from '../agents/service.ts'
import type { AuditEntry } from '../audit/audit.ts'
import { actorOf, asHandedIn, type Caller, proofOf } from '../identity/caller.ts'
import { continuesNone } from '../runs/schedules/service.ts'
import type { RunService } from '../runs/service.ts'
import type { RunPlanner } from '../runs/start/plan.ts'
import { folderOf } from '../sessions/start/folder.ts'
import { personalRun } from '../runs/view.ts'
import { isKeptFrom } from '../sessions/claim.ts'
import type { ConversationChanges } from './change-repository.ts'
import { type ConversationRepository, isListKey, listKey } from './repository.ts'
import type { AlsoBegun, TurnRepository } from './turn-repository.ts'
import { turnRequest } from './turns.ts'
import type { ConversationRow, Figures, NewMessage } from './rows.ts'
import { canFork, labelOf, toConversation, unendedRun } from './view.ts'

/** Longest title that is made from the first message, in UTF-16 code units. */
const MADE_TITLE_MAX = 80

export interface ConversationDeps {
  readonly agentRows: Pick<AgentRepository, 'byId'>
  readonly conversations: ConversationRepository
  readonly changes: ConversationChanges
  readonly turns: TurnRepository
  readonly planner: Pick<RunPlanner, 'plan' | 'locate'>
  readonly runs: Pick<RunService, 'terminate'>
  /** Tells about a new run. */
  readonly announce: (agentId: string, runId: string) => Promise<void>
  /** Tells about a change of a conversation. */
  readonly tell: (id: string) => Promise<void>
  /** One needs its folder no more. Returns at once. */
  readonly freed: () => void
  /** Tells that a conversation is gone. */
  readonly removed: (row: ConversationRow) => void
  readonly newId: NewId
  readonly clock: Clock
}

/** A conversation that a caller may see. `found` is null after its agent was deleted. */
export interface FoundConversation {
  readonly row: ConversationRow
  readonly figures: Figures
  readonly found: Found | null
}

export class ConversationService {
  readonly #deps: ConversationDeps

  constructor(deps: ConversationDeps) {
    this.#deps = deps
  }

  /**
   * Begins a conversation with its first turn, which waits in line if it cannot start now. `resourceId` names it at every
   * retry of the same request. `also` is made with it or not at all. Throws what the start of a task throws, and
   * `TOO_MANY_CONVERSATIONS`.
   */
  async create(
    caller: Caller,
    body: CreateConversation,
    resourceId: string | undefined,
    also?: AlsoBegun,
  ): Promise<Conversation> {
    const { conversations, turns, planner, announce, tell, newId, clock } = this.#deps
    // An earlier request with the same key made it, and its answer was lost.
    if (resourceId !== undefined && (await conversations.byId(resourceId))) return this.#written(caller, resourceId)
    const id = resourceId ?? newId()
    const found = await planner.locate(caller, body)
    const { agent: _agent, provider, prompt, title = madeTitle(prompt), cwd, ...options } = body
    const where = { cwd: folderOf(cwd), placed: false }
    const begins = { provider: provider ?? found.row.runtime, ...where, options, resumeRunId: null }
    const request = turnRequest(begins, found.row.name, prompt)
    const plan = await planner.plan(caller, request, newId(), continuesNone)
    const now = new Date(clock.now())
    const { run } = plan
    const conversation = {
      ...{ id, userId: caller.userId, agentId: found.row.id, agentName: found.row.name, title },
      ...{ provider: run.provider, displayName: run.displayName, cwd: run.cwd, placed: false, options },
      ...{ createdAt: now, lastActivityAt: now },
    }
    const message = newMessage(newId(), caller, { text: prompt }, now)
    await turns.create(conversation, message, { plan, actor: actorOf(caller) }, also)
    await announce(found.row.id, run.id)
    await tell(id)
    return this.#written(caller, id)
  }

  /**
   * Makes a conversation of the caller that continues with what was said in this one, in the same folder. `resourceId`
   * names it at every retry of the same request. Throws what {@link require} throws, `CANNOT_FORK`,
   * `TOO_MANY_CONVERSATIONS`.
   */
  async fork(
    caller: Caller,
    id: string,
    { title }: ForkConversation,
    resourceId: string | undefined,
  ): Promise<Conversation> {
    const { conversations, turns, tell, newId, clock } = this.#deps
    if (resourceId !== undefined && (await conversations.byId(resourceId))) return this.#written(caller, resourceId)
    const { row, found } = await this.require(caller, id, 'conversation.write')
    if (!found || !canFork(row))
      throw new AppError('CANNOT_FORK', `${labelOf(row)} cannot fork this conversation, or has no session of it yet.`)
    const now = new Date(clock.now())
    const { provider, displayName, cwd, placed, options, resumeRunId, cliSessionId } = row
    const conversation = {
      ...{ id: resourceId ?? newId(), userId: caller.userId, agentId: found.row.id, agentName: found.row.name },
      ...{
        title: title ?? row.title,
        provider,
        displayName,
        cwd,
        placed,
        options,
        createdAt: now,
        lastActivityAt: now,
      },
    }
    const entry = entryOf(caller, { ...row, id: conversation.id }, found, 'conversation.forked')
    await turns.fork(conversation, { forkedFromId: id, resumeRunId, cliSessionId }, entry)
    await tell(conversation.id)
    return this.#written(caller, conversation.id)
  }

  /** Checks the right before the kept answer to a repeated request is sent again. Throws like a new request. */
  async checkAgain(caller: Caller, body: Pick<CreateConversation, 'agent'>, id: string): Promise<void> {
    if (await this.#deps.conversations.byId(id)) await this.require(caller, id, 'conversation.write')
    else await this.#deps.planner.locate(caller, body)
  }

  async list(caller: Caller, query: ConversationsQuery): Promise<Conversations> {
    const { conversations } = this.#deps
    const start = pageStart(query, PAGE_LIMIT_DEFAULT, isListKey)
    const rows = await conversations.list(caller, query, start)
    const figures = await conversations.figures(rows)
    return pageOf(rows, start.limit, listKey, (row) =>
      toConversation(row, figures.get(row.id) ?? NOTHING, caller.userId),
    )
  }

  async get(caller: Caller, id: string): Promise<Conversation> {
    const { row, figures } = await this.require(caller, id, 'conversation.view')
    return toConversation(row, figures, caller.userId)
  }

  /**
   * Throws what {@link require} throws, `FORBIDDEN`, `WRONG_STATE` if it is to be archived and has something to do, and
   * `TOO_MANY_CONVERSATIONS` if it is to leave the archive.
   */
  async change(caller: Caller, id: string, { title, archived }: UpdateConversation): Promise<Conversation> {
    const { changes, tell, freed, clock } = this.#deps
    const { row, found } = await this.#requireOwn(caller, id)
    const archivedAt = archived === undefined ? undefined : archived ? (row.archivedAt ?? new Date(clock.now())) : null
    await changes.change(row, { title, archivedAt }, entryOf(caller, row, found, 'conversation.changed'))
    await tell(id)
    if (archived === true) freed()
    return this.#written(caller, id)
  }

  /** Its tasks stay. Throws what {@link require} throws, `FORBIDDEN`, and `WRONG_STATE` while a turn runs. */
  async remove(caller: Caller, id: string): Promise<void> {
    const { changes, removed, freed } = this.#deps
    const { row, found } = await this.#requireOwn(caller, id)
    await changes.remove(id, entryOf(caller, row, found, 'conversation.deleted'))
    removed(row)
    freed()
  }

  /**
   * Ends the turn that runs, or the one with this run if it still runs. The next message begins the next one. Throws
   * `WRONG_STATE` if there is none to end.
   */
  async interrupt(caller: Caller, id: string, { runId }: InterruptTurn = {}): Promise<Conversation> {
    const { row } = await this.require(caller, id, 'conversation.write')
    const run = unendedRun(row)
    if (!run) throw new AppError('WRONG_STATE', 'No turn of this conversation runs.')
    if (runId !== undefined && runId !== run.id)
      throw new AppError('WRONG_STATE', 'This turn has ended, and the next one runs.')
    await this.#deps.runs.terminate(caller, run.id)
    return this.#written(caller, id)
  }

  /**
   * A conversation that the caller may see. Throws `NOT_FOUND` for a missing one and for one that the caller must not
   * know of, `PERSONAL_CREDENTIAL`, and `FORBIDDEN` for a missing right.
   */
  async require(caller: Caller, id: string, action: Action): Promise<FoundConversation> {
    const { conversations, agentRows } = this.#deps
    const seen = isUuid(id) ? await conversations.find(id, viewerOf(caller)) : null
    const known = seen && (await conversations.counted(seen))
    if (!known) throw notFound()
    const { row, figures } = known
    const agent = row.agentId === null ? null : await agentRows.byId(row.agentId)
    const relation = agent && relationOf(caller, agent)
    if (isKeptFrom(caller, figures)) throw personalRun()
    // After the deletion of the agent, its user still sees what was said.
    if (!agent && row.userId === caller.userId && allows(caller, action, 'owner')) return { row, figures, found: null }
    if (!agent || !relation) throw notFound()
    if (!allows(caller, action, relation)) throw new AppError('FORBIDDEN', 'You may not do this in this agent.')
    return { row, figures, found: { caller, row: agent, relation } }
  }

  /** The answer to a change, also for an API token that may not read. */
  async #written(caller: Caller, id: string): Promise<Conversation> {
    const { row, figures } = await this.require(caller, id, 'conversation.write')
    return toConversation(row, figures, caller.userId)
  }

  async #requireOwn(caller: Caller, id: string): Promise<FoundConversation> {
    const conversation = await this.require(caller, id, 'conversation.write')
    if (conversation.row.userId !== caller.userId && conversation.found?.relation === 'sharee')
      throw new AppError('FORBIDDEN', 'Only its user, the owner of the agent and admins may do this.')
    return conversation
  }
}

const NOTHING: Figures = {
  ...{ queued: 0, turns: 0, costUsd: null, costEstimated: false },
  ...{ personal: false, isInTerminal: false },
}

const madeTitle = (prompt: string): string => {
  const words = prompt.trim().replaceAll(/\s+/g, ' ')
  return words.length <= MADE_TITLE_MAX ? words : `${words.slice(0, MADE_TITLE_MAX - 1).toWellFormed()}…`
}

/** Who wrote a text, and how they had authenticated. What its turn may do depends on that. */
export const writtenBy = (caller: Caller): Pick<NewMessage, 'userId' | 'via' | 'viaId'> => {
  const { kind: via, id: viaId } = proofOf(asHandedIn(caller).via)
  return { userId: caller.userId, via, viaId }
}

/** A message of a caller. */
export const newMessage = (
  id: string,
  caller: Caller,
  said: Pick<NewMessage, 'text' | 'validate'>,
  createdAt: Date,
): NewMessage => ({ id, ...writtenBy(caller), ...said, createdAt })

/** Records what a caller does with a conversation. */
export const entryOf = (
  caller: Caller,
  row: ConversationRow,
  found: Found | null,
  action: AuditEntry['action'],
): AuditEntry => {
  const agent = found?.row ?? { id: row.agentId ?? '', name: row.agentName, ownerEmail: null }
  return { actor: actorOf(caller), action, ...agentEvent(agent, { conversationId: row.id }) }
}
