/** How each user likes their terminals. */
import type { Preferences } from '@slipway/protocol'
import type { Clock } from '../../../lib/clock.ts'
import type { Caller } from '../caller.ts'
import type { PreferenceRepository } from './repository.ts'
import { readPreferences } from './stored.ts'

/** Only ever the caller's own. */
export class PreferenceService {
  readonly #repository: PreferenceRepository
  readonly #clock: Clock

  constructor(repository: PreferenceRepository, clock: Clock) {
    this.#repository = repository
    this.#clock = clock
  }

  /** The defaults for whoever has not chosen. */
  async get({ userId }: Caller): Promise<Preferences> {
    return readPreferences(await this.#repository.find(userId))
  }

  /** In place of all that was there: of two devices at once the later one holds. */
  async replace({ userId }: Caller, value: Preferences): Promise<Preferences> {
    await this.#repository.replace(userId, value, new Date(this.#clock.now()))
    return value
  }
}
