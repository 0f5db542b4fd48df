/** Templates of agents in the database. Each change is recorded. */
import type { AgentTemplate } from '@slipway/protocol'
import { AgentTemplate as Schema } from '@slipway/protocol'
import { Check } from 'typebox/value'
import { Prisma, type PrismaClient } from '../../../database/generated/client.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'

/** Names the lock on the templates of agents. */
const LOCK = 4_700_071

type Row = Prisma.AgentTemplateGetPayload<object>

/** Null for a row of another version, which no user can choose. */
const toTemplate = ({ id: _id, createdAt: _createdAt, updatedAt, ...row }: Row): AgentTemplate | null => {
  const template: unknown = { ...row, updatedAt: updatedAt.toISOString() }
  return Check(Schema, template) ? template : null
}

export class AgentTemplateRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** By name. */
  async all(): Promise<AgentTemplate[]> {
    const rows = await this.#prisma.agentTemplate.findMany({ orderBy: { name: 'asc' } })
    return rows.flatMap((row) => toTemplate(row) ?? [])
  }

  async find(name: string): Promise<AgentTemplate | null> {
    const row = await this.#prisma.agentTemplate.findUnique({ where: { name } })
    return row && toTemplate(row)
  }

  /** Makes or replaces it. Null: there are `max` others already. */
  async set(
    { name, description, settings, repository, setupCommand, variables }: Omit<AgentTemplate, 'updatedAt'>,
    max: number,
    actor: Actor,
  ): Promise<AgentTemplate | null> {
    return this.#prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`
      if ((await tx.agentTemplate.count({ where: { name: { not: name } } })) >= max) return null
      const before = await tx.agentTemplate.findUnique({ where: { name } })
      const data = {
        ...{ description, settings, setupCommand, variables, updatedAt: new Date() },
        repository: repository ?? Prisma.DbNull,
      }
      const after = await tx.agentTemplate.upsert({ where: { name }, create: { name, ...data }, update: data })
      const changes = changesOf('AgentTemplate', before, after)
      await this.#audit.record(tx, {
        actor,
        action: 'agent_template.set',
        target: targetOf(after),
        detail: { changes },
      })
      return toTemplate(after)
    })
  }

  /** False: there is none of this name. */
  async remove(name: string, actor: Actor): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const before = await tx.agentTemplate.findUnique({ where: { name } })
      const { count } = await tx.agentTemplate.deleteMany({ where: { name } })
      if (!before || count === 0) return false
      const detail = { changes: changesOf('AgentTemplate', before, null) }
      await this.#audit.record(tx, { actor, action: 'agent_template.removed', target: targetOf(before), detail })
      return true
    })
  }
}

const targetOf = ({ id, name }: Row) => ({ id, name })
