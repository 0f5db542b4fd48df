/** One-time links in the database, and what they are exchanged for. */
import type { PrismaClient } from '../../../database/generated/client.ts'
import { isUniqueViolation } from '../../../database/errors.ts'
import { type Actor, PLATFORM } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'
import { anyAdmin, lockAdmins } from '../users/admins-repository.ts'
import { userTarget } from '../users/present.ts'
import type { StoredUser } from '../users/user.ts'

/** A link to store; `userId` is null for the set-up, when there is no user yet. */
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
  /** Makes this the only set-up link; false if an admin exists. */
  replaceSetupLink(link: NewLink): Promise<boolean>
  /** Makes this the only invitation of a user who has no password yet; false if they have one or do not exist. */
  replaceInvitation(userId: string, link: NewLink, actor: Actor): Promise<boolean>
  setupLinkIsValid(tokenHash: string, now: Date): Promise<boolean>
  invitedUser(tokenHash: string, now: Date): Promise<StoredUser | null>
  /** Creates the first admin and uses up the link of `tokenHash`, which is null at an unattended start. */
  createFirstAdmin(
    admin: NewAdmin,
    tokenHash: string | null,
    actor: Actor,
  ): Promise<StoredUser | 'already_set_up' | 'invalid_link'>
  /** Gives an invited user a password and uses up the link; null if the link is no longer valid. */
  acceptInvitation(
    tokenHash: string,
    passwordHash: string,
    now: Date,
    actorFor: (user: StoredUser) => Actor,
  ): Promise<StoredUser | null>
}

/** Every exchange deletes its link in the same transaction, so the second of two concurrent ones finds no link. */
export function createLinkRepository(prisma: PrismaClient, audit: Audit): LinkRepository {
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
        const created = await tx.link.create({ data: { ...link, purpose: 'setup' } })
        const detail = { changes: changesOf('Link', null, created) }
        await audit.record(tx, { actor: PLATFORM, action: 'setup.link_created', target: null, detail })
        return true
      }),
    replaceInvitation: (userId, link, actor) =>
      prisma.$transaction(async (tx) => {
        const user = await tx.user.findFirst({ where: { id: userId, passwordHash: null } })
        if (!user) return false
        await tx.link.deleteMany({ where: { purpose: 'invitation', userId } })
        await storeInvitation(tx, audit, { user, link, actor })
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
    async createFirstAdmin(admin, tokenHash, actor) {
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
          const created = await tx.user.create({ data: admin })
          const detail = { changes: changesOf('User', null, created) }
          await audit.record(tx, { actor, action: 'user.created', target: userTarget(created), detail })
          return created
        })
      } catch (error) {
        // The address can only belong to a user who is no admin, and only an admin can have created that user.
        if (isUniqueViolation(error)) return 'already_set_up'
        throw error
      }
    },
    acceptInvitation: (tokenHash, passwordHash, now, actorFor) =>
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
        const user = changed.count === 1 ? await tx.user.findUnique({ where: { id: userId } }) : null
        if (!user) return null
        const detail = { changes: changesOf('User', { passwordHash: null }, { passwordHash }) }
        const entry = { actor: actorFor(user), target: userTarget(user), detail }
        await audit.record(tx, { action: 'user.invitation_accepted', ...entry })
        return user
      }),
  }
}

/** Stores the invitation of a user who has none, and its row in the audit log. */
export async function storeInvitation(
  tx: Pick<PrismaClient, 'link' | 'auditEvent'>,
  audit: Audit,
  { user, link, actor }: { user: Pick<StoredUser, 'id' | 'email'>; link: NewLink; actor: Actor },
): Promise<void> {
  const created = await tx.link.create({ data: { ...link, userId: user.id, purpose: 'invitation' } })
  const detail = { changes: changesOf('Link', null, created) }
  await audit.record(tx, { actor, action: 'user.invited', target: userTarget(user), detail })
}
