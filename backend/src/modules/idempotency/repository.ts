/** Requests that were named by their clients, with what they were answered. */
import type { PrismaClient } from '../../database/generated/client.ts'

export interface NewKey {
  readonly userId: string
  readonly key: string
  readonly fingerprint: string
  readonly resourceId: string
  readonly createdAt: Date
}

export interface StoredKey extends NewKey {
  /** Null until it was answered. */
  readonly status: number | null
  readonly body: string | null
}

type Named = Pick<NewKey, 'userId' | 'key'>

/** Every query names the user whose they are, but the one that forgets what is old. */
export class IdempotencyRepository {
  readonly #prisma: Pick<PrismaClient, 'idempotencyKey'>

  constructor(prisma: Pick<PrismaClient, 'idempotencyKey'>) {
    this.#prisma = prisma
  }

  /** Null when there was none: it is this one now. */
  async claim(wanted: NewKey): Promise<StoredKey | null> {
    const { count } = await this.#prisma.idempotencyKey.createMany({ data: [{ ...wanted }], skipDuplicates: true })
    if (count > 0) return null
    const { userId, key } = wanted
    return this.#prisma.idempotencyKey.findUnique({ where: { userId_key: { userId, key } } })
  }

  count(userId: string): Promise<number> {
    return this.#prisma.idempotencyKey.count({ where: { userId } })
  }

  async answered({ userId, key }: Named, status: number, body: string): Promise<void> {
    await this.#prisma.idempotencyKey.updateMany({ where: { userId, key }, data: { status, body } })
  }

  async forget({ userId, key }: Named): Promise<void> {
    await this.#prisma.idempotencyKey.deleteMany({ where: { userId, key } })
  }

  async forgetBefore(moment: Date): Promise<void> {
    await this.#prisma.idempotencyKey.deleteMany({ where: { createdAt: { lt: moment } } })
  }
}
