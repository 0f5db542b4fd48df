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
  /** Null: from before there were refresh keys. */
  readonly keyHash: string | null
  /** Hash of the token that the newest one replaced, and when it did; null before the first exchange. */
  readonly previousHash: string | null
  readonly rotatedAt: Date | null
  readonly user: StoredUser
}

/** The next refresh token of a sign-in, in place of the one with `oldHash`. */
export interface Rotation {
  readonly oldHash: string
  readonly newHash: string
  readonly now: Date
  readonly expiresAt: Date
  /** What is presented is not the newest but the one before it: the grace goes on from the exchange that was lost. */
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
  /** As they were when they proved who they are. */
  readonly user: Holder & Pick<StoredUser, 'passwordHash'>
  readonly by: 'password' | 'link'
  readonly actor: Actor
}

/** Why a sign-in ends, and who ends it; their name may be that of its holder. */
export interface Closing {
  readonly because: 'signed_out' | 'token_reused'
  /** Whose it has to be; anybody's where nothing is said, for those who hold its token. */
  readonly holderId?: string
  /** Hash that its refresh key has to have; any where nothing is said. */
  readonly keyHash?: string
  readonly actorFor: (holder: Holder) => Actor
}

/** Sign-ins, by id. What is changed is recorded in the same transaction, but for refreshing. */
export interface SignInRepository {
  /**
   * Also deletes what of the user's can be of no use any more. False, and nothing is done, where they have another password
   * by now, are disabled, or are gone.
   */
  create(signIn: NewSignIn, opening: Opening): Promise<boolean>
  findLive(id: string, now: Date): Promise<LiveSignIn | null>
  /** One query: who is behind this sign-in, if it is live and theirs. */
  findUser(id: string, userId: string, now: Date): Promise<SignedInUser | null>
  /** Compare and swap: false where the token was no longer the newest, or the sign-in was revoked. */
  rotate(id: string, rotation: Rotation): Promise<boolean>
  /** A user's live ones, newest first; one more than the page's limit where there is more. */
  list(userId: string, page: PageStart, now: Date): Promise<StoredSignIn[]>
  /** When each of them expires; of those that are there and not revoked. */
  expiries(ids: readonly string[]): Promise<Map<string, Date>>
  /** False where it was revoked before, or is not there. */
  revoke(id: string, now: Date, closing: Closing): Promise<boolean>
  /** Revokes all of a user's but `keepId`; answers which. */
  revokeOthers(user: Holder, keepId: string | null, now: Date, actor: Actor): Promise<string[]>
}

/**
 * Whether the user is as they were when they proved themselves, which may be seconds ago where many wait for their password to be
 * compared. Until the transaction ends they stay so: whoever changes the password or disables them comes after it, and finds the
 * new sign-in among those to be revoked.
 */
async function isUnchanged(tx: Prisma.TransactionClient, { id, passwordHash }: Opening['user']): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "User" WHERE "id" = ${id}::uuid AND "passwordHash" = ${passwordHash} AND "disabledAt" IS NULL FOR SHARE`
  return rows.length > 0
}

/** All of a user's sign-ins that are over are deleted at their next one. */
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
      // Every request comes through here; Prisma would make two queries of it, one for each table.
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

/** Whose sign-ins to revoke, and but which. */
export interface RevokeAll {
  readonly userId: string
  /** The one that goes on. */
  readonly keepId: string | null
  readonly now: Date
}

/**
 * Ends the sign-ins of a user in the transaction of the act that takes something from them, and answers which. Also those that have
 * expired: a clock may be put back.
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
