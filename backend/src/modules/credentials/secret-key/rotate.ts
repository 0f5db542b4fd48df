/**
 * Encrypts every stored credential, variable, connector and webhook with the newest key. It can be interrupted at any time
 * and started again.
 */
import { PLATFORM } from '../../audit/actor.ts'
import type { AuditEntry } from '../../audit/audit.ts'
import type { Keyring, Sealed } from './keyring.ts'
import { targetOf } from '../owner.ts'
import type { Batch, OldSecret, RotationRepository } from './rotation-repository.ts'

/** The stored credentials belong to a key outside the keyring. Nothing was changed. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError'

  constructor() {
    super('the stored credentials were encrypted with another secret key')
  }
}

export interface Rotation {
  readonly rotated: number
  /** The ones that no key here decrypts. They are unchanged, or removed with `discardUnreadable`. */
  readonly unreadable: readonly { readonly owner: string; readonly kind: string }[]
}

export interface RotateOptions {
  /** Removes unreadable ones instead of keeping them. The audit log records each as removed by the platform. */
  readonly discardUnreadable?: boolean
  /** Called after each transaction. */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * After its first step, every server on this database that has the newest key encrypts with it; a server without it
 * refuses to write. Both keys are needed until the last step. Throws {@link WrongKeyError}, and `AUDIT_REFUSED`.
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

const removalOf = ({ store, id, holder, what }: OldSecret): AuditEntry => {
  const removed = { actor: PLATFORM, target: targetOf(holder) }
  if (store === 'agentVariable')
    return { ...removed, action: 'variable.removed', detail: { variable: what, because: 'unreadable' } }
  if (store === 'agentTemplateSecret') {
    const detail = { changes: { [`secretVariables.${what}`]: { secret: 'removed' } }, because: 'unreadable' } as const
    return { ...removed, action: 'agent_template.set', detail }
  }
  if (store === 'webhook' || store === 'incomingHook')
    return { ...removed, action: 'webhook.removed', target: { id, name: what }, detail: { because: 'unreadable' } }
  const of = holder.owner.type
  if (store === 'connector')
    return { ...removed, action: 'connector.removed', detail: { of, connector: what, because: 'unreadable' } }
  const detail = { of, kind: what, because: 'unreadable' }
  return { ...removed, action: 'credential.removed', detail }
}
