/** A user's settings of terminals and lists. */
import type { ChangePreferences, Preferences } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Caller } from '../caller.ts'
import type { PreferenceRepository } from './repository.ts'
import { changedPreferences, readPreferences } from './stored.ts'

/** Only the caller's own. */
export class PreferenceService {
  readonly #repository: PreferenceRepository
  readonly #clock: Clock

  constructor(repository: PreferenceRepository, clock: Clock) {
    this.#repository = repository
    this.#clock = clock
  }

  /** The defaults if the user has stored none. */
  async get({ userId }: Pick<Caller, 'userId'>): Promise<Preferences> {
    return readPreferences(await this.#repository.find(userId))
  }

  /** Changes the fields that are given: if two devices change the same one at once, the later one wins. */
  async change({ userId }: Caller, changes: ChangePreferences): Promise<Preferences> {
    const next = (stored: unknown): Preferences => changedPreferences(readPreferences(stored), changes)
    return this.#repository.change(userId, next, new Date(this.#clock.now()))
  }
}
