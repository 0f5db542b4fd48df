/** One-time links in the database, and what they are exchanged for. */
import type { PrismaClient } from '../../../plugins/database/generated/client.ts'
import { isUniqueViolation } from '../../../plugins/database/errors.ts'
import { lockAdmins } from '../users/admins-lock.ts'
import type { StoredUser } from '../users/repository.ts'

/** A link to be stored; `userId` is null for the set-up, where there is no user yet. */
export interface NewLink {
  readonly id: string
  readonly tokenHash: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The first admin, not stored yet. */
export type NewAdmin = StoredUser & { readonly role: 'admin' }

/** Links and what they lead to. */
export interface LinkRepository {
  adminExists(): Promise<boolean>
  /** Makes this the only set-up link there is; false where an admin exists. */
  replaceSetupLink(link: NewLink): Promise<boolean>
  /** Makes this the only invitation of a user who has no password yet; false where they have one, or are not there. */
  replaceInvitation(userId: string, link: NewLink): Promise<boolean>
  setupLinkIsValid(tokenHash: string, now: Date): Promise<boolean>
  invitedUser(tokenHash: string, now: Date): Promise<StoredUser | null>
  /** Creates the first admin; `tokenHash` is the link that is used up by it, null at an unattended start. */
  createFirstAdmin(admin: NewAdmin, tokenHash: string | null): Promise<StoredUser | 'already_set_up' | 'invalid_link'>
  /** Gives an invited user a password and uses the link up; null where it is not valid any more. */
  acceptInvitation(tokenHash: string, passwordHash: string, now: Date): Promise<StoredUser | null>
}

/** Whatever exchanges a link does so in a transaction that deletes it, so that of two at once one finds it gone. */
export function createLinkRepository(prisma: PrismaClient): LinkRepository {
  const anyAdmin = (tx: Pick<PrismaClient, 'user'>) =>
    tx.user.findFirst({ where: { role: 'admin' }, select: { id: true } }).then((admin) => admin !== null)
  const invitation = (tokenHash: string, now: Date) => ({
    tokenHash,
    purpose: 'invitation' as const,
    expiresAt: { gt: now },
    user: { passwordHash: null, disabledAt: null },
  })

  return {
    adminExists: () => anyAdmin(prisma),
    replaceSetupLink: (link) =>
      prisma.$transaction(async (tx) => {
        await lockAdmins(tx)
        if (await anyAdmin(tx)) return false
        await tx.link.deleteMany({ where: { purpose: 'setup' } })
        await tx.link.create({ data: { ...link, purpose: 'setup' } })
        return true
      }),
    replaceInvitation: (userId, link) =>
      prisma.$transaction(async (tx) => {
        const user = await tx.user.findFirst({ where: { id: userId, passwordHash: null }, select: { id: true } })
        if (!user) return false
        await tx.link.deleteMany({ where: { purpose: 'invitation', userId } })
        await tx.link.create({ data: { ...link, userId, purpose: 'invitation' } })
        return true
      }),
    async setupLinkIsValid(tokenHash, now) {
      const link = await prisma.link.findFirst({ where: { tokenHash, purpose: 'setup', expiresAt: { gt: now } } })
      return link !== null
    },
    async invitedUser(tokenHash, now) {
      const link = await prisma.link.findFirst({ where: invitation(tokenHash, now), select: { user: true } })
      return link?.user ?? null
    },
    async createFirstAdmin(admin, tokenHash) {
      try {
        return await prisma.$transaction(async (tx) => {
          await lockAdmins(tx)
          if (await anyAdmin(tx)) return 'already_set_up'
          const used = await tx.link.deleteMany({
            where: {
              purpose: 'setup',
              ...(tokenHash === null ? {} : { tokenHash, expiresAt: { gt: admin.createdAt } }),
            },
          })
          if (tokenHash !== null && used.count === 0) return 'invalid_link'
          return tx.user.create({ data: admin })
        })
      } catch (error) {
        // Only a user without the role admin can have the address, and only an admin can have made that one.
        if (isUniqueViolation(error)) return 'already_set_up'
        throw error
      }
    },
    acceptInvitation: (tokenHash, passwordHash, now) =>
      prisma.$transaction(async (tx) => {
        const link = await tx.link.findFirst({ where: invitation(tokenHash, now), select: { id: true, userId: true } })
        if (!link?.userId) return null
        const used = await tx.link.deleteMany({ where: { id: link.id } })
        if (used.count === 0) return null
        const { userId } = link
        const changed = await tx.user.updateMany({
          where: { id: userId, passwordHash: null, disabledAt: null },
          data: { passwordHash },
        })
        return changed.count === 1 ? tx.user.findUnique({ where: { id: userId } }) : null
      }),
  }
}
