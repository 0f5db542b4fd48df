/** Requests that were named by their clients, with what they were answered. */
import type { PrismaClient } from '../../database/generated/client.ts'

/** A key belongs to the sign-in or API token that it came with: another one of the same user may be allowed less. */
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
  /** Null until it was answered. */
  readonly status: number | null
  readonly body: string | null
}

/** Every query names whose they are, but the one that forgets what is old. */
export class IdempotencyRepository {
  readonly #prisma: Pick<PrismaClient, 'idempotencyKey'>

  constructor(prisma: Pick<PrismaClient, 'idempotencyKey'>) {
    this.#prisma = prisma
  }

  /** Null when there was none: it is this one now. */
  async claim(wanted: NewKey): Promise<StoredKey | null> {
    const { count } = await this.#prisma.idempotencyKey.createMany({ data: [{ ...wanted }], skipDuplicates: true })
    if (count > 0) return null
    const { proofId, key } = wanted
    return this.#prisma.idempotencyKey.findUnique({ where: { proofId_key: { proofId, key } } })
  }

  count(userId: string): Promise<number> {
    return this.#prisma.idempotencyKey.count({ where: { userId } })
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
