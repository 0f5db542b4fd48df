/** Dialogs: opens, shows, answers and closes them. The first answer wins, and silence is never a yes. */
import {
  type AnswerDialog,
  type CreateDialog,
  type Dialog,
  DIALOGS_ASKED_PER_USER,
  DIALOGS_LIMIT_MAX,
  type DialogsQuery,
} from '@slipway/protocol'
import { type Clock, SECOND_MS } from '../../lib/time/clock.ts'
import type { Signal } from '../../lib/emitter.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import { isUuid, type NewId } from '../../lib/ids.ts'
import { type Action, allows } from '../access/policy.ts'
import { agentEvent } from '../agents/recorded.ts'
import type { AgentRepository } from '../agents/repository.ts'
import { relationOf } from '../agents/rows.ts'
import type { AgentService } from '../agents/service.ts'
import type { AgentNews } from '../agents/news/topic.ts'
import type { Audit } from '../audit/audit.ts'
import { actorOf, type Caller } from '../identity/caller.ts'
import { refusalOf, withoutMaskedEdit } from './answer.ts'
import { holderOfAlways, makeRules } from './rules/always.ts'
import type { RuleHolder } from './rules/repository.ts'
import type { RuleService } from './rules/service.ts'
import type { DialogRepository, DialogRow, NewDialog } from './repository.ts'
import { mayTell, toDialog } from './view.ts'

interface Deps {
  readonly repository: DialogRepository
  readonly agentRows: Pick<AgentRepository, 'byId'>
  readonly agents: Pick<AgentService, 'require' | 'only'>
  readonly audit: Pick<Audit, 'record'>
  readonly news: Pick<Signal<AgentNews>, 'emit'>
  /** Told of every dialog that was closed. */
  readonly closed: Pick<Signal<DialogRow>, 'emit'>
  readonly rules: Pick<RuleService, 'createIn'>
  readonly newId: NewId
  readonly clock: Clock
}

/** The message that led a user to their answer, or that had the button for it. */
export type AnsweredFrom = 'push' | 'mail' | 'discord'

