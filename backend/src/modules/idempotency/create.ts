/** The module, put together. */
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import { deriveKey } from '../../lib/secrets/secrets.ts'
import { IdempotencyKeys } from './keys.ts'
import { IdempotencyRepository } from './repository.ts'

/** What {@link createIdempotencyKeys} needs. */
export interface IdempotencyDeps {
  readonly prisma: Database['prisma']
  readonly secretKey: Uint8Array
  readonly clock: Clock
  readonly newId: NewId
}

/** Keeps the answers of requests that a client may retry. */
export const createIdempotencyKeys = ({ prisma, secretKey, clock, newId }: IdempotencyDeps): IdempotencyKeys =>
  new IdempotencyKeys({
    repository: new IdempotencyRepository(prisma),
    key: deriveKey(secretKey, 'idempotency'),
    clock,
    newId,
  })
