/** Users: what admins do with them, and what they do with their own account. */
import {
  PAGE_LIMIT_DEFAULT,
  type CreatedUser,
  type CreateUser,
  type PageQuery,
  type UpdateUser,
  type User,
} from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { pageOf, pageStart, type PageOf } from '../../../lib/page.ts'
import { actorOf, type Caller } from '../caller.ts'
import type { CheckPassword } from '../credentials.ts'
import type { FailedLogins } from '../failed-logins.ts'
import type { Passwords } from '../passwords.ts'
import type { Revocations } from '../revocations.ts'
import type { SshKeyService } from '../ssh-keys/service.ts'
import type { OneTimeLink, SetupService } from '../setup/service.ts'
import { normaliseEmail, presentUser } from './present.ts'
import { settled } from './refusals.ts'
import { type Belongings, createRemoval, type RemoveUser } from './removal.ts'
import type { Changed, UserRepository } from './repository.ts'
import type { StoredUser } from './user.ts'
import { requireSignedIn } from './signed-in.ts'

/** What {@link createUserService} needs. */
export interface UserDeps {
  readonly users: UserRepository
  readonly setup: Pick<SetupService, 'invite' | 'newInvitation'>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly checkPassword: CheckPassword
  readonly failedLogins: Pick<FailedLogins, 'tell'>
  readonly belongings: Belongings
  readonly sshKeys: Pick<SshKeyService, 'leave'>
  readonly revocations: Revocations
  readonly clock: Clock
  readonly newId: NewId
}

/** A new password, and the old one as proof. */
export interface PasswordChange {
  readonly currentPassword: string
  readonly newPassword: string
  /** The network address of the client. */
  readonly address: string
}

/** Users. Whether the caller may do it was decided before. */
export interface UserService {
  get(id: string): Promise<User>
  list(query: PageQuery): Promise<PageOf<User>>
  /**
   * Without a password it creates an invitation, with a link below `baseUrl`. Throws `EMAIL_TAKEN`, and `FORBIDDEN` if
   * a token creates an admin.
   */
  create(caller: Caller, body: CreateUser, baseUrl: string): Promise<CreatedUser>
  /** Replaces the invitation. Throws `NOT_FOUND`, `WRONG_STATE`, and `FORBIDDEN` if a token invites an admin. */
  invite(caller: Caller, id: string, baseUrl: string): Promise<OneTimeLink>
  /** Throws `NOT_FOUND`, `LAST_ADMIN`, and `FORBIDDEN` if a token makes an admin. */
  update(caller: Caller, id: string, body: UpdateUser): Promise<User>
  readonly remove: RemoveUser
  /** Revokes all other sign-ins of the caller. Throws `INVALID_CREDENTIALS`, `TOO_MANY_REQUESTS`. */
  changePassword(caller: Caller, change: PasswordChange): Promise<User>
}

/** Every method that revokes a right emits to {@link UserDeps.revocations} before it returns. */
export function createUserService(deps: UserDeps): UserService {
  const { users, setup, passwords, checkPassword, failedLogins, belongings, sshKeys, revocations, clock, newId } = deps

  async function get(id: string): Promise<StoredUser> {
    const user = isUuid(id) ? await users.find(id) : null
    if (!user) throw notFound()
    return user
  }

  function tellWhatWasTaken({ before, after }: Changed): void {
    const userId = after.id
    if (before.disabledAt === null && after.disabledAt !== null) {
      revocations.emit({ kind: 'user', userId, because: 'disabled' })
    } else if (before.role !== after.role) {
      revocations.emit({ kind: 'user', userId, because: 'role_changed' })
    }
  }

  return {
    get: async (id) => presentUser(await get(id)),
    async list(query) {
      const page = pageStart(query, PAGE_LIMIT_DEFAULT)
      return pageOf(await users.list(page), page.limit, (user) => user.email, presentUser)
    },
    async create(caller, { email, role, password }, baseUrl) {
      if (role === 'admin') requireSignedIn(caller, 'make an admin')
      const invitation = password === undefined ? setup.newInvitation(baseUrl) : null
      const user = await users.create(
        {
          id: newId(),
          email: normaliseEmail(email),
          role,
          passwordHash: password === undefined ? null : await passwords.hash(password),
          disabledAt: null,
          createdAt: new Date(clock.now()),
        },
        invitation?.link ?? null,
        actorOf(caller),
      )
      if (!user) throw new AppError('EMAIL_TAKEN', 'An account with this e-mail address exists already.')
      if (!invitation) return presentUser(user)
      const { url, expiresAt } = invitation.shown
      return { ...presentUser(user), invitation: { url, expiresAt: expiresAt.toISOString() } }
    },
    async invite(caller, id, baseUrl) {
      const user = await get(id)
      if (user.role === 'admin') requireSignedIn(caller, 'invite an admin')
      return setup.invite(user.id, baseUrl, actorOf(caller))
    },
    async update(caller, id, { role, disabled }) {
      if (role === 'admin') requireSignedIn(caller, 'make an admin')
      const current = await get(id)
      const changed = settled(
        await users.change(
          id,
          {
            ...(role === undefined ? {} : { role }),
            ...(disabled === undefined
              ? {}
              : { disabledAt: disabled ? (current.disabledAt ?? new Date(clock.now())) : null }),
          },
          actorOf(caller),
        ),
      )
      tellWhatWasTaken(changed)
      return presentUser(changed.after)
    },
    remove: createRemoval({ users, belongings, sshKeys, revocations, clock }),
    async changePassword(caller, { currentPassword, newPassword, address }) {
      const user = await get(caller.userId)
      const stored = user.passwordHash
      const by = caller.via.kind === 'sign_in' ? { signInId: caller.via.signInId } : {}
      const right = await failedLogins.tell(
        () => checkPassword({ stored, password: currentPassword, email: user.email, address, ...by }),
        { action: 'user.password_refused', actor: actorOf(caller), target: { id: user.id, name: user.email } },
        'wrong_password',
      )
      if (stored === null || !right) throw wrongPassword()
      const newHash = await passwords.hash(newPassword)
      const change = { oldHash: stored, newHash, keepSignInId: by.signInId ?? null, now: new Date(clock.now()) }
      const ended = await users.replacePassword(user, change, actorOf(caller))
      if (!ended) throw wrongPassword()
      for (const signInId of ended) revocations.emit({ kind: 'sign_in', signInId, because: 'password_changed' })
      return presentUser(user)
    },
  }
}

function wrongPassword(): AppError {
  return new AppError('INVALID_CREDENTIALS', 'The current password is wrong.')
}
