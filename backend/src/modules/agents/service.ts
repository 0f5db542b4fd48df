/** Operations on agents for users and programs. Rights are checked here before anything is done. */
import {
  AGENT_DEFAULTS,
  settingsOf,
  type Agent,
  AGENT_NAME_PATTERN,
  type AgentDisk,
  type AuditAction,
  type CreateAgent,
  PAGE_LIMIT_MAX,
  type Relation,
  type StateReason,
  type UpdateAgent,
} from '@slipway/protocol'
import { AppError, notFound } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import { type PageOf, pageOf, type PageStart } from '../../lib/page.ts'
import { type Action, allows } from '../access/policy.ts'
import type { Audit } from '../audit/audit.ts'
import { PLATFORM } from '../audit/actor.ts'
import { actorOf, type Caller } from '../identity/caller.ts'
import type { Activity } from './state/activity.ts'
import type { Board, Snapshot } from './state/board.ts'
import type { Lifecycle } from './lifecycle/lifecycle.ts'
import type { AgentTemplateService } from './agent-templates/service.ts'
import { beginningOf, factsOf } from './beginning/beginning.ts'
import { agentEvent } from './recorded.ts'
import { checkOffered, type Offer, optionsOf, type SettingsOptions } from './settings/limits.ts'
import { type AgentRepository, viewerOf } from './repository.ts'
import { type AgentRow, relationOf } from './rows.ts'
import type { AgentSignals } from './news/signals.ts'
import { suggestedName } from './beginning/suggested-name.ts'
import { toAgent } from './view.ts'

/** The name of the installation's own agent. */
export const SYSTEM_AGENT_NAME = 'system'
/** Names that agents cannot have, because the API has other routes at their addresses. */
const RESERVED_NAMES = ['options', SYSTEM_AGENT_NAME]
const NAME = new RegExp(AGENT_NAME_PATTERN)

/** An agent that the caller may see, with the caller's relation to it. */
export interface Found extends Seen {
  readonly caller: Caller
}

/** Finds the agent at an address for a caller, or throws. */
export type Locate = (caller: Caller) => Promise<Found>

/** The data for an agent's answer. */
export interface Seen {
  readonly row: AgentRow
  readonly relation: Relation
}

/** An operation in progress on an agent. */
export interface Command {
  /** Settles when it ends; a failure of the engine becomes the agent's state. */
  readonly done: Promise<void>
}

interface Parts {
  readonly audit: Pick<Audit, 'recordNow'>
  readonly repository: AgentRepository
  readonly lifecycle: Lifecycle
  readonly board: Board
  readonly signals: AgentSignals
  readonly offer: Offer
  readonly templates: Pick<AgentTemplateService, 'applied'>
  readonly activity: Pick<Activity, 'of'>
  /** Null before the first measurement. */
  readonly diskOf: (agentId: string) => AgentDisk | null
  readonly newId: NewId
}

const DISK_FULL: StateReason = {
  code: 'disk_full',
  message:
    'It was stopped, because it used up the disk space that an agent may have here. Start it and delete what it does not need; it is measured again after some minutes.',
}

export class AgentService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  options(): SettingsOptions {
    return optionsOf(this.#parts.offer)
  }

  /** A name that no agent has now. */
  suggestedName(): Promise<string> {
    return suggestedName((names) => this.#parts.repository.takenOf(names))
  }

  /**
   * Throws `NOT_FOUND` for a missing agent and for one that the caller must not know of; `FORBIDDEN` for a missing
   * right.
   */
  async require(caller: Caller, name: string, action: Action): Promise<Found> {
    // An invalid name is not looked up: the database rejects some of them, such as a NUL.
    const row = NAME.test(name) ? await this.#parts.repository.find(name, viewerOf(caller)) : null
    return this.#check(caller, row, action)
  }

  /**
   * The caller's only agent. Throws `VALIDATION` if the caller may use none or several, and like {@link require}.
   */
  async only(caller: Caller, action: Action): Promise<Found> {
    const rows = await this.#parts.repository.list(
      { ...viewerOf(caller), isAdmin: false },
      { limit: PAGE_LIMIT_MAX, after: null },
    )
    const [row, another] = rows.filter(({ ownerId }) => ownerId === caller.userId)
    if (!row || another)
      throw new AppError('VALIDATION', 'body.agent: name the agent, because you have none or several')
    return this.#check(caller, row, action)
  }

  async requireSystem(caller: Caller, action: Action): Promise<Found> {
    return this.#check(caller, await this.#parts.repository.system(), action)
  }

