/** Credentials in the database, encrypted. */
import { CREDENTIAL_KINDS, type CredentialKind } from '@slipway/protocol'
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import type { Audit, AuditEntry } from '../audit/audit.ts'
import { recorded } from '../audit/recorded-repository.ts'
import { type CredentialOwner, ownerColumns, ownerKey } from './owner.ts'
import { type Loaded, type Sealed, SEALED_COLUMNS, unlessOwnerGone, withSetter } from './sealed.ts'
import { keyIdForWriting } from './secret-key/repository.ts'

/** A credential as stored. */
export interface StoredCredential extends Sealed {
  readonly owner: string
  readonly kind: CredentialKind
  readonly address: string | null
}

/** What {@link CredentialRepository.set} writes. */
export type NewCredential = Pick<StoredCredential, 'kind' | 'address' | 'sealed' | 'keyId'> & {
  readonly id: string
  readonly setById: string
  readonly setAt: Date
}

const COLUMNS = { owner: true, kind: true, address: true, ...SEALED_COLUMNS } as const

/** A row, whose kind a later version may have stored. */
type LoadedCredential = Omit<Loaded<StoredCredential>, 'kind'> & { readonly kind: string }

/** Ignores a kind that this version does not know. */
const toStored = (rows: readonly LoadedCredential[]): StoredCredential[] =>
  rows.flatMap(({ kind, ...row }) =>
    Object.hasOwn(CREDENTIAL_KINDS, kind) ? [{ ...withSetter(row), kind: kind as CredentialKind }] : [],
  )

/** Records each change in the same transaction. */
export class CredentialRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** All credentials of these owners; each owner has only a few. */
  async of(...owners: CredentialOwner[]): Promise<StoredCredential[]> {
    const where = { owner: { in: owners.map(ownerKey) } }
    return toStored(await this.#prisma.credential.findMany({ where, select: COLUMNS, orderBy: { kind: 'asc' } }))
  }

  async find(owner: CredentialOwner, kind: CredentialKind): Promise<StoredCredential | null> {
    return find(this.#prisma, owner, kind)
  }

  /**
   * Replaces an earlier credential. `seal` gets the id of the key in force, which no rotation replaces meanwhile. Null
   * if its agent or user is gone.
   */
  async set(
    owner: CredentialOwner,
    seal: (keyId: string | null) => NewCredential,
    entryOf: (before: StoredCredential | null, after: StoredCredential) => AuditEntry,
  ): Promise<StoredCredential | null> {
    return this.#prisma.$transaction(async (tx) => {
      const next = seal(await keyIdForWriting(tx))
      const before = await find(tx, owner, next.kind)
      const after = await upsert(tx, owner, next)
      if (after) await this.#audit.record(tx, entryOf(before, after))
      return after
    })
  }

  /** False if it was not set. */
  async remove(owner: CredentialOwner, kind: CredentialKind, entry: AuditEntry): Promise<boolean> {
    return recorded(this.#prisma, this.#audit, async (tx) => {
      const { count } = await tx.credential.deleteMany({ where: { owner: ownerKey(owner), kind } })
      return count > 0 ? entry : null
    })
  }

  /** Number of users that an agent is shared with, and whether others had access since its owner last trusted it. */
  async othersIn(agentId: string): Promise<{ shares: number; lent: boolean }> {
    const agent = await this.#prisma.agent.findUnique({
      where: { id: agentId },
      select: { lentAt: true, _count: { select: { shares: true } } },
    })
    return { shares: agent?._count.shares ?? 0, lent: agent?.lentAt != null }
  }
}

async function find(
  tx: Pick<PrismaClient, 'credential'>,
  owner: CredentialOwner,
  kind: CredentialKind,
): Promise<StoredCredential | null> {
  const row = await tx.credential.findFirst({ where: { owner: ownerKey(owner), kind }, select: COLUMNS })
  return row && (toStored([row])[0] ?? null)
}

/** Null if its agent or user is gone. */
async function upsert(
  tx: Prisma.TransactionClient,
  owner: CredentialOwner,
  { id, ...columns }: NewCredential,
): Promise<StoredCredential | null> {
  const written = tx.credential.upsert({
    where: { owner_kind: { owner: ownerKey(owner), kind: columns.kind } },
    create: { id, ...columns, ...ownerColumns(owner) },
    update: columns,
    select: COLUMNS,
  })
  const row = await unlessOwnerGone(written)
  return row && (toStored([row])[0] ?? null)
}
