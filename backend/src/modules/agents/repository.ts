/** Agents and shares in the database. */
import type { PageStart } from '../../lib/page.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../plugins/database/errors.ts'
import type { PrismaClient } from '../../plugins/database/generated/client.ts'
import type { AgentRow, AgentSettings } from './rows.ts'

/** `visibleTo` limits shares to those of one user; the whole list is for telling everybody. */
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

/** The caller's part in every query: an admin sees all, others what is theirs or shared with them. */
const visible = (userId: string, isAdmin: boolean) =>
  isAdmin ? {} : { OR: [{ ownerId: userId }, { shares: { some: { userId } } }] }

export interface Viewer {
  readonly userId: string
  readonly isAdmin: boolean
}

export class AgentRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  async ids(): Promise<string[]> {
    return (await this.#prisma.agent.findMany({ select: { id: true } })).map((agent) => agent.id)
  }

  /** For the platform itself; never for a request. */
  async byId(id: string): Promise<AgentRow | null> {
    const found = await this.#prisma.agent.findUnique({ where: { id }, ...columns() })
    return found && toRow(found)
  }

  /** For the platform itself, like {@link byId}. */
  async byIds(ids: readonly string[]): Promise<AgentRow[]> {
    return (await this.#prisma.agent.findMany({ where: { id: { in: [...ids] } }, ...columns() })).map(toRow)
  }

  async find(name: string, viewer: Viewer): Promise<AgentRow | null> {
    const where = { name, isSystem: false, ...visible(viewer.userId, viewer.isAdmin) }
    const found = await this.#prisma.agent.findFirst({ where, ...columns(viewer.userId) })
    return found && toRow(found)
  }

  async system(): Promise<AgentRow | null> {
    const found = await this.#prisma.agent.findFirst({ where: { isSystem: true }, ...columns() })
    return found && toRow(found)
  }

  /** In the order of their names; one more than `limit` tells that there are more. */
  async list(viewer: Viewer, { limit, after }: PageStart): Promise<AgentRow[]> {
    const found = await this.#prisma.agent.findMany({
      where: {
        isSystem: false,
        ...visible(viewer.userId, viewer.isAdmin),
        ...(after === null ? {} : { name: { gt: after } }),
      },
      orderBy: { name: 'asc' },
      take: limit + 1,
      ...columns(viewer.userId),
    })
    return found.map(toRow)
  }

  /** Null when the name is taken. */
  async create(
    agent: AgentSettings & { id: string; name: string; ownerId: string | null; isSystem: boolean },
  ): Promise<AgentRow | null> {
    try {
      return toRow(await this.#prisma.agent.create({ data: agent, ...columns() }))
    } catch (error) {
      if (isUniqueViolation(error)) return null
      throw error
    }
  }

  /** Null when it is gone. */
  async update(id: string, settings: Partial<AgentSettings>): Promise<AgentRow | null> {
    await this.#prisma.agent.updateMany({ where: { id }, data: settings })
    return this.byId(id)
  }

  async delete(id: string): Promise<void> {
    await this.#prisma.agent.deleteMany({ where: { id } })
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

  async userByEmail(email: string): Promise<{ id: string; email: string } | null> {
    return this.#prisma.user.findUnique({ where: { email }, select: { id: true, email: true } })
  }

  /** Sharing twice with one person is sharing once. Null when the agent or the person is gone. */
  async share(agentId: string, userId: string): Promise<{ createdAt: Date } | null> {
    try {
      await this.#prisma.share.createMany({ data: [{ agentId, userId }], skipDuplicates: true })
    } catch (error) {
      if (isForeignKeyViolation(error)) return null
      throw error
    }
    return this.#prisma.share.findUnique({
      where: { agentId_userId: { agentId, userId } },
      select: { createdAt: true },
    })
  }

  /** False when it was not shared with them. */
  async unshare(agentId: string, userId: string): Promise<boolean> {
    return (await this.#prisma.share.deleteMany({ where: { agentId, userId } })).count > 0
  }
}
