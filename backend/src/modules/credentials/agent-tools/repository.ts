/** The API tokens with which programs in agents use the platform's tools. */
import { SCOPES, type Scope } from '@slipway/protocol'
import type { PrismaClient } from '../../../database/generated/client.ts'
import { isForeignKeyViolation } from '../../../database/errors.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { AgentRow } from '../../agents/rows.ts'

/** The token of an agent. */
export interface ToolsToken {
  readonly id: string
  readonly name: string
  readonly userId: string
  readonly email: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
  readonly setAt: Date
}

type Target = Pick<AgentRow, 'id' | 'name' | 'ownerEmail'>

/** Records each change in the same transaction. */
export class AgentToolsRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  async of(agentId: string): Promise<ToolsToken | null> {
    const found = await this.#prisma.agentTools.findUnique({
      where: { agentId },
      select: {
        setAt: true,
        token: {
          select: {
            id: true,
            name: true,
            userId: true,
            scopes: true,
            expiresAt: true,
            user: { select: { email: true } },
          },
        },
      },
    })
    if (!found) return null
    const { user, scopes, ...token } = found.token
    return { ...token, email: user.email, scopes: SCOPES.filter((scope) => scopes.includes(scope)), setAt: found.setAt }
  }

  /** A token of this user; null if there is none. */
  async token(userId: string, id: string): Promise<Pick<ToolsToken, 'id' | 'name' | 'scopes'> | null> {
    const found = await this.#prisma.apiToken.findFirst({
      where: { id, userId },
      select: { id: true, name: true, scopes: true },
    })
    return found && { ...found, scopes: SCOPES.filter((scope) => found.scopes.includes(scope)) }
  }

  /** False if the agent or the token is gone. */
  async set(
    agent: Target,
    { id: tokenId, name }: Pick<ToolsToken, 'id' | 'name'>,
    actor: Actor,
    setAt: Date,
  ): Promise<boolean> {
    const where = { agentId: agent.id }
    try {
      await this.#prisma.$transaction(async (tx) => {
        const before = await tx.agentTools.findUnique({ where })
        const after = await tx.agentTools.upsert({
          where,
          create: { ...where, tokenId, setAt },
          update: { tokenId, setAt },
        })
        const event = agentEvent(agent, { token: name, changes: changesOf('AgentTools', before, after) })
        await this.#audit.record(tx, { actor, action: 'agent.tools_set', ...event })
      })
      return true
    } catch (error) {
      if (isForeignKeyViolation(error)) return false
      throw error
    }
  }

  /** Does nothing if there is no token. */
  async remove(agent: Target, actor: Actor): Promise<void> {
    const where = { agentId: agent.id }
    await this.#prisma.$transaction(async (tx) => {
      const before = await tx.agentTools.findUnique({ where })
      const { count } = await tx.agentTools.deleteMany({ where })
      if (count === 0) return
      const event = agentEvent(agent, { changes: changesOf('AgentTools', before, null) })
      await this.#audit.record(tx, { actor, action: 'agent.tools_removed', ...event })
    })
  }
}
