/** Sign-ins in the database: one row for each device, holding the hash of its newest refresh token. */
import type { Role } from '@slipway/protocol'
import type { PageStart } from '../../../lib/page.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'
import { userTarget } from '../users/present.ts'
import type { StoredUser } from '../users/user.ts'

/** A new sign-in. */
export interface NewSignIn {
  readonly id: string
  readonly userId: string
  readonly refreshHash: string
  readonly keyHash: string
  readonly userAgent: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date
  readonly expiresAt: Date
}

/** A sign-in that is neither revoked nor expired and whose user is not disabled. */
export interface LiveSignIn {
  readonly id: string
  readonly refreshHash: string
  /** Null for a sign-in from before refresh keys existed. */
  readonly keyHash: string | null
  /** The hash of the token before the newest one, and when it was replaced; null before the first refresh. */
  readonly previousHash: string | null
  readonly rotatedAt: Date | null
  readonly user: StoredUser
}

/** The next refresh token of a sign-in. It replaces the one with `oldHash`. */
export interface Rotation {
  readonly oldHash: string
  readonly newHash: string
  readonly now: Date
  readonly expiresAt: Date
  /**
   * Whether the client sent the previous token instead of the newest one. The grace period then still counts from the
   * first exchange, whose answer was lost.
   */
  readonly again: boolean
}

/** A sign-in as its user sees it. */
export interface StoredSignIn {
  readonly id: string
  readonly userAgent: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date
  readonly expiresAt: Date
}

/** The user of a live sign-in. */
export interface SignedInUser {
  readonly userId: string
  readonly email: string
  readonly role: Role
}

/** The user to whom a sign-in belongs. */
export type SignInUser = Pick<StoredUser, 'id' | 'email'>

/** How a sign-in was created. */
export interface Opening {
  /** The user as they were when they authenticated. */
  readonly user: SignInUser & Pick<StoredUser, 'passwordHash'>
  readonly by: 'password' | 'link'
  readonly actor: Actor
}

/** Why a sign-in ends, and who ends it. `actorFor` gets the holder of the sign-in. */
export interface Closing {
  readonly because: 'signed_out' | 'token_reused'
  /** The user to whom the sign-in must belong. Absent for a client that proves itself with the sign-in's own token. */
  readonly holderId?: string
  /** The hash that its refresh key must have; absent: not checked. */
  readonly keyHash?: string
  readonly actorFor: (user: SignInUser) => Actor
}

/** Sign-ins by id. Every change except a refresh is recorded in the same transaction. */
export interface SignInRepository {
  /**
   * Also deletes the user's sign-ins that have ended. Creates nothing and answers false if the user was disabled or
   * deleted, or their password was changed, since they authenticated.
   */
  create(signIn: NewSignIn, opening: Opening): Promise<boolean>
  findLive(id: string, now: Date): Promise<LiveSignIn | null>
  /** One query: the user of this sign-in, if it is live and belongs to `userId`. */
  findUser(id: string, userId: string, now: Date): Promise<SignedInUser | null>
  /** Compare and swap: false if the token is no longer the newest, or the sign-in was revoked. */
  rotate(id: string, rotation: Rotation): Promise<boolean>
  /** A user's live sign-ins, newest first; one row more than the page's limit if there is another page. */
  list(userId: string, page: PageStart, now: Date): Promise<StoredSignIn[]>
  /** When each of these sign-ins expires. Missing and revoked ones are left out. */
  expiries(ids: readonly string[]): Promise<Map<string, Date>>
  /** False if it was revoked before or does not exist. */
  revoke(id: string, now: Date, closing: Closing): Promise<boolean>
  /** Revokes all sign-ins of a user except `keepId`, and answers their ids. */
  revokeOthers(user: SignInUser, keepId: string | null, now: Date, actor: Actor): Promise<string[]>
}

/**
 * Whether the user is unchanged since they authenticated. That may be seconds ago, if many passwords wait for their
 * comparison. The row stays locked until the transaction ends. A concurrent change of the password or the account runs
 * afterwards, and revokes the new sign-in, too.
 */
