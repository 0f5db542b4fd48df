/** Stored credentials on their way from one secret key to the next. */
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import type { Audit, AuditEntry } from '../audit/audit.ts'
import type { Sealed } from './keyring.ts'
import { replaceKeyId } from './secret-key-repository.ts'

/** Rows of one transaction: small, since the embedded database does nothing else meanwhile. */
const BATCH = 50

/** A credential of another key, with the names that people know its owner by. */
export type OldCredential = Awaited<ReturnType<typeof oldOnes>>[number]

/** What becomes of the credentials of one batch. */
export interface Treatment {
  /** The secret, encrypted with the key in force; null where it cannot be read. */
  readonly reseal: (row: OldCredential) => Sealed | null
  /** The row in the log of one that cannot be read and is removed; null: it stays. */
  readonly discard: ((row: OldCredential) => AuditEntry) | null
}

/** One batch. */
export interface Batch {
  /** Id of its last credential, after which the next batch begins. */
  readonly last: string
  readonly rotated: number
  readonly unreadable: readonly OldCredential[]
}

export class RotationRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** Puts a key in force; see {@link replaceKeyId}. */
  begin(keyId: string, mayReplace: (before: string) => boolean): Promise<boolean> {
    return this.#prisma.$transaction((tx) => replaceKeyId(tx, keyId, mayReplace))
  }

  /** How many credentials have another key than this one. */
  countOld(keyId: string): Promise<number> {
    return this.#prisma.credential.count({ where: { keyId: { not: keyId } } })
  }

  /** Treats the next ones, all or none; null where there are no more. What is removed is recorded in the same transaction. */
  treat(keyId: string, after: string | null, { reseal, discard }: Treatment): Promise<Batch | null> {
    return this.#prisma.$transaction(async (tx) => {
      const rows = await oldOnes(tx, keyId, after)
      const last = rows.at(-1)
      if (!last) return null
      const unreadable: OldCredential[] = []
      let rotated = 0
      for (const row of rows) {
        const data = reseal(row)
        if (data === null) unreadable.push(row)
        // Replaced meanwhile, it has the newest key already.
        else rotated += (await tx.credential.updateMany({ where: { id: row.id, keyId: row.keyId }, data })).count
      }
      if (discard) for (const row of unreadable) await this.#remove(tx, row, discard)
      return { last: last.id, rotated, unreadable }
    })
  }

  async #remove(
    tx: Prisma.TransactionClient,
    row: OldCredential,
    entryOf: (row: OldCredential) => AuditEntry,
  ): Promise<void> {
    const { count } = await tx.credential.deleteMany({ where: { id: row.id, keyId: row.keyId } })
    // Set anew meanwhile, it can be read.
    if (count > 0) await this.#audit.record(tx, entryOf(row))
  }
}

const oldOnes = (tx: Prisma.TransactionClient, keyId: string, after: string | null) =>
  tx.credential.findMany({
    where: { keyId: { not: keyId }, ...(after === null ? {} : { id: { gt: after } }) },
    include: { agent: { select: { id: true, name: true } }, user: { select: { id: true, email: true } } },
    orderBy: { id: 'asc' },
    take: BATCH,
  })
