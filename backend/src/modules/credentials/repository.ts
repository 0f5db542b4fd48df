/** Credentials in the database, encrypted. */
import { CREDENTIAL_KINDS, type CredentialKind } from '@slipway/protocol'
import { isForeignKeyViolation } from '../../database/errors.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import { type CredentialOwner, ownerColumns, ownerKey } from './owner.ts'

/** A credential as stored. */
export interface StoredCredential {
  readonly owner: string
  readonly kind: CredentialKind
  readonly address: string | null
  readonly sealed: Uint8Array<ArrayBuffer>
  readonly keyId: string
  readonly setAt: Date
  /** E-mail address of who set it. */
  readonly setBy: string | null
}

/** What {@link CredentialRepository.set} writes. */
export type NewCredential = Pick<StoredCredential, 'kind' | 'address' | 'sealed' | 'keyId'> & {
  readonly id: string
  readonly setById: string
  readonly setAt: Date
}

/** One transaction, in which whoever calls may write more. */
export type Transaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0]

const COLUMNS = {
  owner: true,
  kind: true,
  address: true,
  sealed: true,
  keyId: true,
  setAt: true,
  setBy: { select: { email: true } },
} as const

type Loaded = Omit<StoredCredential, 'kind' | 'setBy'> & { kind: string; setBy: { email: string } | null }

/** A kind that a later version stored and this one does not know is as if it were not there. */
const toStored = (rows: readonly Loaded[]): StoredCredential[] =>
  rows.flatMap(({ kind, setBy, ...row }) =>
    Object.hasOwn(CREDENTIAL_KINDS, kind)
      ? [{ ...row, kind: kind as CredentialKind, setBy: setBy?.email ?? null }]
      : [],
  )

export class CredentialRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#prisma.$transaction(work)
  }

  /** All of these owners', which are a few for each of them. */
  async of(...owners: CredentialOwner[]): Promise<StoredCredential[]> {
    const where = { owner: { in: owners.map(ownerKey) } }
    return toStored(await this.#prisma.credential.findMany({ where, select: COLUMNS, orderBy: { kind: 'asc' } }))
  }

  async find(
    owner: CredentialOwner,
    kind: CredentialKind,
    db: Pick<Transaction, 'credential'> = this.#prisma,
  ): Promise<StoredCredential | null> {
    const where = { owner: ownerKey(owner), kind }
    const row = await db.credential.findFirst({ where, select: COLUMNS })
    return row && (toStored([row])[0] ?? null)
  }

  /** Replaces what was there. Null when its agent or user is gone. */
  async set(tx: Transaction, owner: CredentialOwner, next: NewCredential): Promise<StoredCredential | null> {
    const { id, ...columns } = next
    const where = { owner_kind: { owner: ownerKey(owner), kind: next.kind } }
    try {
      const row = await tx.credential.upsert({
        where,
        create: { id, ...columns, ...ownerColumns(owner) },
        update: columns,
        select: COLUMNS,
      })
      return toStored([row])[0] ?? null
    } catch (error) {
      if (isForeignKeyViolation(error)) return null
      throw error
    }
  }

  /** False when it was not set. */
  async remove(tx: Transaction, owner: CredentialOwner, kind: CredentialKind): Promise<boolean> {
    return (await tx.credential.deleteMany({ where: { owner: ownerKey(owner), kind } })).count > 0
  }

  /** How many people an agent is shared with. */
  async sharesOf(agentId: string): Promise<number> {
    return this.#prisma.share.count({ where: { agentId } })
  }
}
