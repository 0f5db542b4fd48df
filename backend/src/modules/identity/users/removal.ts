/** Deletes a user. What happens to their agents is decided first. */
import type { DeleteUserQuery } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid } from '../../../lib/ids.ts'
import { actorOf, type Caller } from '../caller.ts'
import type { Revocations } from '../revocations.ts'
import type { SshKeyService } from '../ssh-keys/service.ts'
import { settled } from './refusals.ts'
import type { UserRepository } from './repository.ts'
import type { StoredUser } from './user.ts'
import { requireSignedIn } from './signed-in.ts'

/** What users own. The agents' module implements it, because this one knows no containers. */
export interface Belongings {
  /** Hands all of them over, or none. False if the other user does not exist any more. */
  handOver(from: StoredUser, to: StoredUser, caller: Caller): Promise<boolean>
  /** Deletes as many as possible. Answers the names of those that are left. */
  deleteAll(owner: StoredUser, caller: Caller): Promise<readonly string[]>
}

/** What {@link createRemoval} needs. */
export interface RemovalDeps {
  readonly users: Pick<UserRepository, 'find' | 'change' | 'remove'>
  readonly belongings: Belongings
  readonly sshKeys: Pick<SshKeyService, 'leave'>
  readonly revocations: Revocations
  readonly clock: Clock
}

/**
 * Throws `NOT_FOUND`, `LAST_ADMIN`, `OWNS_AGENTS`, `USER_NOT_FOUND`, `AGENTS_LEFT`, `VALIDATION`, and `FORBIDDEN` for a
 * handover by a token.
 */
export type RemoveUser = (caller: Caller, id: string, query: DeleteUserQuery) => Promise<void>

/** How many names an error's sentence lists. */
const NAMES_SHOWN = 5

/**
 * If the user owns agents, they are disabled first: from then on they cannot create more. A failure in between leaves a
 * disabled user with the remaining agents, and the same request continues from there.
 */
export function createRemoval({ users, belongings, sshKeys, revocations, clock }: RemovalDeps): RemoveUser {
  async function find(id: string | undefined): Promise<StoredUser | null> {
    return id !== undefined && isUuid(id) ? users.find(id) : null
  }

  async function heirFor(user: StoredUser, { to }: DeleteUserQuery): Promise<StoredUser> {
    const heir = await find(to)
    if (!heir) throw noHeir()
    if (heir.id === user.id) throw new AppError('VALIDATION', 'to: must be another user than the one being deleted')
    if (heir.disabledAt !== null)
      throw new AppError('WRONG_STATE', 'The user who would get the agents is disabled. Choose another one.')
    return heir
  }

  async function disable(user: StoredUser, caller: Caller): Promise<void> {
    if (user.disabledAt !== null) return
    settled(await users.change(user.id, { disabledAt: new Date(clock.now()) }, actorOf(caller)))
    revocations.emit({ kind: 'user', userId: user.id, because: 'disabled' })
  }

  async function clear(user: StoredUser, query: DeleteUserQuery, caller: Caller): Promise<void> {
    if (query.agents === 'handover') {
      const heir = await heirFor(user, query)
      await disable(user, caller)
      if (!(await belongings.handOver(user, heir, caller))) throw noHeir()
      return
    }
    await disable(user, caller)
    const left = await belongings.deleteAll(user, caller)
    if (left.length > 0) throw agentsLeft(user, left)
  }

  return async (caller, id, query) => {
    if (query.agents === 'handover') requireSignedIn(caller, 'hand over agents')
    const user = await find(id)
    if (!user) throw notFound()
    if ((query.to !== undefined) !== (query.agents === 'handover'))
      throw new AppError('VALIDATION', 'to: is required with agents=handover, and allowed only with it')
    if (query.agents !== undefined) await clear(user, query, caller)
    await sshKeys.leave(id, async () => {
      settled(await users.remove(id, actorOf(caller)))
    })
    revocations.emit({ kind: 'user', userId: id, because: 'deleted' })
  }
}

function noHeir(): AppError {
  return new AppError('USER_NOT_FOUND', 'The user who would get the agents does not exist. Choose another one.')
}

function agentsLeft({ email }: StoredUser, left: readonly string[]): AppError {
  const names = left.slice(0, NAMES_SHOWN).join(', ')
  const more = left.length > NAMES_SHOWN ? ` and ${left.length - NAMES_SHOWN} more` : ''
  const message =
    `${email} is disabled but not deleted: ${names}${more} could not be deleted. ` +
    'Try again in a moment; the log of the server says why.'
  return new AppError('AGENTS_LEFT', message)
}
