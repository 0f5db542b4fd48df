/** Stored credentials and variables on their way from one secret key to the next. */
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import type { Audit, AuditEntry } from '../audit/audit.ts'
import type { Sealed, SecretPlace } from './keyring.ts'
import { type Holder, PLATFORM_HOLDER } from './owner.ts'
import { replaceKeyId } from './secret-key-repository.ts'
import { placeOf } from './variables/repository.ts'

/** Rows of one transaction: small, since the embedded database does nothing else meanwhile. */
const BATCH = 50

/** What is stored encrypted, in the order in which it is treated. */
const STORES = ['credential', 'agentVariable'] as const
type Store = (typeof STORES)[number]

/** A secret of another key, with the names that users know it by. */
export interface OldSecret extends Sealed {
  readonly store: Store
  readonly id: string
  readonly place: SecretPlace
  readonly holder: Holder
  /** The kind of a credential, or the name of a variable. */
  readonly what: string
}

/** What becomes of the secrets of one batch. */
export interface Treatment {
  /** The secret, encrypted with the key in force; null where it cannot be read. */
  readonly reseal: (row: OldSecret) => Sealed | null
  /** The row in the log of one that cannot be read and is removed; null: it stays. */
  readonly discard: ((row: OldSecret) => AuditEntry) | null
}

/** One batch. */
export interface Batch {
  /** Its last secret, after which the next batch begins. */
  readonly last: Pick<OldSecret, 'store' | 'id'>
  readonly rotated: number
  readonly unreadable: readonly OldSecret[]
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

  /** How many secrets have another key than this one. */
  async countOld(keyId: string): Promise<number> {
    const where = { keyId: { not: keyId } }
    return (await this.#prisma.credential.count({ where })) + (await this.#prisma.agentVariable.count({ where }))
  }

  /** Treats the next ones, all or none; null where there are no more. What is removed is recorded in the same transaction. */
  treat(keyId: string, after: Batch['last'] | null, { reseal, discard }: Treatment): Promise<Batch | null> {
    return this.#prisma.$transaction(async (tx) => {
      const rows = await oldOnes(tx, keyId, after)
      const last = rows.at(-1)
      if (!last) return null
      const unreadable: OldSecret[] = []
      let rotated = 0
      for (const row of rows) {
        const sealed = reseal(row)
        if (sealed === null) unreadable.push(row)
        // Replaced meanwhile, it has the newest key already.
        else rotated += await update(tx, row, sealed)
      }
      if (discard) for (const row of unreadable) await this.#remove(tx, row, discard)
      return { last, rotated, unreadable }
    })
  }

  async #remove(tx: Prisma.TransactionClient, row: OldSecret, entryOf: (row: OldSecret) => AuditEntry): Promise<void> {
    const where = { id: row.id, keyId: row.keyId }
    const { count } =
      row.store === 'credential'
        ? await tx.credential.deleteMany({ where })
        : await tx.agentVariable.deleteMany({ where })
    // Set anew meanwhile, it can be read.
    if (count > 0) await this.#audit.record(tx, entryOf(row))
  }
}

const update = async (tx: Prisma.TransactionClient, { store, id, keyId }: OldSecret, data: Sealed): Promise<number> => {
  const change = { where: { id, keyId }, data }
  const { count } =
    store === 'credential' ? await tx.credential.updateMany(change) : await tx.agentVariable.updateMany(change)
  return count
}

/** The next ones of the store that `after` belongs to, or else of those after it. */
const oldOnes = async (
  tx: Prisma.TransactionClient,
  keyId: string,
  after: Batch['last'] | null,
): Promise<OldSecret[]> => {
  for (const store of STORES.slice(after ? STORES.indexOf(after.store) : 0)) {
    const beyond = after?.store === store ? { id: { gt: after.id } } : {}
    const query = { where: { keyId: { not: keyId }, ...beyond }, orderBy: { id: 'asc' }, take: BATCH } as const
    const rows = store === 'credential' ? await credentials(tx, query) : await variables(tx, query)
    if (rows.length > 0) return rows
  }
  return []
}

interface Query {
  readonly where: { readonly keyId: { readonly not: string }; readonly id?: { readonly gt: string } }
  readonly orderBy: { readonly id: 'asc' }
  readonly take: number
}

const AGENT = { agent: { select: { id: true, name: true } } } as const
const holderOfAgent = ({ id, name }: { id: string; name: string }): Holder => ({ owner: { type: 'agent', id }, name })

const credentials = async (tx: Prisma.TransactionClient, query: Query): Promise<OldSecret[]> => {
  const include = { ...AGENT, user: { select: { id: true, email: true } } }
  const rows = await tx.credential.findMany({ ...query, include })
  return rows.map(({ id, keyId, sealed, owner, kind, address, agent, user }) => {
    const ofUser: Holder = user ? { owner: { type: 'user', id: user.id }, name: user.email } : PLATFORM_HOLDER
    const holder = agent ? holderOfAgent(agent) : ofUser
    return { store: 'credential', id, keyId, sealed, place: { owner, kind, address }, holder, what: kind }
  })
}

const variables = async (tx: Prisma.TransactionClient, query: Query): Promise<OldSecret[]> => {
  const rows = await tx.agentVariable.findMany({ ...query, include: AGENT })
  return rows.map(({ id, keyId, sealed, agentId, name, secret, agent }) => {
    const place = placeOf({ agentId, name, secret })
    return { store: 'agentVariable', id, keyId, sealed, place, holder: holderOfAgent(agent), what: name }
  })
}
