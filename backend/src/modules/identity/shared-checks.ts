/** Concurrent checks of one token share one query: a page sends many requests at once. */
import type { Revocations } from './revocations.ts'

/**
 * Shares checks that are running, and caches nothing. A revocation is emitted after its row has changed and before its
 * request is answered. A caller who comes after that answer must not get a check that began before it, so each
 * revocation stops the sharing of all running checks.
 */
export class SharedChecks<T> {
  /** At most one for each running request, whose number `plugins/connections.ts` bounds. */
  #underWay = new Map<string, Promise<T>>()

  constructor(revocations: Revocations) {
    revocations.on(() => (this.#underWay = new Map()))
  }

  /** The running check of `key`, or a new one by `check`. */
  run(key: string, check: () => Promise<T>): Promise<T> {
    const underWay = this.#underWay
    const other = underWay.get(key)
    if (other) return other
    const own = check().finally(() => underWay.delete(key))
    underWay.set(key, own)
    return own
  }
}
