/** Encrypts every stored credential and variable with the newest key. May be interrupted anywhere, and begun again. */
import { PLATFORM } from '../audit/actor.ts'
import type { AuditEntry } from '../audit/audit.ts'
import type { Keyring, Sealed } from './keyring.ts'
import { targetOf } from './owner.ts'
import type { Batch, OldSecret, RotationRepository } from './rotation-repository.ts'

/** The stored credentials belong to a key that is not in the keyring; nothing was changed. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError'

  constructor() {
    super('the stored credentials were encrypted with another secret key')
  }
}

export interface Rotation {
  readonly rotated: number
  /** Those that no key here opens, which are as they were, or gone when they were to be given up. */
  readonly unreadable: readonly { readonly owner: string; readonly kind: string }[]
}

export interface RotateOptions {
  /** Removes what cannot be read in place of keeping it; each is in the audit log, as removed by the platform. */
  readonly discardUnreadable?: boolean
  /** Told after each transaction. */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * From its first step on, everything new is encrypted with the newest key, by every server on this database that has it; one
 * that has not refuses to write. Until the last, both keys are needed. Throws {@link WrongKeyError}, and `AUDIT_REFUSED`.
 */
export async function rotate(
  repository: RotationRepository,
  keyring: Keyring,
  options: RotateOptions = {},
): Promise<Rotation> {
  const { discardUnreadable = false, onProgress } = options
  const { current } = keyring
  if (!(await repository.begin(current, (before) => discardUnreadable || keyring.has(before))))
    throw new WrongKeyError()
  const total = await repository.countOld(current)
  const treatment = { reseal: resealedBy(keyring), discard: discardUnreadable ? removalOf : null }
  const unreadable: { owner: string; kind: string }[] = []
  let rotated = 0
  for (let after: Batch['last'] | null = null; ;) {
    const batch: Batch | null = await repository.treat(current, after, treatment)
    if (batch === null) break
    after = batch.last
    rotated += batch.rotated
    unreadable.push(...batch.unreadable.map(({ place: { owner, kind } }) => ({ owner, kind })))
    onProgress?.(rotated + unreadable.length, total)
  }
  return { rotated, unreadable }
}

const resealedBy =
  (keyring: Keyring) =>
  (row: OldSecret): Sealed | null => {
    const secret = keyring.open(row, row.place)
    return secret === null ? null : keyring.seal(keyring.current, row.place, secret)
  }

const removalOf = ({ store, holder, what }: OldSecret): AuditEntry => {
  const removed = { actor: PLATFORM, target: targetOf(holder) }
  if (store === 'agentVariable')
    return { ...removed, action: 'variable.removed', detail: { variable: what, because: 'unreadable' } }
  const detail = { of: holder.owner.type, kind: what, because: 'unreadable' }
  return { ...removed, action: 'credential.removed', detail }
}
