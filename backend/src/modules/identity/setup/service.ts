/** One-time links: the first admin's, and those of invited users. */
import { DAY_MS, type Clock } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { NewId } from '../../../lib/ids.ts'
import { newSecret, sha256 } from '../../../lib/secrets/secrets.ts'
import { type Actor, PLATFORM, type Source, stranger } from '../../audit/actor.ts'
import type { FailedLogins } from '../failed-logins.ts'
import type { Passwords } from '../passwords.ts'
import { normaliseEmail } from '../users/present.ts'
import type { StoredUser } from '../users/user.ts'
import type { LinkRepository, NewAdmin, NewLink } from './repository.ts'

/** How long a set-up link is valid, in milliseconds; each start of the server creates a new one. */
export const SETUP_LINK_MS = DAY_MS
/** How long an invitation is valid, in milliseconds. If it expires, an admin creates another. */
export const INVITATION_MS = 7 * DAY_MS

/** A link for one person. Its token is in the fragment, which browsers do not send: no server and no proxy logs it. */
export interface OneTimeLink {
  readonly url: string
  readonly expiresAt: Date
}

/** What {@link createSetupService} needs. */
export interface SetupDeps {
  readonly links: LinkRepository
  readonly passwords: Pick<Passwords, 'hash'>
  readonly failedLogins: Pick<FailedLogins, 'tell'>
  readonly clock: Clock
  readonly newId: NewId
}

/** The first admin, and invitations. */
export interface SetupService {
  /** Whether an admin exists. Once true it stays true. */
  isSetUp(): Promise<boolean>
  /** A new set-up link below `baseUrl`, which invalidates the earlier ones; null if an admin exists. */
  createSetupLink(baseUrl: string): Promise<OneTimeLink | null>
  /** Creates the first admin without a link; false if there is one. */
  createAdmin(email: string, password: string): Promise<boolean>
  /** Exchanges the set-up link for the first admin. Throws `ALREADY_SET_UP`, `INVALID_LINK`. */
  setUp(token: string, email: string, password: string, source: Source): Promise<StoredUser>
  /** An invitation that is not stored yet, and the link to hand over. */
  newInvitation(baseUrl: string): { readonly link: NewLink; readonly shown: OneTimeLink }
  /** A new invitation for a user who has no password yet, which invalidates the earlier one. Throws `WRONG_STATE`. */
  invite(userId: string, baseUrl: string, actor: Actor): Promise<OneTimeLink>
  /** The e-mail address of the user whom an invitation is for. Throws `INVALID_LINK`. */
  invitedAs(token: string, source: Source): Promise<string>
  /** Exchanges an invitation for a password. Throws `INVALID_LINK`. */
  acceptInvitation(token: string, password: string, source: Source): Promise<StoredUser>
}

/** Passwords are hashed before the transaction that uses up a link, which keeps that transaction short. */
export function createSetupService({ links, passwords, failedLogins, clock, newId }: SetupDeps): SetupService {
  function newLink(lifetimeMs: number): { link: NewLink; token: string } {
    const [token, createdAt] = [newSecret(), new Date(clock.now())]
    const expiresAt = new Date(createdAt.getTime() + lifetimeMs)
    return { token, link: { id: newId(), tokenHash: sha256(token), createdAt, expiresAt } }
  }

  async function newAdmin(email: string, password: string): Promise<NewAdmin> {
    return {
      id: newId(),
      email: normaliseEmail(email),
      role: 'admin',
      passwordHash: await passwords.hash(password),
      disabledAt: null,
      createdAt: new Date(clock.now()),
    }
  }

  function newInvitation(baseUrl: string) {
    const { link, token } = newLink(INVITATION_MS)
    return { link, shown: { url: `${baseUrl}/invitation#token=${token}`, expiresAt: link.expiresAt } }
  }

  /** Records an invalid link like a wrong password. */
  async function requireLink(works: () => Promise<boolean>, source: Source): Promise<void> {
    const attempt = { action: 'login.failed', actor: stranger(source), target: null } as const
    if (!(await failedLogins.tell(works, attempt, 'invalid_link'))) throw invalidLink()
  }

  return {
    newInvitation,
    isSetUp: () => links.adminExists(),
    async createSetupLink(baseUrl) {
      const { link, token } = newLink(SETUP_LINK_MS)
      if (!(await links.replaceSetupLink(link))) return null
      return { url: `${baseUrl}/setup#token=${token}`, expiresAt: link.expiresAt }
    },
    async createAdmin(email, password) {
      if (await links.adminExists()) return false
      const result = await links.createFirstAdmin(await newAdmin(email, password), null, PLATFORM)
      return typeof result === 'object'
    },
    async setUp(token, email, password, source) {
      if (await links.adminExists()) throw alreadySetUp()
      const tokenHash = sha256(token)
      // Checked before hashing, too: a stranger must not make the server work.
      await requireLink(() => links.setupLinkIsValid(tokenHash, new Date(clock.now())), source)
      const admin = await newAdmin(email, password)
      const result = await links.createFirstAdmin(admin, tokenHash, byLink(admin, source))
      if (result === 'already_set_up') throw alreadySetUp()
      if (result === 'invalid_link') throw invalidLink()
      return result
    },
    async invite(userId, baseUrl, actor) {
      const { link, shown } = newInvitation(baseUrl)
      if (!(await links.replaceInvitation(userId, link, actor))) {
        throw new AppError('WRONG_STATE', 'This user has accepted an invitation already.')
      }
      return shown
    },
    async invitedAs(token, source) {
      let email: string | undefined
      const isInvited = async () => {
        email = (await links.invitedUser(sha256(token), new Date(clock.now())))?.email
        return email !== undefined
      }
      await requireLink(isInvited, source)
      if (email === undefined) throw invalidLink()
      return email
    },
    async acceptInvitation(token, password, source) {
      const tokenHash = sha256(token)
      const isInvited = async () => (await links.invitedUser(tokenHash, new Date(clock.now()))) !== null
      await requireLink(isInvited, source)
      const passwordHash = await passwords.hash(password)
      const user = await links.acceptInvitation(tokenHash, passwordHash, new Date(clock.now()), (invited) =>
        byLink(invited, source),
      )
      if (!user) throw invalidLink()
      return user
    },
  }
}

/** The user for whom the link was created. */
function byLink({ id, email }: Pick<StoredUser, 'id' | 'email'>, source: Source): Actor {
  return { userId: id, email, via: { kind: 'link', id: null }, source }
}

function alreadySetUp(): AppError {
  return new AppError('ALREADY_SET_UP', 'The first admin exists already. Sign in, or ask an admin for an invitation.')
}

/** The same answer for every kind of invalid link. */
export function invalidLink(): AppError {
  return new AppError('INVALID_LINK', 'This link was used before, has expired or never existed. Ask for a new one.')
}
