/** Connectors in the database. All of their settings are encrypted. */
import { CONNECTOR_KINDS, CONNECTORS_BYTES, CONNECTORS_MAX, type ConnectorKind } from '@slipway/protocol'
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Audit, AuditEntry } from '../../audit/audit.ts'
import { recorded } from '../../audit/recorded-repository.ts'
import type { SecretPlace } from '../secret-key/keyring.ts'
import { type CredentialOwner, ownerColumns, ownerKey } from '../owner.ts'
import { type Loaded, type Sealed, SEALED_COLUMNS, unlessOwnerGone, withSetter } from '../sealed.ts'
import { keyIdForWriting } from '../secret-key/repository.ts'

/** Names this module's locks; the second key is the owner's. */
const CONNECTORS_LOCK = 504

/** A connector as stored. */
export interface StoredConnector extends Sealed {
  readonly owner: string
  readonly name: string
  readonly kind: ConnectorKind
  readonly enabled: boolean
  /** The user who set it; null if the account is gone. */
  readonly setById: string | null
}

/** What {@link ConnectorRepository.set} writes. */
export type NewConnector = Omit<StoredConnector, 'owner' | 'setBy'> & { readonly id: string }

/** The place where a connector can be decrypted. A row edit thus cannot give it to another owner. */
export const connectorPlace = ({ owner, name, kind }: { owner: string; name: string; kind: string }): SecretPlace => ({
  owner,
  kind: `connector:${name}`,
  address: kind,
})

const COLUMNS = { owner: true, name: true, kind: true, enabled: true, setById: true, ...SEALED_COLUMNS } as const

type LoadedConnector = Omit<Loaded<StoredConnector>, 'kind'> & { readonly kind: string }

/** Null for a kind that a later version stored and this version does not know. */
const toStored = ({ kind, ...row }: LoadedConnector): StoredConnector | null => {
  const known = CONNECTOR_KINDS.find((one) => one === kind)
  return known === undefined ? null : { ...withSetter(row), kind: known }
}

/** Records each change in the same transaction. */
export class ConnectorRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** Those of these owners, sorted by name: at most {@link CONNECTORS_MAX} of each. */
  async of(...owners: CredentialOwner[]): Promise<StoredConnector[]> {
    return load(this.#prisma, owners.map(ownerKey))
  }

  /**
   * Replaces an earlier connector. `seal` gets the id of the key in force, which no rotation replaces meanwhile. Null if
   * its agent or user is gone. Throws `TOO_MANY_CONNECTORS`.
   */
  async set(
    owner: CredentialOwner,
    seal: (keyId: string | null) => NewConnector,
    entryOf: (before: StoredConnector | null, after: StoredConnector) => AuditEntry,
  ): Promise<StoredConnector | null> {
    return this.#prisma.$transaction(async (tx) => {
      const { id, ...next } = seal(await keyIdForWriting(tx))
      const key = ownerKey(owner)
      // Two concurrent writes must not exceed the bound together.
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${CONNECTORS_LOCK}::int, hashtext(${key}))`
      const all = await load(tx, [key])
      requireRoom([...all.filter(({ name }) => name !== next.name), next])
      const row = await upsert(tx, owner, id, next)
      const after = row && toStored(row)
      if (after) await this.#audit.record(tx, entryOf(all.find(({ name }) => name === next.name) ?? null, after))
      return after
    })
  }

  /** Null if it was not set. */
  async switch(
    owner: CredentialOwner,
    name: string,
    enabled: boolean,
    entryOf: (before: StoredConnector, after: StoredConnector) => AuditEntry,
  ): Promise<StoredConnector | null> {
    return this.#prisma.$transaction(async (tx) => {
      const before = (await load(tx, [ownerKey(owner)])).find((one) => one.name === name)
      if (!before) return null
      const { count } = await tx.connector.updateMany({ where: { owner: before.owner, name }, data: { enabled } })
      if (count === 0) return null
      const after = { ...before, enabled }
      await this.#audit.record(tx, entryOf(before, after))
      return after
    })
  }

  /** False if it was not set. */
  async remove(owner: CredentialOwner, name: string, entry: AuditEntry): Promise<boolean> {
    return recorded(this.#prisma, this.#audit, async (tx) => {
      const { count } = await tx.connector.deleteMany({ where: { owner: ownerKey(owner), name } })
      return count > 0 ? entry : null
    })
  }
}

const load = async (tx: Pick<Prisma.TransactionClient, 'connector'>, owners: string[]): Promise<StoredConnector[]> => {
  const where = { owner: { in: owners } }
  const rows = await tx.connector.findMany({ where, select: COLUMNS, orderBy: { name: 'asc' } })
  return rows.flatMap((row) => toStored(row) ?? [])
}

/** Null if its agent or user is gone. */
const upsert = (
  tx: Prisma.TransactionClient,
  owner: CredentialOwner,
  id: string,
  columns: Omit<NewConnector, 'id'>,
): Promise<LoadedConnector | null> =>
  unlessOwnerGone(
    tx.connector.upsert({
      where: { owner_name: { owner: ownerKey(owner), name: columns.name } },
      create: { id, ...columns, ...ownerColumns(owner) },
      update: columns,
      select: COLUMNS,
    }),
  )

const requireRoom = (all: readonly Pick<StoredConnector, 'sealed'>[]): void => {
  const bytes = all.reduce((sum, { sealed }) => sum + sealed.length, 0)
  if (all.length <= CONNECTORS_MAX && bytes <= CONNECTORS_BYTES) return
  const most = `${CONNECTORS_MAX} connectors with ${CONNECTORS_BYTES / 1024} KiB in total`
  throw new AppError('TOO_MANY_CONNECTORS', `There may be at most ${most}. Remove some first.`)
}
