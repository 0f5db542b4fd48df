/** API tokens in the database: only their hashes. */
import { SCOPES, type Role, type Scope } from '@slipway/protocol'
import type { PageStart } from '../../../lib/page.ts'
import type { PrismaClient } from '../../../plugins/database/generated/client.ts'

/** A token as stored, without its hash. */
export interface StoredApiToken {
  readonly id: string
  readonly name: string
  readonly scopes: Scope[]
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
}

/** A new token. */
export interface NewApiToken extends Omit<StoredApiToken, 'lastUsedAt'> {
  readonly userId: string
  readonly tokenHash: string
}

/** The person behind a token that is valid now. */
export interface TokenUser {
  readonly tokenId: string
  readonly userId: string
  readonly email: string
  readonly role: Role
  readonly scopes: Scope[]
  readonly lastUsedAt: Date | null
}

/** API tokens; every query names the user whose they are. */
export interface ApiTokenRepository {
  /** Newest first; one more than the page's limit where there is more. */
  list(userId: string, page: PageStart): Promise<StoredApiToken[]>
  /** Null where the user has `max` already. */
  create(token: NewApiToken, max: number): Promise<StoredApiToken | null>
  /** False where the user has no such token. */
  remove(userId: string, id: string): Promise<boolean>
  /** One query: whose token this is, if it has not expired and its user is not disabled. */
  findUser(tokenHash: string, now: Date): Promise<TokenUser | null>
  /** Notes a use, unless one after `unlessSince` is noted already. */
  touch(id: string, now: Date, unlessSince: Date): Promise<void>
}

const COLUMNS = { id: true, name: true, scopes: true, createdAt: true, expiresAt: true, lastUsedAt: true } as const

/** A scope that a later version stored and this one does not know gives no right here. */
function knownScopes(scopes: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope))
}

/** Ids are sorted by age, so the list is sorted and paged by them. */
export function createApiTokenRepository(prisma: PrismaClient): ApiTokenRepository {
  return {
    async list(userId, { limit, after }) {
      const rows = await prisma.apiToken.findMany({
        where: { userId, ...(after === null ? {} : { id: { lt: after } }) },
        orderBy: { id: 'desc' },
        take: limit + 1,
        select: COLUMNS,
      })
      return rows.map((row) => ({ ...row, scopes: knownScopes(row.scopes) }))
    },
    create: (token, max) =>
      prisma.$transaction(async (tx) => {
        // Holds the user's row, so that two at once cannot both be the last that fits.
        await tx.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${token.userId}::uuid FOR UPDATE`
        if ((await tx.apiToken.count({ where: { userId: token.userId } })) >= max) return null
        const row = await tx.apiToken.create({ data: token, select: COLUMNS })
        return { ...row, scopes: knownScopes(row.scopes) }
      }),
    async remove(userId, id) {
      const { count } = await prisma.apiToken.deleteMany({ where: { id, userId } })
      return count === 1
    },
    async findUser(tokenHash, now) {
      const rows = await prisma.$queryRaw<TokenUser[]>`
        SELECT t."id" AS "tokenId", t."scopes", t."lastUsedAt", u."id" AS "userId", u."email", u."role"::text AS "role"
        FROM "ApiToken" t JOIN "User" u ON u."id" = t."userId"
        WHERE t."tokenHash" = ${tokenHash}
          AND (t."expiresAt" IS NULL OR t."expiresAt" > ${now}) AND u."disabledAt" IS NULL`
      const row = rows[0]
      return row ? { ...row, scopes: knownScopes(row.scopes) } : null
    },
    async touch(id, now, unlessSince) {
      await prisma.apiToken.updateMany({
        where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: unlessSince } }] },
        data: { lastUsedAt: now },
      })
    },
  }
}
