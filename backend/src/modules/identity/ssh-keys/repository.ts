/** SSH keys of users in the database. */
import type { Actor } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'
import { recorded } from '../../audit/recorded-repository.ts'
import { isUniqueViolation } from '../../../database/errors.ts'
import type { PrismaClient } from '../../../database/generated/client.ts'

/** A key as stored. */
export interface StoredSshKey {
  readonly id: string
  readonly name: string
  readonly publicKey: string
  readonly fingerprint: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** A new key. */
export interface NewSshKey extends Omit<StoredSshKey, 'lastUsedAt'> {
  readonly userId: string
}

/** Why a key was not added: its user has it, another user has it, or its user has too many. */
export type KeyRefusal = 'yours' | 'taken' | 'too_many'

/** The key that a client offers, with its user. */
export interface KeyOfUser {
  readonly id: string
  readonly userId: string
  readonly publicKey: string
}

const COLUMNS = { id: true, name: true, publicKey: true, fingerprint: true, createdAt: true, lastUsedAt: true } as const

/** Every query of a user's own keys names the user. */
export class SshKeyRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** Newest first, because ids sort by age. */
  list(userId: string): Promise<StoredSshKey[]> {
    return this.#prisma.sshKey.findMany({ where: { userId }, orderBy: { id: 'desc' }, select: COLUMNS })
  }

  /** Stores a key, unless its user has `max` keys already. */
  async add(key: NewSshKey, max: number, actor: Actor): Promise<StoredSshKey | KeyRefusal> {
    const { userId, fingerprint } = key
    try {
      return await this.#prisma.$transaction(async (tx) => {
        // Locks the user's row, so that two concurrent requests cannot both add the last allowed key.
        await tx.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${userId}::uuid FOR UPDATE`
        const other = await tx.sshKey.findUnique({ where: { fingerprint }, select: { userId: true } })
        if (other) return other.userId === userId ? 'yours' : 'taken'
        if ((await tx.sshKey.count({ where: { userId } })) >= max) return 'too_many'
        const row = await tx.sshKey.create({ data: key, select: COLUMNS })
        const detail = { changes: changesOf('SshKey', null, row) }
        const target = { id: row.id, name: row.name }
        await this.#audit.record(tx, { actor, action: 'ssh_key.added', target, detail })
        return row
      })
    } catch (error) {
      // Another user added it at the same time.
      if (isUniqueViolation(error)) return 'taken'
      throw error
    }
  }

  /** False if the user has no such key. */
  remove(userId: string, id: string, actor: Actor): Promise<boolean> {
    return recorded(this.#prisma, this.#audit, async (tx) => {
      const row = await tx.sshKey.findFirst({ where: { id, userId }, select: COLUMNS })
      const { count } = await tx.sshKey.deleteMany({ where: { id, userId } })
      if (!row || count === 0) return null
      const detail = { changes: changesOf('SshKey', row, null) }
      return { actor, action: 'ssh_key.removed', target: { id, name: row.name }, detail }
    })
  }

  /** The key with this fingerprint, unless its user is disabled. */
  find(fingerprint: string): Promise<KeyOfUser | null> {
    return this.#prisma.sshKey.findFirst({
      where: { fingerprint, user: { is: { disabledAt: null } } },
      select: { id: true, userId: true, publicKey: true },
    })
  }

  /** The ids of all keys of a user. */
  async idsOf(userId: string): Promise<string[]> {
    const rows = await this.#prisma.sshKey.findMany({ where: { userId }, select: { id: true } })
    return rows.map(({ id }) => id)
  }

  /** Stores the time of use, unless a use after `unlessSince` is stored already. */
  async touch(id: string, at: Date, unlessSince: Date): Promise<void> {
    await this.#prisma.sshKey.updateMany({
      where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: unlessSince } }] },
      data: { lastUsedAt: at },
    })
  }
}
