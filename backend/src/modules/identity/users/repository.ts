/** Users in the database. */
import type { Role } from '@slipway/protocol'
import type { PageStart } from '../../../lib/page.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit, AuditEntry } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../../database/errors.ts'
import { type NewLink, storeInvitation } from '../setup/repository.ts'
import { revokeAll } from '../sign-ins/repository.ts'
import { anotherAdmin, lockAdmins } from './admins-repository.ts'
import { userTarget } from './present.ts'
import type { StoredUser } from './user.ts'
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'

/** What an admin may change. */
export interface UserChange {
  readonly role?: Role
  readonly disabledAt?: Date | null
}

/** Why a user was not changed. */
export type Refusal = 'missing' | 'last_admin' | 'owns_agents'

/** A change that was made, with the user before and after it. */
export interface Changed {
  readonly before: StoredUser
  readonly after: StoredUser
}

/** Replaces a password. */
export interface NewPassword {
  /** The hash of the password to replace. If it is another one by now, nothing changes. */
  readonly oldHash: string
  readonly newHash: string
  /** The only sign-in that stays. */
  readonly keepSignInId: string | null
  readonly now: Date
}

/** Users by id and by e-mail address. Every change is recorded in the same transaction. */
export interface UserRepository {
  find(id: string): Promise<StoredUser | null>
  findByEmail(email: string): Promise<StoredUser | null>
  /** Sorted by e-mail address; one row more than the page's limit if there is another page. */
  list(page: PageStart): Promise<StoredUser[]>
  /** Stores the user and their invitation. Null if the e-mail address is in use. */
  create(user: StoredUser, invitation: NewLink | null, actor: Actor): Promise<StoredUser | null>
  /** Disabling a user revokes all of their sign-ins; enabling them restores none. */
  change(id: string, change: UserChange, actor: Actor): Promise<Changed | Refusal>
  remove(id: string, actor: Actor): Promise<StoredUser | Refusal>
  /**
   * Also revokes all other sign-ins of the user, and answers their ids; null if the password had been changed
   * meanwhile.
   */
  replacePassword(user: Pick<StoredUser, 'id' | 'email'>, password: NewPassword, actor: Actor): Promise<string[] | null>
}

const isActiveAdmin = (user: StoredUser): boolean =>
  user.role === 'admin' && user.disabledAt === null && user.passwordHash !== null

/**
 * What ends with a user, in the transaction that deletes them. Answers the entries for the audit log. The module to which
 * it belongs implements it.
 */
export type EndWithUser = (tx: Prisma.TransactionClient, userId: string, actor: Actor) => Promise<readonly AuditEntry[]>

/** Keeps the one rule that needs several rows: there is always an admin who can sign in. */
export function createUserRepository(prisma: PrismaClient, audit: Audit, endWithUser: EndWithUser): UserRepository {
  /** A changed role and a changed switch are two acts, even in one request. */
  async function recordChange(
    tx: Prisma.TransactionClient,
    changed: Changed,
    signInsEnded: string[],
    actor: Actor,
  ): Promise<void> {
    const { before, after } = changed
    const { role, disabledAt } = changesOf('User', before, after)
    const target = userTarget(after)
    if (role) await audit.record(tx, { actor, action: 'user.role_changed', target, detail: { changes: { role } } })
    if (!disabledAt) return
    const changes = { disabledAt }
    if (after.disabledAt === null)
      await audit.record(tx, { actor, action: 'user.enabled', target, detail: { changes } })
    else await audit.record(tx, { actor, action: 'user.disabled', target, detail: { changes, signInsEnded } })
  }

  return {
    find: (id) => prisma.user.findUnique({ where: { id } }),
    findByEmail: (email) => prisma.user.findUnique({ where: { email } }),
    list: ({ limit, after }) =>
      prisma.user.findMany({
        ...(after === null ? {} : { where: { email: { gt: after } } }),
        orderBy: { email: 'asc' },
        take: limit + 1,
      }),
    async create(user, invitation, actor) {
      try {
        return await prisma.$transaction(async (tx) => {
          const created = await tx.user.create({ data: user })
          const detail = { changes: changesOf('User', null, created) }
          await audit.record(tx, { actor, action: 'user.created', target: userTarget(created), detail })
          if (invitation) await storeInvitation(tx, audit, { user: created, link: invitation, actor })
          return created
        })
      } catch (error) {
        if (isUniqueViolation(error)) return null
        throw error
      }
    },
    change: (id, change, actor) =>
      prisma.$transaction(async (tx) => {
        await lockAdmins(tx)
        const before = await tx.user.findUnique({ where: { id } })
        if (!before) return 'missing'
        const stays = isActiveAdmin({ ...before, ...change })
        if (isActiveAdmin(before) && !stays && !(await anotherAdmin(tx, id))) return 'last_admin'
        const after = await tx.user.update({ where: { id }, data: change })
        const ended =
          before.disabledAt === null && after.disabledAt !== null
            ? await revokeAll(tx, { userId: id, keepId: null, now: after.disabledAt })
            : []
        await recordChange(tx, { before, after }, ended, actor)
        return { before, after }
      }),
    async remove(id, actor) {
      try {
        return await prisma.$transaction(async (tx) => {
          await lockAdmins(tx)
          const user = await tx.user.findUnique({ where: { id } })
          if (!user) return 'missing'
          if (isActiveAdmin(user) && !(await anotherAdmin(tx, id))) return 'last_admin'
          const detail = { changes: changesOf('User', user, null) }
          const ended = await endWithUser(tx, id, actor)
          await audit.record(tx, ...ended, { actor, action: 'user.deleted', target: userTarget(user), detail })
          return tx.user.delete({ where: { id } })
        })
      } catch (error) {
        // The database refuses it, so an agent that is created concurrently is not missed.
        if (isForeignKeyViolation(error)) return 'owns_agents'
        throw error
      }
    },
    replacePassword: ({ id, email }, { oldHash, newHash, keepSignInId, now }, actor) =>
      prisma.$transaction(async (tx) => {
        const { count } = await tx.user.updateMany({
          where: { id, passwordHash: oldHash },
          data: { passwordHash: newHash },
        })
        if (count === 0) return null
        const signInsEnded = await revokeAll(tx, { userId: id, keepId: keepSignInId, now })
        const changes = changesOf('User', { passwordHash: oldHash }, { passwordHash: newHash })
        const detail = { changes, signInsEnded }
        await audit.record(tx, { actor, action: 'user.password_changed', target: userTarget({ id, email }), detail })
        return signInsEnded
      }),
  }
}
