/** Sign-ins in the database: one row for each device, holding the hash of its newest refresh token. */
import type { Role } from '@slipway/protocol'
import type { Actor } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import type { PrismaClient } from '../../../plugins/database/generated/client.ts'
import { userTarget } from '../users/present.ts'
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

/** Whose sign-in it is. */
export type Holder = Pick<StoredUser, 'id' | 'email'>

/** How a sign-in was made. */
export interface Opening {
  readonly user: Holder
  readonly by: 'password' | 'link'
  readonly actor: Actor
}

/** Why a sign-in ends, and who ends it; their name may be that of its holder. */
export interface Closing {
  readonly because: 'signed_out' | 'token_reused'
  readonly actorFor: (holder: Holder) => Actor
}

/** Sign-ins, by id. What is changed is recorded in the same transaction, but for refreshing. */
export interface SignInRepository {
  /** Also deletes what of the user's can be of no use any more. */
  create(signIn: NewSignIn, opening: Opening): Promise<void>
  findLive(id: string, now: Date): Promise<LiveSignIn | null>
  /** One query: who is behind this sign-in, if it is live and theirs. */
  findUser(id: string, userId: string, now: Date): Promise<SignedInUser | null>
  /** Compare and swap: false where the token was no longer the newest, or the sign-in was revoked. */
  rotate(id: string, rotation: Rotation): Promise<boolean>
  /** False where it was revoked before, or is not there. */
  revoke(id: string, now: Date, closing: Closing): Promise<boolean>
}

/** All of a user's sign-ins that are over are deleted at their next one. */
export function createSignInRepository(prisma: PrismaClient, audit: Audit): SignInRepository {
  const live = (now: Date) => ({ revokedAt: null, expiresAt: { gt: now } })
  return {
    create: (signIn, { user, by, actor }) =>
      prisma.$transaction(async (tx) => {
        await tx.signIn.deleteMany({
          where: { userId: user.id, OR: [{ revokedAt: { not: null } }, { expiresAt: { lte: signIn.createdAt } }] },
        })
        await tx.signIn.create({ data: signIn })
        const detail = { by, userAgent: signIn.userAgent }
        await audit.record(tx, { actor, action: 'login.succeeded', target: userTarget(user), detail })
      }),
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
    revoke: (id, now, { because, actorFor }) =>
      prisma.$transaction(async (tx) => {
        const select = { userAgent: true, user: { select: { id: true, email: true } } }
        const signIn = await tx.signIn.findUnique({ where: { id }, select })
        const { count } = await tx.signIn.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } })
        if (!signIn || count === 0) return false
        const action = because === 'token_reused' ? 'sign_in.token_reused' : 'sign_in.ended'
        const { user, userAgent } = signIn
        const entry = { actor: actorFor(user), target: { id, name: user.email }, detail: { userAgent } }
        await audit.record(tx, { action, ...entry })
        return true
      }),
  }
}
