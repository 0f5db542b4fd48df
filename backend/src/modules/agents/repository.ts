/** Agents and shares in the database. */
import type { AgentSettings } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import type { PageStart } from '../../lib/page.ts'
import type { Actor } from '../audit/actor.ts'
import type { Audit, Facts } from '../audit/audit.ts'
import { changesOf } from '../audit/audited.ts'
import type { Caller } from '../identity/caller.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../database/errors.ts'
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import type { Beginning } from './beginning/beginning.ts'
import { agentEvent } from './recorded.ts'
import type { AgentRow } from './rows.ts'
import { freeUid } from './beginning/uids/free.ts'

/** A number that no other advisory lock of this database has. */
const UIDS_LOCK = 4_700_002

/** `visibleTo` limits the shares to those of one user; events to all users need the whole list. */
const columns = (visibleTo?: string) => ({
  include: {
    owner: { select: { email: true } },
    shares: { select: { userId: true }, ...(visibleTo === undefined ? {} : { where: { userId: visibleTo } }) },
  },
})

type Loaded = Omit<AgentRow, 'ownerEmail' | 'sharedWith'> & {
  owner: { email: string } | null
  shares: { userId: string }[]
}

const toRow = ({ owner, shares, ...agent }: Loaded): AgentRow => ({
  ...agent,
  ownerEmail: owner?.email ?? null,
  sharedWith: shares.map((share) => share.userId),
})

/** The condition of every query for a caller: an admin sees all agents, other users their own and shared ones. */
export const visible = ({ userId, isAdmin }: Viewer) =>
  isAdmin ? {} : { OR: [{ ownerId: userId }, { shares: { some: { userId } } }] }

/** A user whom an agent is shared with. */
export interface Sharee {
  readonly id: string
  readonly email: string
}

/** What is made in the transaction that makes an agent of this owner. */
export type AlsoMade = (tx: Prisma.TransactionClient, agentId: string, ownerId: string) => Promise<void>

/** What a new agent has from the beginning. */
export interface WithIt {
  readonly beginning?: Beginning | null
  /** For the event of its creation. */
  readonly facts?: Facts
  readonly also?: AlsoMade | undefined
}

export interface Viewer {
  readonly userId: string
  readonly isAdmin: boolean
}

export const viewerOf = ({ userId, role }: Caller): Viewer => ({ userId, isAdmin: role === 'admin' })