export class DialogService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Asks people. A question that the task has asked already stays as it is. */
  async open(asked: Omit<NewDialog, 'id'>): Promise<void> {
    const question = withoutMaskedEdit(asked.question)
    const row = await this.#deps.repository.open({ id: this.#deps.newId(), ...asked, question })
    if (row) this.#tell(row, 'dialog:opened')
  }

  /** Asks people in the name of a user. Throws `TOO_MANY_DIALOGS`. */
  async ask(caller: Caller, { agent, title, message, question, timeout_seconds }: CreateDialog): Promise<Dialog> {
    const { agents, repository, audit, newId, clock } = this.#deps
    const found = await (agent === undefined
      ? agents.only(caller, 'dialog.ask')
      : agents.require(caller, agent, 'dialog.ask'))
    const { id: agentId, name: agentName } = found.row
    const expiresAt = timeout_seconds === undefined ? null : new Date(clock.now() + timeout_seconds * SECOND_MS)
    const of = {
      agentId,
      agentName,
      userId: caller.userId,
      runId: null,
      requestId: null,
      personal: false,
      folder: null,
    }
    const dialog = { id: newId(), ...of, title, message: message ?? null, question, expiresAt }
    const row = await repository.ask(dialog, DIALOGS_ASKED_PER_USER, (tx, { id }) => {
      const facts = { dialogId: id, kind: question.kind, relation: found.relation }
      return audit.record(tx, { actor: actorOf(caller), action: 'dialog.asked', ...agentEvent(found.row, facts) })
    })
    if (!row)
      throw new AppError('TOO_MANY_DIALOGS', `You have ${DIALOGS_ASKED_PER_USER} open questions. Cancel one of them.`)
    this.#tell(row, 'dialog:opened')
    return toDialog(row)
  }

  /** Closes the questions whose time is over. Silence is never a yes. */
  async expire(): Promise<void> {
    for (const row of await this.#deps.repository.expire(new Date(this.#deps.clock.now()))) this.#closed(row)
  }

  /** What asked this does not wait any more. Does nothing if it is closed. */
  async abandon(id: string): Promise<void> {
    const { repository, clock } = this.#deps
    const row = await repository.close(id, { state: 'withdrawn', at: new Date(clock.now()) })
    if (row) this.#closed(row)
  }

  /** The program does not wait any more: for these questions, or for any. */
  async withdraw(runId: string, requestIds?: readonly string[]): Promise<void> {
    const at = new Date(this.#deps.clock.now())
    for (const row of await this.#deps.repository.withdraw(runId, at, requestIds)) this.#closed(row)
  }

  /** The agents of these questions were deleted, so nothing waits for an answer. */
  async withdrawOfDeleted(): Promise<void> {
    const at = new Date(this.#deps.clock.now())
    for (const row of await this.#deps.repository.withdrawOfDeleted(at)) this.#closed(row)
  }

  async list(caller: Caller, { state, session, limit = DIALOGS_LIMIT_MAX }: DialogsQuery): Promise<Dialog[]> {
    return (await this.#deps.repository.list(caller, { state, session, limit })).map(toDialog)
  }

  /** The first open ones that the caller should answer, oldest first, and how many they are. */
  async needing(caller: Caller, limit: number): Promise<{ items: Dialog[]; total: number }> {
    const { items, total } = await this.#deps.repository.needing(caller, limit)
    return { items: items.map(toDialog), total }
  }

  async get(caller: Caller, id: string): Promise<Dialog> {
    return toDialog((await this.require(caller, id, 'dialog.view')).row)
  }

  /** Throws `DIALOG_CLOSED` if it has an answer, or needs none any more. */
  async answer(caller: Caller, id: string, answer: AnswerDialog, from?: AnsweredFrom): Promise<Dialog> {
    const { row, agent, relation } = await this.require(caller, id, 'dialog.answer')
    if (row.state === 'open') {
      const refusal = refusalOf(row.question, answer)
      if (refusal !== null) throw new AppError('VALIDATION', refusal)
    }
    const holder = holderOfAlways(caller, row, relation, answer)
    return this.#close(caller, row, agent, { state: 'answered', answer, ...(from && { from }) }, holder)
  }

  /** The user does not want to answer. A program that asks for a permission does not get it. */
  async cancel(caller: Caller, id: string): Promise<Dialog> {
    const { row, agent } = await this.require(caller, id, 'dialog.answer')
    return this.#close(caller, row, agent, { state: 'cancelled' })
  }

  async #close(
    caller: Caller,
    { id }: DialogRow,
    agent: Awaited<ReturnType<AgentRepository['byId']>>,
    how: { readonly state: 'answered' | 'cancelled'; readonly answer?: AnswerDialog; readonly from?: AnsweredFrom },
    holder: RuleHolder | null = null,
  ): Promise<Dialog> {
    const { repository, audit, rules, clock } = this.#deps
    const closing = { ...how, by: caller, at: new Date(clock.now()) }
    const closed = await repository.close(id, closing, async (tx, row) => {
      const facts = {
        dialogId: id,
        ...(row.runId !== null && { taskId: row.runId }),
        kind: row.question.kind,
        ...(how.answer && 'decision' in how.answer && { decision: how.answer.decision }),
        ...(holder && { always: holder.of }),
        ...(how.from && { from: how.from }),
      }
      const action = how.state === 'answered' ? 'dialog.answered' : 'dialog.cancelled'
      const about = agent ?? { id: row.agentId ?? id, name: row.agentName, ownerEmail: null }
      await audit.record(tx, { actor: actorOf(caller), action, ...agentEvent(about, facts) })
      if (holder) await makeRules(tx, rules, caller, row, holder)
    })
    if (closed) {
      this.#closed(closed)
      return toDialog(closed)
    }
    const { row } = await this.require(caller, id, 'dialog.view')
    throw new AppError('DIALOG_CLOSED', closedText(row))
  }

  #closed(row: DialogRow): void {
    this.#tell(row, row.state === 'answered' ? 'dialog:answered' : 'dialog:closed')
    this.#deps.closed.emit(row)
  }

  #tell(row: DialogRow, type: 'dialog:opened' | 'dialog:answered' | 'dialog:closed'): void {
    const { agentId } = row
    if (agentId !== null) this.#deps.news.emit({ agentId, event: { type, dialog: toDialog(row) }, may: mayTell(row) })
  }

  /** Throws `NOT_FOUND` for a missing dialog and for one that the caller must not know of. */
  async require(caller: Caller, id: string, action: Action) {
    const row = isUuid(id) ? await this.#deps.repository.find(id, caller) : null
    if (!row) throw notFound()
    const agent = row.agentId === null ? null : await this.#deps.agentRows.byId(row.agentId)
    const isOwn = row.userId === caller.userId
    const relation = agent ? relationOf(caller, agent) : isOwn ? 'owner' : null
    if (!relation) throw notFound()
    if (!allows(caller, action, relation) || (action === 'dialog.answer' && relation === 'sharee' && !isOwn))
      throw new AppError(
        'FORBIDDEN',
        'Only the user whose task asks, the owner of the agent and admins may answer this.',
      )
    return { row, agent, relation }
  }
}

/** Why an answer came too late. */
const closedText = ({ state, closedBy }: DialogRow): string => {
  if (state === 'answered') return `This was answered by ${closedBy ?? 'another user'} already.`
  if (state === 'cancelled') return `This was cancelled by ${closedBy ?? 'another user'} already.`
  // It may be about to be closed.
  if (state === 'expired' || state === 'open') return 'The time to answer this is over.'
  return 'The agent does not wait for this answer any more.'
}
