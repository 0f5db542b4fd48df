/** Requests with an idempotency key, and their answers. */
import type { PrismaClient } from '../../database/generated/client.ts'

/** A key belongs to the sign-in or API token of its request. Another token of the same user may allow less. */
export interface Named {
  readonly userId: string
  readonly proofId: string
  readonly key: string
}

export interface NewKey extends Named {
  readonly fingerprint: string
  readonly resourceId: string
  readonly createdAt: Date
}

export interface StoredKey extends NewKey {
  /** Null until there is an answer. */
  readonly status: number | null
  readonly body: string | null
}

/** Every query names its caller, except the one that removes expired keys. */
export class IdempotencyRepository {
  readonly #prisma: Pick<PrismaClient, 'idempotencyKey'>

  constructor(prisma: Pick<PrismaClient, 'idempotencyKey'>) {
    this.#prisma = prisma
  }

  /** Stores the key for this request. Answers null if the key was free, else the row of the earlier request. */
  async claim(wanted: NewKey): Promise<StoredKey | null> {
    const { count } = await this.#prisma.idempotencyKey.createMany({ data: [{ ...wanted }], skipDuplicates: true })
    if (count > 0) return null
    const { proofId, key } = wanted
    return this.#prisma.idempotencyKey.findUnique({ where: { proofId_key: { proofId, key } } })
  }

  count(userId: string): Promise<number> {
    return this.#prisma.idempotencyKey.count({ where: { userId } })
  }

  async isAwaited(of: Pick<NewKey, 'userId' | 'resourceId'>): Promise<boolean> {
    return (await this.#prisma.idempotencyKey.count({ where: { ...of, status: null } })) > 0
  }

  async answered({ proofId, key }: Named, status: number, body: string): Promise<void> {
    await this.#prisma.idempotencyKey.updateMany({ where: { proofId, key }, data: { status, body } })
  }

  async forget({ proofId, key }: Named): Promise<void> {
    await this.#prisma.idempotencyKey.deleteMany({ where: { proofId, key } })
  }

  async forgetBefore(moment: Date): Promise<void> {
    await this.#prisma.idempotencyKey.deleteMany({ where: { createdAt: { lt: moment } } })
  }
}
