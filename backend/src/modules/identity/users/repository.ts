/** Users in the database. */
import type { Role } from '@slipway/protocol'
import type { PageStart } from '../../../lib/page.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../../plugins/database/errors.ts'
import { lockAdmins } from './admins-lock.ts'
import type { PrismaClient } from '../../../plugins/database/generated/client.ts'

/** A user as stored. */
export interface StoredUser {
  readonly id: string
  /** In lower case. */
  readonly email: string
  readonly role: Role
  /** argon2id; null until the invitation was accepted. */
  readonly passwordHash: string | null
  readonly disabledAt: Date | null
  readonly createdAt: Date
}

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

/** Users, by id and by e-mail address. */
export interface UserRepository {
  find(id: string): Promise<StoredUser | null>
  findByEmail(email: string): Promise<StoredUser | null>
  /** Sorted by e-mail address; one more than the page's limit where there is more. */
  list(page: PageStart): Promise<StoredUser[]>
  /** Null where the e-mail address is taken. */
  create(user: StoredUser): Promise<StoredUser | null>
  change(id: string, change: UserChange): Promise<Changed | Refusal>
  remove(id: string): Promise<StoredUser | Refusal>
  /** Replaces the password if it is still `oldHash`; false where somebody was faster. */
  replacePassword(id: string, oldHash: string, newHash: string): Promise<boolean>
}

type Transaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0]

/** Whether an enabled admin who can sign in is left besides this user. Call with the admins locked. */
async function anotherAdmin(tx: Transaction, id: string): Promise<boolean> {
  const other = await tx.user.findFirst({
    where: { id: { not: id }, role: 'admin', disabledAt: null, passwordHash: { not: null } },
    select: { id: true },
  })
  return other !== null
}

const isActiveAdmin = (user: StoredUser): boolean =>
  user.role === 'admin' && user.disabledAt === null && user.passwordHash !== null

/** Keeps the one rule that needs more than one row: an admin who can sign in is always left. */
export function createUserRepository(prisma: PrismaClient): UserRepository {
  return {
    find: (id) => prisma.user.findUnique({ where: { id } }),
    findByEmail: (email) => prisma.user.findUnique({ where: { email } }),
    list: ({ limit, after }) =>
      prisma.user.findMany({
        ...(after === null ? {} : { where: { email: { gt: after } } }),
        orderBy: { email: 'asc' },
        take: limit + 1,
      }),
    async create(user) {
      try {
        return await prisma.user.create({ data: user })
      } catch (error) {
        if (isUniqueViolation(error)) return null
        throw error
      }
    },
    change: (id, change) =>
      prisma.$transaction(async (tx) => {
        await lockAdmins(tx)
        const before = await tx.user.findUnique({ where: { id } })
        if (!before) return 'missing'
        const stays = isActiveAdmin({ ...before, ...change })
        if (isActiveAdmin(before) && !stays && !(await anotherAdmin(tx, id))) return 'last_admin'
        const after = await tx.user.update({ where: { id }, data: change })
        return { before, after }
      }),
    async remove(id) {
      try {
        return await prisma.$transaction(async (tx) => {
          await lockAdmins(tx)
          const user = await tx.user.findUnique({ where: { id } })
          if (!user) return 'missing'
          if (isActiveAdmin(user) && !(await anotherAdmin(tx, id))) return 'last_admin'
          return tx.user.delete({ where: { id } })
        })
      } catch (error) {
        // The database refuses it, so an agent that is made in the same moment cannot slip through.
        if (isForeignKeyViolation(error)) return 'owns_agents'
        throw error
      }
    },
    async replacePassword(id, oldHash, newHash) {
      const { count } = await prisma.user.updateMany({
        where: { id, passwordHash: oldHash },
        data: { passwordHash: newHash },
      })
      return count === 1
    },
  }
}