  /** Sorted by name. */
  async list(caller: Caller, start: PageStart): Promise<PageOf<Agent>> {
    const rows = await this.#parts.repository.list(viewerOf(caller), start)
    return pageOf(
      rows,
      start.limit,
      (row) => row.name,
      (row) => this.view(this.#found(caller, row)),
    )
  }

  /**
   * Answers at once with the state `creating`; `launched` settles when the agent runs or failed. A repeated request
   * with the same `id` gets the agent of the first one.
   */
  async create(
    caller: Caller,
    body: CreateAgent,
    id = this.#parts.newId(),
  ): Promise<{ agent: Agent; launched: Promise<void> }> {
    const { body: whole, variables, secrets } = await this.#parts.templates.applied(body)
    const { name, repository, setupCommand, task, ...wanted } = whole
    const settings = settingsOf(wanted)
    const { runtime } = settings
    if (runtime === undefined) throw new AppError('VALIDATION', 'body.runtime: name a CLI, or a template')
    checkOffered(this.#parts.offer, settings)
    if (RESERVED_NAMES.includes(name)) throw nameTaken()
    const beginning = beginningOf(caller, { repository, setupCommand, task }, variables, secrets !== null)
    const options = this.options()
    const fresh = {
      id,
      name,
      ownerId: caller.userId,
      isSystem: false,
      cpus: options.cpus.default,
      memoryMb: options.memoryMb.default,
      ...AGENT_DEFAULTS,
      ...settings,
      runtime,
    }
    const facts = {
      ...factsOf(beginning),
      ...(body.template !== undefined && { template: body.template }),
      ...(secrets && { secretVariables: [...secrets.names] }),
    }
    const row = await this.#parts.repository.create(fresh, actorOf(caller), { beginning, facts, also: secrets?.give })
    if (!row) return this.#createdBefore(caller, id)
    this.#parts.board.add(row.id)
    if (beginning) this.#parts.signals.begins.emit(row.id)
    const launched = this.#parts.lifecycle.create(row)
    return { agent: this.view(this.#found(caller, row)), launched }
  }

  /** The agent of an earlier request with this id, whose server was killed before it answered. */
  async #createdBefore(caller: Caller, id: string): Promise<{ agent: Agent; launched: Promise<void> }> {
    const row = await this.#parts.repository.byId(id)
    if (row?.ownerId !== caller.userId) throw nameTaken()
    const launched = this.#parts.lifecycle.start(row)
    return { agent: this.view(this.#found(caller, row)), launched }
  }

  async update({ row, caller }: Found, change: UpdateAgent): Promise<Agent> {
    const settings = settingsOf(change)
    checkOffered(this.#parts.offer, settings)
    const updated = await this.#parts.repository.update(row.id, settings, actorOf(caller))
    // The agent was deleted meanwhile.
    if (!updated) throw notFound()
    this.#parts.signals.changed.emit(row.id)
    return this.view(this.#found(caller, updated))
  }

  /** Like the three methods below, it resolves once the operation is recorded and begins. */
  async start(found: Found): Promise<Command> {
    await this.#record(found, 'agent.started')
    return { done: this.#parts.lifecycle.start(found.row) }
  }

  async stop(found: Found): Promise<Command> {
    await this.#record(found, 'agent.stopped')
    this.#closing(found)
    return { done: this.#parts.lifecycle.stop(found.row) }
  }

  /** The platform stops an agent that has reached its disk limit. Does nothing if it does not run. */
  async stopForDisk(agentId: string): Promise<void> {
    const row = await this.#parts.repository.byId(agentId)
    if (!row || this.snapshot(row).runningId === null) return
    await this.#parts.audit.recordNow({ actor: PLATFORM, action: 'agent.stopped', ...agentEvent(row) })
    this.#parts.signals.closing.emit({ row, because: 'container_stopped' })
    await this.#parts.lifecycle.stop(row, DISK_FULL)
  }

  async restart(found: Found): Promise<Command> {
    await this.#record(found, 'agent.restarted')
    this.#closing(found)
    return { done: this.#parts.lifecycle.restart(found.row) }
  }

  async recreate(found: Found): Promise<Command> {
    await this.#record(found, 'agent.recreated')
    this.#closing(found)
    return { done: this.#parts.lifecycle.recreate(found.row) }
  }

  /** Recorded twice: before its container and home are deleted, and with the deletion of its row. */
  async delete(found: Found): Promise<void> {
    const { row, caller } = found
    const whole = (await this.#parts.repository.byId(row.id)) ?? row
    await this.#record(found, 'agent.deleting')
    this.#parts.signals.closing.emit({ row, because: 'agent_deleted' })
    await this.#parts.lifecycle.delete(row, () => this.#parts.repository.delete(row, actorOf(caller)))
    this.#parts.signals.deleted.emit({ row: whole })
  }

  /** The agent as this caller sees it now. */
  view({ row, relation }: Seen): Agent {
    const { lifecycle, diskOf, activity } = this.#parts
    const [wanted, disk] = [lifecycle.fingerprintOf(row), diskOf(row.id)]
    return toAgent(row, relation, this.snapshot(row), wanted, disk, activity.of(row.id))
  }

  snapshot(row: AgentRow): Snapshot {
    return this.#parts.board.get(row.id)
  }

  #record({ row, caller }: Found, action: AuditAction): Promise<void> {
    return this.#parts.audit.recordNow({ actor: actorOf(caller), action, ...agentEvent(row) })
  }

  #closing({ row }: Found): void {
    this.#parts.signals.closing.emit({ row, because: 'container_stopped' })
  }

  #check(caller: Caller, row: AgentRow | null, action: Action): Found {
    const relation = row && relationOf(caller, row)
    if (!row || !relation) throw notFound()
    if (!allows(caller, action, relation))
      throw new AppError('FORBIDDEN', 'You may use this agent, but you lack the right to do this.')
    return { row, relation, caller }
  }

  #found(caller: Caller, row: AgentRow): Found {
    return { row, relation: relationOf(caller, row) ?? 'sharee', caller }
  }
}

const nameTaken = (): AppError =>
  new AppError('NAME_TAKEN', 'An agent with this name exists already, or the name is reserved. Choose another name.')
