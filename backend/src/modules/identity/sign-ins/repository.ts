/** Sign-ins in the database: one row for each device, holding the hash of its newest refresh token. */
import type { Role } from '@slipway/protocol'
import type { PrismaClient } from '../../../plugins/database/generated/client.ts'
import type { StoredUser } from '../users/repository.ts'

/** A new sign-in. */
export interface NewSignIn {
  readonly id: string
  readonly userId: string
  readonly refreshHash: string
  readonly userAgent: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date
  readonly expiresAt: Date
}

/** A sign-in that is neither revoked nor expired and whose user is not disabled. */
export interface LiveSignIn {
  readonly id: string
  readonly refreshHash: string
  readonly user: StoredUser
}

/** The next refresh token of a sign-in, in place of the one with `oldHash`. */
export interface Rotation {
  readonly oldHash: string
  readonly newHash: string
  readonly now: Date
  readonly expiresAt: Date
}

/** The person behind a live sign-in. */
export interface SignedInUser {
  readonly userId: string
  readonly email: string
  readonly role: Role
}

/** Sign-ins, by id. */
export interface SignInRepository {
  create(signIn: NewSignIn): Promise<void>
  findLive(id: string, now: Date): Promise<LiveSignIn | null>
  /** One query: who is behind this sign-in, if it is live and theirs. */
  findUser(id: string, userId: string, now: Date): Promise<SignedInUser | null>
  /** Compare and swap: false where the token was no longer the newest, or the sign-in was revoked. */
  rotate(id: string, rotation: Rotation): Promise<boolean>
  /** False where it was revoked before, or is not there. */
  revoke(id: string, now: Date): Promise<boolean>
  /** Deletes what of a user's can be of no use any more. */
  prune(userId: string, now: Date): Promise<void>
}

/** All of a user's sign-ins that are over are deleted at their next one. */
export function createSignInRepository(prisma: PrismaClient): SignInRepository {
  const live = (now: Date) => ({ revokedAt: null, expiresAt: { gt: now } })
  return {
    async create(signIn) {
      await prisma.signIn.create({ data: signIn })
    },
    findLive: (id, now) =>
      prisma.signIn.findFirst({
        where: { id, ...live(now), user: { disabledAt: null } },
        select: { id: true, refreshHash: true, user: true },
      }),
    async findUser(id, userId, now) {
      // Every request comes through here; Prisma would make two queries of it, one for each table.
      const rows = await prisma.$queryRaw<SignedInUser[]>`
        SELECT u."id" AS "userId", u."email", u."role"::text AS "role"
        FROM "SignIn" s JOIN "User" u ON u."id" = s."userId"
        WHERE s."id" = ${id}::uuid AND s."userId" = ${userId}::uuid
          AND s."revokedAt" IS NULL AND s."expiresAt" > ${now} AND u."disabledAt" IS NULL`
      return rows[0] ?? null
    },
    async rotate(id, { oldHash, newHash, now, expiresAt }) {
      const { count } = await prisma.signIn.updateMany({
        where: { id, refreshHash: oldHash, ...live(now) },
        data: { refreshHash: newHash, lastUsedAt: now, expiresAt },
      })
      return count === 1
    },
    async revoke(id, now) {
      const { count } = await prisma.signIn.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } })
      return count === 1
    },
    async prune(userId, now) {
      await prisma.signIn.deleteMany({
        where: { userId, OR: [{ revokedAt: { not: null } }, { expiresAt: { lte: now } }] },
      })
    },
  }
}
