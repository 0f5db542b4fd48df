/** Preferences in the database: one row for each user who has chosen some. */
import type { Preferences } from '@slipway/protocol'
import type { PrismaClient } from '../../../database/generated/client.ts'

export class PreferenceRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** As any version may have stored them; undefined if there are none. */
  async find(userId: string): Promise<unknown> {
    return (await this.#prisma.preferences.findUnique({ where: { userId } }))?.value
  }

  /**
   * Stores and answers the result of `next` for the stored preferences. Concurrent changes of one user run one after
   * the other, so none undoes another.
   */
  async change(userId: string, next: (stored: unknown) => Preferences, updatedAt: Date): Promise<Preferences> {
    return this.#prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${userId}::uuid FOR UPDATE`
      const stored = await tx.preferences.findUnique({ where: { userId } })
      const row = { value: next(stored?.value), updatedAt }
      await tx.preferences.upsert({ where: { userId }, create: { userId, ...row }, update: row })
      return row.value
    })
  }
}
