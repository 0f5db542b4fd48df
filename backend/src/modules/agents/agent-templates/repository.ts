/** Templates of agents in the database. Each change is recorded. */
import type { AgentTemplate, SetAgentTemplate } from '@slipway/protocol'
import { AgentTemplate as Schema } from '@slipway/protocol'
import { Check } from 'typebox/value'
import { Prisma, type PrismaClient } from '../../../database/generated/client.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { type Changes, changesOf } from '../../audit/audited.ts'

/** Names the lock on the templates of agents. */
const LOCK = 4_700_071

/** With the names of the secret variables, never with the values. */
const COLUMNS = { include: { secrets: { select: { name: true, setAt: true }, orderBy: { name: 'asc' } } } } as const
type Row = Prisma.AgentTemplateGetPayload<typeof COLUMNS>

/** Null for a row of another version, which no user can choose. */
const toTemplate = ({ id: _id, createdAt: _createdAt, updatedAt, secrets, ...row }: Row): AgentTemplate | null => {
  const secretVariables = secrets.map(({ name, setAt }) => ({ name, setAt: setAt.toISOString() }))
  const template: unknown = { ...row, secretVariables, updatedAt: updatedAt.toISOString() }
  return Check(Schema, template) ? template : null
}

/** A template as it was when it was read. */
export interface TemplateVersion {
  readonly id: string
  readonly updatedAt: Date
}

/** What happens to the secret variables of a template, in the transaction of the caller. */
export interface TemplateSecrets {
  /**
   * Makes these the secret variables of the template. Answers which of them were set or removed. Throws `VALIDATION` for one
   * without a value that it does not have yet, and `SECRET_KEY_MISMATCH`.
   */
  replace(
    tx: Prisma.TransactionClient,
    templateId: string,
    wanted: NonNullable<SetAgentTemplate['secretVariables']>,
  ): Promise<Changes>
  /**
   * Gives them to a new agent, as if this user had set them. Throws `WRONG_STATE` if the template is another one by now, and
   * `SECRET_KEY_MISMATCH` if one of them cannot be decrypted.
   */
  give(tx: Prisma.TransactionClient, from: TemplateVersion, to: { agentId: string; userId: string }): Promise<void>
}

export class AgentTemplateRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>
  #secrets: TemplateSecrets | null = null

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** Sets who has the keys for the secret variables. Call it before the first request. */
  sealWith(secrets: TemplateSecrets): void {
    this.#secrets = secrets
  }

  get secrets(): TemplateSecrets {
    if (!this.#secrets) throw new Error('no module encrypts the secret variables of templates')
    return this.#secrets
  }

  /** By name. */
  async all(): Promise<AgentTemplate[]> {
    const rows = await this.#prisma.agentTemplate.findMany({ orderBy: { name: 'asc' }, ...COLUMNS })
    return rows.flatMap((row) => toTemplate(row) ?? [])
  }

  async find(name: string): Promise<(AgentTemplate & { readonly version: TemplateVersion }) | null> {
    const row = await this.#prisma.agentTemplate.findUnique({ where: { name }, ...COLUMNS })
    const template = row && toTemplate(row)
    return template && { ...template, version: { id: row.id, updatedAt: row.updatedAt } }
  }

  /** Makes or replaces it. Null: there are `max` others already. */
  async set(
    { name, secretVariables = [], ...template }: SetAgentTemplate & { readonly name: string },
    max: number,
    actor: Actor,
  ): Promise<AgentTemplate | null> {
    return this.#prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`
      if ((await tx.agentTemplate.count({ where: { name: { not: name } } })) >= max) return null
      const before = await tx.agentTemplate.findUnique({ where: { name } })
      const data = {
        ...{ ...template, updatedAt: new Date() },
        repository: template.repository ?? Prisma.DbNull,
      }
      const after = await tx.agentTemplate.upsert({ where: { name }, create: { name, ...data }, update: data })
      const ofSecrets = await this.secrets.replace(tx, after.id, secretVariables)
      const changes = { ...changesOf('AgentTemplate', before, after), ...ofSecrets }
      await this.#audit.record(tx, {
        actor,
        action: 'agent_template.set',
        target: targetOf(after),
        detail: { changes },
      })
      return toTemplate(await tx.agentTemplate.findUniqueOrThrow({ where: { name }, ...COLUMNS }))
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

const targetOf = ({ id, name }: Pick<Row, 'id' | 'name'>) => ({ id, name })
