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

  /** Stores what `next` makes of the stored ones, and answers it. Changes of one user wait for each other: none undoes another. */
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
