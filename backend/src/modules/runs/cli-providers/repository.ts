/** Custom providers in the database. Every query names the user to whom they belong, and each change is recorded. */
import { type ConfigService, CUSTOM_PREFIX } from '@slipway/protocol'
import { isUniqueViolation } from '../../../database/errors.ts'
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'
import { recorded } from '../../audit/recorded-repository.ts'
import type { CustomProvider } from '../../providers/task-provider.ts'

/** The fields of a custom provider that its user chooses. */
export interface ProviderFields extends CustomProvider {
  readonly description: string | null
  readonly category: string
  readonly icon: string | null
  readonly color: string | null
  readonly isActive: boolean
}

/** A stored custom provider. */
export interface ProviderRow extends ProviderFields {
  readonly id: string
  readonly userId: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What keeps a new provider from being stored. */
export type Obstacle = 'name_taken' | 'too_many'

export class ProviderRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** Sorted by name. A user has few, by their limit. */
  async of(userId: string): Promise<ProviderRow[]> {
    const rows = await this.#prisma.cliProvider.findMany({ where: { userId }, orderBy: { name: 'asc' } })
    return rows.map(toRow)
  }

  async find(userId: string, id: string): Promise<ProviderRow | null> {
    const row = await this.#prisma.cliProvider.findFirst({ where: { id, userId } })
    return row && toRow(row)
  }

  /** The provider of an id such as `custom:aider`. */
  async named(userId: string, provider: string): Promise<ProviderRow | null> {
    const name = provider.slice(CUSTOM_PREFIX.length)
    const row = await this.#prisma.cliProvider.findUnique({ where: { userId_name: { userId, name } } })
    return row && toRow(row)
  }

  /** Answers what is in the way if the user has `max` already, or one of this name. */
  async create(row: ProviderRow, max: number, actor: Actor): Promise<Obstacle | null> {
    try {
      return await this.#prisma.$transaction(async (tx) => {
        // Locks the user's row, so that two concurrent requests cannot both create the last one.
        await tx.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${row.userId}::uuid FOR UPDATE`
        if ((await tx.cliProvider.count({ where: { userId: row.userId } })) >= max) return 'too_many'
        await tx.cliProvider.create({ data: { ...row, defaultArgs: [...row.defaultArgs] } })
        const detail = { changes: changesOf('CliProvider', null, row) }
        await this.#audit.record(tx, { actor, action: 'provider.created', target: targetOf(row), detail })
        return null
      })
    } catch (error) {
      if (isUniqueViolation(error)) return 'name_taken'
      throw error
    }
  }

  /**
   * Stores what `change` makes of the provider, and answers it. Null if the user has no such provider. What `change`
   * throws is passed on.
   */
  async change(
    userId: string,
    id: string,
    change: (before: ProviderRow) => ProviderRow,
    actor: Actor,
  ): Promise<ProviderRow | null> {
    return this.#prisma.$transaction(async (tx) => {
      // Locks it, so that of two concurrent changes the second sees the first.
      await tx.$executeRaw`SELECT 1 FROM "CliProvider" WHERE "id" = ${id}::uuid FOR UPDATE`
      const found = await tx.cliProvider.findFirst({ where: { id, userId } })
      if (!found) return null
      const before = toRow(found)
      const after = change(before)
      await tx.cliProvider.update({ where: { id }, data: { ...after, defaultArgs: [...after.defaultArgs] } })
      const detail = { changes: changesOf('CliProvider', before, after) }
      await this.#audit.record(tx, { actor, action: 'provider.changed', target: targetOf(after), detail })
      return after
    })
  }

  /** False if the user has no such provider. */
  async remove(userId: string, id: string, actor: Actor): Promise<boolean> {
    return recorded(this.#prisma, this.#audit, async (tx) => {
      const row = await tx.cliProvider.findFirst({ where: { id, userId } })
      const { count } = await tx.cliProvider.deleteMany({ where: { id, userId } })
      if (!row || count === 0) return null
      const detail = { changes: changesOf('CliProvider', toRow(row), null) }
      return { actor, action: 'provider.removed', target: targetOf(row), detail }
    })
  }
}

/** The database stores texts, of which only validated ones were written. */
type Loaded = Omit<ProviderRow, 'authMethod' | 'configServiceName' | 'promptVia' | 'outputFormat'> &
  Record<'authMethod' | 'promptVia' | 'outputFormat', string> & { configServiceName: string | null }

const toRow = (row: Loaded): ProviderRow => ({
  ...row,
  authMethod: row.authMethod as ProviderRow['authMethod'],
  configServiceName: row.configServiceName as ConfigService | null,
  promptVia: row.promptVia as ProviderRow['promptVia'],
  outputFormat: row.outputFormat as ProviderRow['outputFormat'],
})

const targetOf = ({ id, name }: Pick<ProviderRow, 'id' | 'name'>) => ({ id, name })
