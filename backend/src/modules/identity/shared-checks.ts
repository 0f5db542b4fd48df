/** Checks of one token that are under way at the same time are one check: a page asks for many things at once. */
import type { Revocations } from './revocations.ts'

/**
 * Shares what is under way, and keeps nothing: who comes when a check has ended starts another. A revocation is told after
 * its row has changed and before its request is answered, so whoever comes after that answer must not be given a check
 * that began before it: from a revocation on, everybody starts anew.
 */
export class SharedChecks<T> {
  /** No more than requests are under way, of which `plugins/connections.ts` bounds the number. */
  #underWay = new Map<string, Promise<T>>()

  constructor(revocations: Revocations) {
    revocations.on(() => (this.#underWay = new Map()))
  }

  /** The check of `key` that is under way, or else the one that `check` starts. */
  run(key: string, check: () => Promise<T>): Promise<T> {
    const underWay = this.#underWay
    const other = underWay.get(key)
    if (other) return other
    const own = check().finally(() => underWay.delete(key))
    underWay.set(key, own)
    return own
  }
}
