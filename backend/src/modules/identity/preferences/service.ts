/** One row a user: how they like their terminals. */
import type { Preferences } from '@slipway/protocol'
import type { Clock } from '../../../lib/clock.ts'
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { Caller } from '../caller.ts'
import { readPreferences } from './stored.ts'

/** Only ever the caller's own. */
export class PreferenceService {
  readonly #prisma: Pick<PrismaClient, 'preferences'>
  readonly #clock: Clock

  constructor(prisma: Pick<PrismaClient, 'preferences'>, clock: Clock) {
    this.#prisma = prisma
    this.#clock = clock
  }

  /** The defaults for whoever has not chosen. */
  async get({ userId }: Caller): Promise<Preferences> {
    const row = await this.#prisma.preferences.findUnique({ where: { userId } })
    return readPreferences(row?.value)
  }

  /** In place of all that was there: of two devices at once the later one holds. */
  async replace({ userId }: Caller, value: Preferences): Promise<Preferences> {
    const row = { value, updatedAt: new Date(this.#clock.now()) }
    await this.#prisma.preferences.upsert({ where: { userId }, create: { userId, ...row }, update: row })
    return value
  }
}
