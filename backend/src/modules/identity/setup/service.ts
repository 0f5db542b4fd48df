/** One-time links: the first admin's, and those of invited users. */
import { DAY_MS, type Clock } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { NewId } from '../../../lib/ids.ts'
import { newSecret, sha256 } from '../../../lib/secrets.ts'
import type { Passwords } from '../passwords.ts'
import { normaliseEmail } from '../users/present.ts'
import type { StoredUser } from '../users/repository.ts'
import type { LinkRepository, NewAdmin, NewLink } from './repository.ts'

/** How long a set-up link works, in milliseconds; each start of the server makes a new one. */
export const SETUP_LINK_MS = DAY_MS
/** How long an invitation works, in milliseconds: over a week's holiday it may end, and an admin makes another. */
export const INVITATION_MS = 7 * DAY_MS

/** A link to hand to somebody. The token is in the fragment, which browsers keep to themselves: no server and no proxy logs it. */
export interface OneTimeLink {
  readonly url: string
  readonly expiresAt: Date
}

/** What {@link createSetupService} needs. */
export interface SetupDeps {
  readonly links: LinkRepository
  readonly passwords: Pick<Passwords, 'hash'>
  readonly clock: Clock
  readonly newId: NewId
}

/** The first admin, and invitations. */
export interface SetupService {
  /** Whether an admin exists. Once true it stays true. */
  isSetUp(): Promise<boolean>
  /** A new set-up link below `baseUrl`, which voids the earlier ones; null where an admin exists. */
  createSetupLink(baseUrl: string): Promise<OneTimeLink | null>
  /** Creates the first admin without a link; false where one exists. */
  createAdmin(email: string, password: string): Promise<boolean>
  /** Exchanges the set-up link for the first admin. Throws `ALREADY_SET_UP`, `INVALID_LINK`. */
  setUp(token: string, email: string, password: string): Promise<StoredUser>
  /** A new invitation for a user who has no password yet, which voids the earlier one. Throws `WRONG_STATE`. */
  invite(userId: string, baseUrl: string): Promise<OneTimeLink>
  /** Exchanges an invitation for a password. Throws `INVALID_LINK`. */
  acceptInvitation(token: string, password: string): Promise<StoredUser>
}

/** Passwords are hashed before the transaction that uses a link up, which therefore stays short. */
export function createSetupService({ links, passwords, clock, newId }: SetupDeps): SetupService {
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

  return {
    isSetUp: () => links.adminExists(),
    async createSetupLink(baseUrl) {
      const { link, token } = newLink(SETUP_LINK_MS)
      if (!(await links.replaceSetupLink(link))) return null
      return { url: `${baseUrl}/setup#token=${token}`, expiresAt: link.expiresAt }
    },
    async createAdmin(email, password) {
      if (await links.adminExists()) return false
      const result = await links.createFirstAdmin(await newAdmin(email, password), null)
      return typeof result === 'object'
    },
    async setUp(token, email, password) {
      if (await links.adminExists()) throw alreadySetUp()
      const tokenHash = sha256(token)
      // Asked before hashing too: a stranger should not make the server work.
      if (!(await links.setupLinkIsValid(tokenHash, new Date(clock.now())))) throw invalidLink()
      const result = await links.createFirstAdmin(await newAdmin(email, password), tokenHash)
      if (result === 'already_set_up') throw alreadySetUp()
      if (result === 'invalid_link') throw invalidLink()
      return result
    },
    async invite(userId, baseUrl) {
      const { link, token } = newLink(INVITATION_MS)
      if (!(await links.replaceInvitation(userId, link))) {
        throw new AppError('WRONG_STATE', 'This user has accepted an invitation already.')
      }
      return { url: `${baseUrl}/invitation#token=${token}`, expiresAt: link.expiresAt }
    },
    async acceptInvitation(token, password) {
      const tokenHash = sha256(token)
      if (!(await links.invitedUser(tokenHash, new Date(clock.now())))) throw invalidLink()
      const passwordHash = await passwords.hash(password)
      const user = await links.acceptInvitation(tokenHash, passwordHash, new Date(clock.now()))
      if (!user) throw invalidLink()
      return user
    },
  }
}

function alreadySetUp(): AppError {
  return new AppError('ALREADY_SET_UP', 'The first admin exists already. Sign in, or ask an admin for an invitation.')
}

function invalidLink(): AppError {
  return new AppError('INVALID_LINK', 'This link was used before, has expired or never existed. Ask for a new one.')
}
