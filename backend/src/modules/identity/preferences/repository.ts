/** Preferences in the database: one row for each user who has chosen some. */
import type { Preferences } from '@slipway/protocol'
import type { PrismaClient } from '../../../database/generated/client.ts'

export class PreferenceRepository {
  readonly #prisma: Pick<PrismaClient, 'preferences'>

  constructor(prisma: Pick<PrismaClient, 'preferences'>) {
    this.#prisma = prisma
  }

  /** As any version may have stored them; undefined if there are none. */
  async find(userId: string): Promise<unknown> {
    return (await this.#prisma.preferences.findUnique({ where: { userId } }))?.value
  }

  /** Replaces everything that was stored. */
  async replace(userId: string, value: Preferences, updatedAt: Date): Promise<void> {
    const row = { value, updatedAt }
    await this.#prisma.preferences.upsert({ where: { userId }, create: { userId, ...row }, update: row })
  }
}