export class AgentRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Audit
  readonly #namespace: string

  /** `namespace` is the installation's. */
  constructor(prisma: PrismaClient, audit: Audit, namespace: string) {
    this.#prisma = prisma
    this.#audit = audit
    this.#namespace = namespace
  }

  async ids(): Promise<string[]> {
    return (await this.#prisma.agent.findMany({ select: { id: true } })).map((agent) => agent.id)
  }

  /** Only for the platform; never for a request. */
  async byId(id: string): Promise<AgentRow | null> {
    const found = await this.#prisma.agent.findUnique({ where: { id }, ...columns() })
    return found && toRow(found)
  }

  /** Only for the platform, like {@link byId}. */
  async byIds(ids: readonly string[]): Promise<AgentRow[]> {
    return (await this.#prisma.agent.findMany({ where: { id: { in: [...ids] } }, ...columns() })).map(toRow)
  }

  async find(name: string, viewer: Viewer): Promise<AgentRow | null> {
    const where = { name, isSystem: false, ...visible(viewer) }
    const found = await this.#prisma.agent.findFirst({ where, ...columns(viewer.userId) })
    return found && toRow(found)
  }

  /** Which of these names agents have. Only for the platform, like {@link byId}. */
  async takenOf(names: readonly string[]): Promise<string[]> {
    const where = { name: { in: [...names] } }
    return (await this.#prisma.agent.findMany({ where, select: { name: true } })).map(({ name }) => name)
  }

  async system(): Promise<AgentRow | null> {
    const found = await this.#prisma.agent.findFirst({ where: { isSystem: true }, ...columns() })
    return found && toRow(found)
  }

  /** Sorted by name. One row more than `limit` means that more follow. */
  async list(viewer: Viewer, { limit, after }: PageStart): Promise<AgentRow[]> {
    const found = await this.#prisma.agent.findMany({
      where: {
        isSystem: false,
        ...visible(viewer),
        ...(after === null ? {} : { name: { gt: after } }),
      },
      orderBy: { name: 'asc' },
      take: limit + 1,
      ...columns(viewer.userId),
    })
    return found.map(toRow)
  }

  /** The number of agents without a user id of their own. */
  async countWithoutUid(): Promise<number> {
    return this.#prisma.agent.count({ where: { uid: null } })
  }

  /** Gives the agent a user id of its own. Null if the name is taken. Throws `TOO_MANY_AGENTS` if no user id is free. */
  async create(
    agent: AgentSettings & { id: string; name: string; ownerId: string | null; isSystem: boolean },
    actor: Actor,
    { beginning = null, facts = {}, also }: WithIt = {},
  ): Promise<AgentRow | null> {
    try {
      return await this.#prisma.$transaction(async (tx) => {
        const uid = await this.#freeUid(tx)
        const row = toRow(await tx.agent.create({ data: { ...agent, uid }, ...columns() }))
        if (beginning) await tx.agentPreparation.create({ data: { agentId: row.id, ...beginning } })
        if (agent.ownerId !== null) await also?.(tx, row.id, agent.ownerId)
        const event = agentEvent(row, { ...facts, changes: changesOf('Agent', null, agent) })
        await this.#audit.record(tx, { actor, action: 'agent.created', ...event })
        return row
      })
    } catch (error) {
      if (isUniqueViolation(error)) return null
      throw error
    }
  }

  /** Of two concurrent transactions the second waits for the end of the first. */
  async #freeUid(tx: Pick<PrismaClient, 'agent' | '$executeRaw'>): Promise<number> {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${UIDS_LOCK})`
    const found = await tx.agent.findMany({ where: { uid: { not: null } }, select: { uid: true } })
    const uid = freeUid(this.#namespace, new Set(found.flatMap((agent) => agent.uid ?? [])))
    if (uid === null) throw new AppError('TOO_MANY_AGENTS', 'The limit of agents is reached. Delete one first.')
    return uid
  }

  /** Null if the agent is gone. */
  async update(id: string, settings: Partial<AgentSettings>, actor: Actor): Promise<AgentRow | null> {
    return this.#prisma.$transaction(async (tx) => {
      // Locks the row, so that of two concurrent changes the second is compared with the first.
      await tx.$executeRaw`SELECT 1 FROM "Agent" WHERE "id" = ${id}::uuid FOR UPDATE`
      const before = await tx.agent.findUnique({ where: { id } })
      if (!before) return null
      const row = toRow(await tx.agent.update({ where: { id }, data: settings, ...columns() }))
      const changes = changesOf('Agent', before, { ...before, ...settings })
      if (Object.keys(changes).length > 0)
        await this.#audit.record(tx, { actor, action: 'agent.changed', ...agentEvent(row, { changes }) })
      return row
    })
  }

  /** Does nothing if the agent is gone. */
  async delete(row: AgentRow, actor: Actor): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      const before = await tx.agent.findUnique({ where: { id: row.id } })
      const { count } = await tx.agent.deleteMany({ where: { id: row.id } })
      if (count === 0) return
      const event = agentEvent(row, { changes: changesOf('Agent', before, null) })
      await this.#audit.record(tx, { actor, action: 'agent.deleted', ...event })
    })
  }

  async shares(agentId: string, { limit, after }: PageStart) {
    const found = await this.#prisma.share.findMany({
      where: { agentId, ...(after === null ? {} : { userId: { gt: after } }) },
      orderBy: { userId: 'asc' },
      take: limit + 1,
      select: { userId: true, createdAt: true, user: { select: { email: true } } },
    })
    return found.map(({ userId, createdAt, user }) => ({ userId, createdAt, email: user.email }))
  }

  async userByEmail(email: string): Promise<Sharee | null> {
    return this.#prisma.user.findUnique({ where: { email }, select: { id: true, email: true } })
  }

  /** Sharing twice with a user has no further effect. Null if the agent or the user is gone. */
  async share(row: AgentRow, sharee: Sharee, actor: Actor): Promise<{ createdAt: Date } | null> {
    const share = { agentId: row.id, userId: sharee.id }
    try {
      return await this.#prisma.$transaction(async (tx) => {
        const { count } = await tx.share.createMany({ data: [share], skipDuplicates: true })
        const event = agentEvent(row, { with: sharee.email, changes: changesOf('Share', null, share) })
        if (count > 0) {
          await tx.agent.update({ where: { id: row.id }, data: { lentAt: new Date() } })
          await this.#audit.record(tx, { actor, action: 'share.created', ...event })
        }
        return tx.share.findUnique({ where: { agentId_userId: share }, select: { createdAt: true } })
      })
    } catch (error) {
      if (isForeignKeyViolation(error)) return null
      throw error
    }
  }

  /** Since when it was shared with the user; null if it was not. */
  async unshare(row: AgentRow, userId: string, actor: Actor): Promise<Date | null> {
    const share = { agentId: row.id, userId }
    return this.#prisma.$transaction(async (tx) => {
      const sharee = await tx.user.findUnique({ where: { id: userId }, select: { email: true } })
      const before = await tx.share.findUnique({ where: { agentId_userId: share }, select: { createdAt: true } })
      const { count } = await tx.share.deleteMany({ where: share })
      if (!before || count === 0) return null
      const event = agentEvent(row, { with: sharee?.email ?? null, changes: changesOf('Share', share, null) })
      await this.#audit.record(tx, { actor, action: 'share.removed', ...event })
      return before.createdAt
    })
  }

  /** Lets the owner's credentials be used in it again. False while it is shared. */
  async trust({ id, ...row }: AgentRow, actor: Actor): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      // Waits for a share in progress, so that the next statement sees it.
      await tx.$executeRaw`SELECT 1 FROM "Agent" WHERE "id" = ${id}::uuid FOR UPDATE`
      if ((await tx.share.count({ where: { agentId: id } })) > 0) return false
      const { count } = await tx.agent.updateMany({ where: { id, lentAt: { not: null } }, data: { lentAt: null } })
      if (count > 0) await this.#audit.record(tx, { actor, action: 'agent.trusted', ...agentEvent({ id, ...row }, {}) })
      return true
    })
  }
}
