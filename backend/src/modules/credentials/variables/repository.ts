/** Variables of agents in the database. Plain ones are encrypted, too. */
import { VARIABLES_BYTES, VARIABLES_MAX } from '@slipway/protocol'
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Audit, AuditEntry } from '../../audit/audit.ts'
import { recorded } from '../../audit/recorded-repository.ts'
import type { SecretPlace } from '../secret-key/keyring.ts'
import { ownerKey } from '../owner.ts'
import { type Sealed, SEALED_COLUMNS, withSetter } from '../sealed.ts'
import { keyIdForWriting } from '../secret-key/repository.ts'

/** A variable as stored. */
export interface StoredVariable extends Sealed {
  readonly agentId: string
  readonly name: string
  readonly secret: boolean
  /** The user who set it; null if the account is gone. */
  readonly setById: string | null
}

/** What {@link VariableRepository.set} writes. */
export type NewVariable = Pick<StoredVariable, 'name' | 'secret' | 'sealed' | 'keyId' | 'setAt' | 'setById'> & {
  readonly id: string
}

/**
 * The place where a variable can be decrypted: its agent, its name and whether it is secret. A row edit thus cannot
 * turn a secret variable into a plain one.
 */
export const placeOf = ({
  agentId,
  name,
  secret,
}: Pick<StoredVariable, 'agentId' | 'name' | 'secret'>): SecretPlace => ({
  owner: ownerKey({ type: 'agent', id: agentId }),
  kind: `variable:${name}`,
  address: secret ? 'secret' : 'plain',
})

const COLUMNS = { agentId: true, name: true, secret: true, setById: true, ...SEALED_COLUMNS } as const

/** Records each change in the same transaction. */
export class VariableRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** Sorted by name. At most {@link VARIABLES_MAX}. */
  async of(agentId: string): Promise<StoredVariable[]> {
    return load(this.#prisma, agentId)
  }

  /**
   * Replaces an earlier value. `seal` gets the id of the key in force, which no rotation replaces meanwhile. Null if
   * the agent is gone. Throws `TOO_MANY_VARIABLES`.
   */
  async set(
    agentId: string,
    seal: (keyId: string | null) => NewVariable,
    entryOf: (before: StoredVariable | null, after: StoredVariable) => AuditEntry,
  ): Promise<StoredVariable | null> {
    return this.#prisma.$transaction(async (tx) => {
      const next = seal(await keyIdForWriting(tx))
      // Locks the agent, so that two concurrent writes cannot exceed the bound together.
      const agents = await tx.$executeRaw`SELECT 1 FROM "Agent" WHERE "id" = ${agentId}::uuid FOR UPDATE`
      if (agents === 0) return null
      const all = await load(tx, agentId)
      const others = all.filter(({ name }) => name !== next.name)
      if (!fit([...others, next])) throw tooMany()
      const { id, ...columns } = next
      const row = await tx.agentVariable.upsert({
        where: { agentId_name: { agentId, name: next.name } },
        create: { agentId, id, ...columns },
        update: columns,
        select: COLUMNS,
      })
      const after = withSetter(row)
      await this.#audit.record(tx, entryOf(all.find(({ name }) => name === next.name) ?? null, after))
      return after
    })
  }

  /** False if it was not set. */
  async remove(agentId: string, name: string, entry: AuditEntry): Promise<boolean> {
    return recorded(this.#prisma, this.#audit, async (tx) => {
      const { count } = await tx.agentVariable.deleteMany({ where: { agentId, name } })
      return count > 0 ? entry : null
    })
  }
}

const load = async (
  tx: Pick<Prisma.TransactionClient, 'agentVariable'>,
  agentId: string,
): Promise<StoredVariable[]> => {
  const rows = await tx.agentVariable.findMany({ where: { agentId }, select: COLUMNS, orderBy: { name: 'asc' } })
  return rows.map(withSetter)
}

/** Encryption adds a nonce and a tag to the value's length. */
const fit = (all: readonly Pick<StoredVariable, 'name' | 'sealed'>[]): boolean =>
  all.length <= VARIABLES_MAX &&
  all.reduce((bytes, { name, sealed }) => bytes + name.length + sealed.length, 0) <= VARIABLES_BYTES

const tooMany = (): AppError =>
  new AppError(
    'TOO_MANY_VARIABLES',
    `An agent may have at most ${VARIABLES_MAX} variables with ${VARIABLES_BYTES / 1024} KiB in total. Remove some first.`,
  )
