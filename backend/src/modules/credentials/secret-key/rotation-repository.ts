/** Moves stored credentials, variables of agents and templates, connectors and webhooks from one secret key to the next. */
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'
import type { Audit, AuditEntry } from '../../audit/audit.ts'
import { connectorPlace } from '../connectors/repository.ts'
import { hookPlace } from './hook-place.ts'
import type { Sealed, SecretPlace } from './keyring.ts'
import { type Holder, PLATFORM_HOLDER } from '../owner.ts'
import { PUSH_KIND, PUSH_PLACE } from './push-place.ts'
import { replaceKeyId } from './repository.ts'
import { templateSecretPlace } from '../template-secrets/repository.ts'
import { placeOf } from '../variables/repository.ts'

/** Rows of one transaction. A small number, since the embedded database does nothing else meanwhile. */
const BATCH = 50

/** The tables with encrypted values, in the order of their rotation. */
const STORES = [
  'credential',
  'agentVariable',
  'agentTemplateSecret',
  'connector',
  'webhook',
  'incomingHook',
  'pushKeys',
] as const
type Store = (typeof STORES)[number]

/** A secret encrypted with another key, with the names that users know. */
export interface OldSecret extends Sealed {
  readonly store: Store
  readonly id: string
  readonly place: SecretPlace
  readonly holder: Holder
  /** The kind of a credential, or the name of a variable, a connector or a webhook. */
  readonly what: string
}

/** How to rotate the secrets of one batch. */
export interface Treatment {
  /** The secret encrypted with the key in force; null if no key decrypts it. */
  readonly reseal: (row: OldSecret) => Sealed | null
  /** The audit entry for the removal of an unreadable secret; null: it is kept. */
  readonly discard: ((row: OldSecret) => AuditEntry) | null
}

/** The result of one batch. */
export interface Batch {
  /** Its last secret; the next batch begins after it. */
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

  /** Number of secrets encrypted with another key than this one. */
  async countOld(keyId: string): Promise<number> {
    const where = { keyId: { not: keyId } }
    const { credential, agentVariable, agentTemplateSecret, connector, webhook, incomingHook, pushKeys } = this.#prisma
    return (
      (await credential.count({ where })) +
      (await agentVariable.count({ where })) +
      (await agentTemplateSecret.count({ where })) +
      (await connector.count({ where })) +
      (await webhook.count({ where })) +
      (await incomingHook.count({ where })) +
      (await pushKeys.count({ where }))
    )
  }

  /** Rotates the next batch in one transaction, which also records each removal; null if none is left. */
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
        // If it was replaced meanwhile, it has the newest key already.
        else rotated += await update(tx, row, sealed)
      }
      if (discard) for (const row of unreadable) await this.#remove(tx, row, discard)
      return { last, rotated, unreadable }
    })
  }

  async #remove(tx: Prisma.TransactionClient, row: OldSecret, entryOf: (row: OldSecret) => AuditEntry): Promise<void> {
    const { count } = await removeFrom[row.store](tx, { where: { id: row.id, keyId: row.keyId } })
    // If it was set again meanwhile, it is readable.
    if (count > 0) await this.#audit.record(tx, entryOf(row))
  }
}

/** Prisma's models have types of their own, so each store has functions of its own. */
const removeFrom = {
  credential: (tx, of) => tx.credential.deleteMany(of),
  agentVariable: (tx, of) => tx.agentVariable.deleteMany(of),
  agentTemplateSecret: (tx, of) => tx.agentTemplateSecret.deleteMany(of),
  connector: (tx, of) => tx.connector.deleteMany(of),
  webhook: (tx, of) => tx.webhook.deleteMany(of),
  incomingHook: (tx, of) => tx.incomingHook.deleteMany(of),
  pushKeys: (tx, of) => tx.pushKeys.deleteMany(of),
} satisfies Record<Store, (tx: Prisma.TransactionClient, of: { where: RowKey }) => Promise<{ count: number }>>

const updateIn = {
  credential: (tx, change) => tx.credential.updateMany(change),
  agentVariable: (tx, change) => tx.agentVariable.updateMany(change),
  agentTemplateSecret: (tx, change) => tx.agentTemplateSecret.updateMany(change),
  connector: (tx, change) => tx.connector.updateMany(change),
  webhook: (tx, change) => tx.webhook.updateMany(change),
  incomingHook: (tx, change) => tx.incomingHook.updateMany(change),
  pushKeys: (tx, change) => tx.pushKeys.updateMany(change),
} satisfies Record<
  Store,
  (tx: Prisma.TransactionClient, change: { where: RowKey; data: Sealed }) => Promise<{ count: number }>
>

const update = async (tx: Prisma.TransactionClient, { store, id, keyId }: OldSecret, data: Sealed): Promise<number> =>
  (await updateIn[store](tx, { where: { id, keyId }, data })).count

