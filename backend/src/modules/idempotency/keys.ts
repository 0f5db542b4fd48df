/**
 * Decides what to do with a request that has an idempotency key: it is executed once, and its answer is replayed to
 * each retry.
 */
import { createHmac } from 'node:crypto'
import { AppError } from '../../lib/errors.ts'
import { type Clock, DAY_MS, HOUR_MS, SECOND_MS } from '../../lib/time/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import type { IdempotencyRepository, Named } from './repository.ts'

/** How long an answer is kept, in milliseconds. */
export const KEPT_MS = DAY_MS
/** Most keys that one user may use in that time. The server refuses more keys, and never evicts one early. */
export const MAX_KEYS_PER_USER = 10_000
/** How often expired keys are removed, in milliseconds. */
const SWEEP_EVERY_MS = HOUR_MS
/** After how many seconds a client may retry while its first request is still running. */
const RETRY_AFTER_SECONDS = 1

/** What identifies a request. Two requests are the same if all of these fields are equal. */
export interface Asked extends Named {
  readonly method: string
  /** The address, with its query. */
  readonly url: string
  readonly body: unknown
}

/** A request to execute now. Its caller reports the answer, or that the answer must not be kept. */
export interface Claim {
  /** The id of the resource that the request creates. It is the same at every retry. */
  readonly resourceId: string
  answered(status: number, body: string): Promise<void>
  /** The answer may differ at the next try, so it is not kept. A retry continues with the resource of this id. */
  unanswered(): void
}

/** The answer of the first request. */
export interface Replay {
  /** The id of the resource that the first request created. */
  readonly resourceId: string
  readonly status: number
  readonly body: string
}

interface Parts {
  readonly repository: IdempotencyRepository
  /** The HMAC key of the fingerprints. Without it, a secret in a body could be guessed from the fingerprint. */
  readonly key: Uint8Array
  readonly clock: Clock
  readonly newId: NewId
}

export class IdempotencyKeys {
  readonly #parts: Parts
  /**
   * Fingerprints of the requests that this process is executing, by proof and key. If a row has no answer and is not in
   * this map, a killed process left it.
   */
  readonly #live = new Map<string, string>()
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Throws `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`, `TOO_MANY_REQUESTS`. */
  async begin(asked: Asked): Promise<Claim | Replay> {
    const { userId, proofId, key } = asked
    const named = { userId, proofId, key }
    const place = `${proofId} ${key}`
    const fingerprint = this.#fingerprintOf(asked)
    const live = this.#live.get(place)
    if (live !== undefined) throw live === fingerprint ? inProgress() : reused()
    // Set before the first await, so that only one of two concurrent requests gets this far.
    this.#live.set(place, fingerprint)
    try {
      const found = await this.#find({ ...named, fingerprint })
      if ('status' in found) this.#live.delete(place)
      return 'status' in found ? found : this.#claim(named, place, found.resourceId)
    } catch (error) {
      this.#live.delete(place)
      throw error
    }
  }

  /** Whether a request with a key creates the resource of that id, and has no answer yet. */
  isAwaited(of: { readonly userId: string; readonly resourceId: string }): Promise<boolean> {
    return this.#parts.repository.isAwaited(of)
  }

  async #find(named: Named & { readonly fingerprint: string }): Promise<{ resourceId: string } | Replay> {
    const { repository, clock, newId } = this.#parts
    await this.#sweep()
    const wanted = { ...named, resourceId: newId(), createdAt: new Date(clock.now()) }
    let stored = await repository.claim(wanted)
    if (stored && stored.createdAt.getTime() < clock.now() - KEPT_MS) {
      await repository.forget(stored)
      stored = await repository.claim(wanted)
    }
    if (!stored) {
      if ((await repository.count(named.userId)) <= MAX_KEYS_PER_USER) return wanted
      await repository.forget(wanted)
      const message = `You have used ${MAX_KEYS_PER_USER} idempotency keys in a day, which is the limit. Try again later.`
      throw new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: SWEEP_EVERY_MS / SECOND_MS })
    }
    if (stored.fingerprint !== named.fingerprint) throw reused()
    return stored.status === null
      ? { resourceId: stored.resourceId }
      : { resourceId: stored.resourceId, status: stored.status, body: stored.body ?? '' }
  }

  #claim(named: Named, place: string, resourceId: string): Claim {
    const { repository } = this.#parts
    const unanswered = (): void => void this.#live.delete(place)
    return {
      resourceId,
      answered: (status, body) => repository.answered(named, status, body).finally(unanswered),
      unanswered,
    }
  }

  async #sweep(): Promise<void> {
    const { repository, clock } = this.#parts
    const now = clock.now()
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return
    this.#sweptAt = now
    await repository.forgetBefore(new Date(now - KEPT_MS))
  }

  #fingerprintOf({ method, url, body }: Asked): string {
    return createHmac('sha256', this.#parts.key)
      .update(JSON.stringify([method, url, body ?? null]))
      .digest('hex')
  }
}

const inProgress = (): AppError =>
  new AppError('REQUEST_IN_PROGRESS', 'A request with this Idempotency-Key is still running. Retry in a moment.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

const reused = (): AppError =>
  new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request. Use a new key.')