async function isUnchanged(tx: Prisma.TransactionClient, { id, passwordHash }: Opening['user']): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "User" WHERE "id" = ${id}::uuid AND "passwordHash" = ${passwordHash} AND "disabledAt" IS NULL FOR SHARE`
  return rows.length > 0
}

/** A user's new sign-in deletes those that have ended. */
export function createSignInRepository(prisma: PrismaClient, audit: Audit): SignInRepository {
  const live = (now: Date) => ({ revokedAt: null, expiresAt: { gt: now } })
  return {
    create: (signIn, { user, by, actor }) =>
      prisma.$transaction(async (tx) => {
        if (!(await isUnchanged(tx, user))) return false
        await tx.signIn.deleteMany({
          where: { userId: user.id, OR: [{ revokedAt: { not: null } }, { expiresAt: { lte: signIn.createdAt } }] },
        })
        await tx.signIn.create({ data: signIn })
        const detail = { by, userAgent: signIn.userAgent }
        await audit.record(tx, { actor, action: 'login.succeeded', target: userTarget(user), detail })
        return true
      }),
    findLive: (id, now) =>
      prisma.signIn.findFirst({
        where: { id, ...live(now), user: { disabledAt: null } },
        select: { id: true, refreshHash: true, keyHash: true, previousHash: true, rotatedAt: true, user: true },
      }),
    async findUser(id, userId, now) {
      // Every request runs this query; Prisma would use one query for each table.
      const rows = await prisma.$queryRaw<SignedInUser[]>`
        SELECT u."id" AS "userId", u."email", u."role"::text AS "role"
        FROM "SignIn" s JOIN "User" u ON u."id" = s."userId"
        WHERE s."id" = ${id}::uuid AND s."userId" = ${userId}::uuid
          AND s."revokedAt" IS NULL AND s."expiresAt" > ${now} AND u."disabledAt" IS NULL`
      return rows[0] ?? null
    },
    async rotate(id, { oldHash, newHash, now, expiresAt, again }) {
      const { count } = await prisma.signIn.updateMany({
        where: { id, ...(again ? { previousHash: oldHash } : { refreshHash: oldHash }), ...live(now) },
        data: {
          refreshHash: newHash,
          lastUsedAt: now,
          expiresAt,
          ...(again ? {} : { previousHash: oldHash, rotatedAt: now }),
        },
      })
      return count === 1
    },
    list: (userId, { limit, after }, now) =>
      prisma.signIn.findMany({
        where: { userId, ...live(now), ...(after === null ? {} : { id: { lt: after } }) },
        orderBy: { id: 'desc' },
        take: limit + 1,
        select: { id: true, userAgent: true, createdAt: true, lastUsedAt: true, expiresAt: true },
      }),
    async expiries(ids) {
      if (ids.length === 0) return new Map()
      const rows = await prisma.signIn.findMany({
        where: { id: { in: [...ids] }, revokedAt: null },
        select: { id: true, expiresAt: true },
      })
      return new Map(rows.map((row) => [row.id, row.expiresAt]))
    },
    revokeOthers: (user, keepId, now, actor) =>
      prisma.$transaction(async (tx) => {
        const rows = await tx.signIn.updateManyAndReturn({
          where: { userId: user.id, ...live(now), ...(keepId === null ? {} : { id: { not: keepId } }) },
          data: { revokedAt: now },
          select: { id: true },
        })
        const signInsEnded = rows.map((row) => row.id)
        const entry = { actor, target: userTarget(user), detail: { signInsEnded } }
        if (signInsEnded.length > 0) await audit.record(tx, { action: 'sign_in.others_ended', ...entry })
        return signInsEnded
      }),
    revoke: (id, now, { because, holderId, keyHash, actorFor }) =>
      prisma.$transaction(async (tx) => {
        const [signIn] = await tx.signIn.updateManyAndReturn({
          where: {
            id,
            ...(holderId === undefined ? { revokedAt: null } : { ...live(now), userId: holderId }),
            ...(keyHash === undefined ? {} : { keyHash }),
          },
          data: { revokedAt: now },
          select: { userAgent: true, userId: true },
        })
        if (!signIn) return false
        const { userAgent, userId } = signIn
        const user = await tx.user.findUniqueOrThrow({ where: { id: userId }, select: { id: true, email: true } })
        const action = because === 'token_reused' ? 'sign_in.token_reused' : 'sign_in.ended'
        const entry = { actor: actorFor(user), target: { id, name: user.email }, detail: { userAgent } }
        await audit.record(tx, { action, ...entry })
        return true
      }),
  }
}

/** The user whose sign-ins are revoked, and the one to keep. */
export interface RevokeAll {
  readonly userId: string
  /** The sign-in that stays. */
  readonly keepId: string | null
  readonly now: Date
}

/**
 * Revokes a user's sign-ins in the transaction of the act that takes rights from them, and answers their ids. It
 * includes expired ones, because a clock may be set back.
 */
export async function revokeAll(
  tx: Pick<PrismaClient, 'signIn'>,
  { userId, keepId, now }: RevokeAll,
): Promise<string[]> {
  const rows = await tx.signIn.updateManyAndReturn({
    where: { userId, revokedAt: null, ...(keepId === null ? {} : { id: { not: keepId } }) },
    data: { revokedAt: now },
    select: { id: true },
  })
  return rows.map((row) => row.id)
}
