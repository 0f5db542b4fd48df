/** A user's settings of terminals. */
import type { Preferences } from '@slipway/protocol'
import type { Clock } from '../../../lib/clock.ts'
import type { Caller } from '../caller.ts'
import type { PreferenceRepository } from './repository.ts'
import { readPreferences } from './stored.ts'

/** Only the caller's own. */
export class PreferenceService {
  readonly #repository: PreferenceRepository
  readonly #clock: Clock

  constructor(repository: PreferenceRepository, clock: Clock) {
    this.#repository = repository
    this.#clock = clock
  }

  /** The defaults if the user has stored none. */
  async get({ userId }: Caller): Promise<Preferences> {
    return readPreferences(await this.#repository.find(userId))
  }

  /** Replaces everything that was stored: of two devices at once, the later one wins. */
  async replace({ userId }: Caller, value: Preferences): Promise<Preferences> {
    await this.#repository.replace(userId, value, new Date(this.#clock.now()))
    return value
  }
}
