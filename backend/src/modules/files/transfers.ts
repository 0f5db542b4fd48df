/** The files on their way now: how many at once, and the way to all of them when a right is taken. */
import { AppError } from '../../lib/errors.ts'
import type { Found } from '../agents/service.ts'
import type { Caller } from '../identity/caller.ts'
import type { Revocation } from '../identity/revocations.ts'

/** Most files on their way to and from one agent at once: each is an exec and two connections. */
const MAX_PER_AGENT = 8
/** When to try again, in seconds. */
const RETRY_SECONDS = 5

/** One file, or one folder, on its way. */
export interface Transfer {
  readonly caller: Caller
  readonly found: Found
  /** Ends it where it is. */
  readonly close: () => void
}

export class Transfers {
  readonly #open = new Set<Transfer>()

  /** Call before anything is executed; throws `TOO_MANY_REQUESTS`. */
  begin(transfer: Transfer): void {
    const here = [...this.#open].filter(({ found }) => found.row.id === transfer.found.row.id)
    if (here.length >= MAX_PER_AGENT)
      throw new AppError(
        'TOO_MANY_REQUESTS',
        'Too many files are on their way to or from this agent. Try again soon.',
        {
          retryAfterSeconds: RETRY_SECONDS,
        },
      )
    this.#open.add(transfer)
  }

  end(transfer: Transfer): void {
    this.#open.delete(transfer)
  }

  revoked(revocation: Revocation): void {
    this.#close(({ caller, found }) => takes(revocation, caller, found))
  }

  unshared(agentId: string, userId: string): void {
    this.#close(
      ({ caller, found }) => found.row.id === agentId && caller.userId === userId && found.relation === 'sharee',
    )
  }

  #close(matches: (transfer: Transfer) => boolean): void {
    for (const transfer of [...this.#open]) if (matches(transfer)) transfer.close()
  }
}

/** A changed role takes only what the role gave. */
const takes = (revocation: Revocation, { userId, via }: Caller, { relation }: Found): boolean => {
  if (revocation.kind === 'sign_in') return via.kind === 'sign_in' && via.signInId === revocation.signInId
  if (revocation.kind === 'api_token') return via.kind === 'api_token' && via.tokenId === revocation.tokenId
  return userId === revocation.userId && (revocation.because !== 'role_changed' || relation === 'admin')
}