/** The next batch from the store of `after`, or else from the stores after it. */
const oldOnes = async (
  tx: Prisma.TransactionClient,
  keyId: string,
  after: Batch['last'] | null,
): Promise<OldSecret[]> => {
  for (const store of STORES.slice(after ? STORES.indexOf(after.store) : 0)) {
    const beyond = after?.store === store ? { id: { gt: after.id } } : {}
    const query = { where: { keyId: { not: keyId }, ...beyond }, orderBy: { id: 'asc' }, take: BATCH } as const
    const rows = await READERS[store](tx, query)
    if (rows.length > 0) return rows
  }
  return []
}

interface RowKey {
  readonly id: string
  readonly keyId: string
}

interface Query {
  readonly where: { readonly keyId: { readonly not: string }; readonly id?: { readonly gt: string } }
  readonly orderBy: { readonly id: 'asc' }
  readonly take: number
}

const AGENT = { agent: { select: { id: true, name: true } } } as const
const holderOfAgent = ({ id, name }: { id: string; name: string }): Holder => ({ owner: { type: 'agent', id }, name })

const OWNER = { ...AGENT, user: { select: { id: true, email: true } } } as const
interface Owned {
  readonly agent: { id: string; name: string } | null
  readonly user: { id: string; email: string } | null
}
const holderOf = ({ agent, user }: Owned): Holder => {
  if (agent) return holderOfAgent(agent)
  return user ? { owner: { type: 'user', id: user.id }, name: user.email } : PLATFORM_HOLDER
}

const credentials = async (tx: Prisma.TransactionClient, query: Query): Promise<OldSecret[]> => {
  const rows = await tx.credential.findMany({ ...query, include: OWNER })
  return rows.map(({ id, keyId, sealed, owner, kind, address, ...of }) => {
    const place = { owner, kind, address }
    return { store: 'credential', id, keyId, sealed, place, holder: holderOf(of), what: kind }
  })
}

const connectors = async (tx: Prisma.TransactionClient, query: Query): Promise<OldSecret[]> => {
  const rows = await tx.connector.findMany({ ...query, include: OWNER })
  return rows.map(({ id, keyId, sealed, owner, kind, name, ...of }) => {
    const place = connectorPlace({ owner, name, kind })
    return { store: 'connector', id, keyId, sealed, place, holder: holderOf(of), what: name }
  })
}

const variables = async (tx: Prisma.TransactionClient, query: Query): Promise<OldSecret[]> => {
  const rows = await tx.agentVariable.findMany({ ...query, include: AGENT })
  return rows.map(({ id, keyId, sealed, agentId, name, secret, agent }) => {
    const place = placeOf({ agentId, name, secret })
    return { store: 'agentVariable', id, keyId, sealed, place, holder: holderOfAgent(agent), what: name }
  })
}

const templateSecrets = async (tx: Prisma.TransactionClient, query: Query): Promise<OldSecret[]> => {
  const rows = await tx.agentTemplateSecret.findMany({ ...query, include: { template: { select: { name: true } } } })
  return rows.map(({ id, keyId, sealed, templateId, name, template }) => {
    const place = templateSecretPlace({ templateId, name })
    const holder = { ...PLATFORM_HOLDER, name: template.name }
    return { store: 'agentTemplateSecret', id, keyId, sealed, place, holder, what: name }
  })
}

const USER = { user: { select: { id: true, email: true } } } as const

const webhooks = async (tx: Prisma.TransactionClient, query: Query): Promise<OldSecret[]> => {
  const rows = await tx.webhook.findMany({ ...query, include: USER })
  return rows.map(({ id, keyId, sealed, userId, name, user }) => {
    const place = hookPlace('outgoing', { id, userId })
    return { store: 'webhook', id, keyId, sealed, place, holder: holderOf({ agent: null, user }), what: name }
  })
}

const incomingHooks = async (tx: Prisma.TransactionClient, query: Query): Promise<OldSecret[]> => {
  const rows = await tx.incomingHook.findMany({ ...query, include: USER })
  return rows.map(({ id, keyId, sealed, userId, name, user }) => {
    const place = hookPlace('incoming', { id, userId })
    return { store: 'incomingHook', id, keyId, sealed, place, holder: holderOf({ agent: null, user }), what: name }
  })
}

const pushKeys = async (tx: Prisma.TransactionClient, query: Query): Promise<OldSecret[]> => {
  const rows = await tx.pushKeys.findMany(query)
  return rows.map(({ id, keyId, sealed }) => {
    return { store: 'pushKeys', id, keyId, sealed, place: PUSH_PLACE, holder: PLATFORM_HOLDER, what: PUSH_KIND }
  })
}

const READERS = {
  credential: credentials,
  agentVariable: variables,
  agentTemplateSecret: templateSecrets,
  connector: connectors,
  webhook: webhooks,
  incomingHook: incomingHooks,
  pushKeys,
} satisfies Record<Store, (tx: Prisma.TransactionClient, query: Query) => Promise<OldSecret[]>>
