/** API tokens in the database: only their hashes. */
import { SCOPES, type Role, type Scope } from '@slipway/protocol'
import type { PageStart } from '../../../lib/page.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'
import { recorded } from '../../audit/recorded-repository.ts'
import { Prisma, type PrismaClient } from '../../../database/generated/client.ts'

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

/** The user of a token that is valid now. */
export interface TokenUser {
  readonly tokenId: string
  readonly userId: string
  readonly email: string
  readonly role: Role
  readonly scopes: Scope[]
  readonly lastUsedAt: Date | null
}

/** API tokens; every query names the user to whom they belong. */
export interface ApiTokenRepository {
  /** Newest first; one row more than the page's limit if there is another page. */
  list(userId: string, page: PageStart): Promise<StoredApiToken[]>
  /** Null if the user has `max` tokens already. */
  create(token: NewApiToken, max: number, actor: Actor): Promise<StoredApiToken | null>
  /** False if the user has no such token. */
  remove(userId: string, id: string, actor: Actor): Promise<boolean>
  /** One query: the user of this token, if it has not expired and the user is not disabled. */
  findUser(tokenHash: string, now: Date): Promise<TokenUser | null>
  /** The same by the token's id. */
  findUserById(tokenId: string, userId: string, now: Date): Promise<TokenUser | null>
  /** When each of these tokens expires, null for never. Tokens that do not exist are left out. */
  expiries(ids: readonly string[]): Promise<Map<string, Date | null>>
  /** Stores the time of use, unless a use after `unlessSince` is stored already. */
  touch(id: string, now: Date, unlessSince: Date): Promise<void>
}

const COLUMNS = { id: true, name: true, scopes: true, createdAt: true, expiresAt: true, lastUsedAt: true } as const

/** A scope that a later version stored and this one does not know allows nothing here. */
export function knownScopes(scopes: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope))
}

/** Ids sort by age, so the list is sorted and paged by id. */
export function createApiTokenRepository(prisma: PrismaClient, audit: Audit): ApiTokenRepository {
  async function userOf(which: Prisma.Sql, now: Date): Promise<TokenUser | null> {
    const rows = await prisma.$queryRaw<TokenUser[]>`
      SELECT t."id" AS "tokenId", t."scopes", t."lastUsedAt", u."id" AS "userId", u."email", u."role"::text AS "role"
      FROM "ApiToken" t JOIN "User" u ON u."id" = t."userId"
      WHERE ${which} AND (t."expiresAt" IS NULL OR t."expiresAt" > ${now}) AND u."disabledAt" IS NULL`
    const row = rows[0]
    return row ? { ...row, scopes: knownScopes(row.scopes) } : null
  }

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
    create: (token, max, actor) => prisma.$transaction((tx) => storeApiToken(tx, audit, { token, max, actor })),
    remove: (userId, id, actor) =>
      recorded(prisma, audit, async (tx) => {
        const row = await tx.apiToken.findFirst({ where: { id, userId }, select: COLUMNS })
        const { count } = await tx.apiToken.deleteMany({ where: { id, userId } })
        if (!row || count === 0) return null
        const detail = { changes: changesOf('ApiToken', row, null) }
        return { actor, action: 'token.revoked', target: { id, name: row.name }, detail }
      }),
    findUser: (tokenHash, now) => userOf(Prisma.sql`t."tokenHash" = ${tokenHash}`, now),
    findUserById: (tokenId, userId, now) =>
      userOf(Prisma.sql`t."id" = ${tokenId}::uuid AND t."userId" = ${userId}::uuid`, now),
    async expiries(ids) {
      if (ids.length === 0) return new Map()
      const rows = await prisma.apiToken.findMany({
        where: { id: { in: [...ids] } },
        select: { id: true, expiresAt: true },
      })
      return new Map(rows.map((row) => [row.id, row.expiresAt]))
    },
    async touch(id, now, unlessSince) {
      await prisma.apiToken.updateMany({
        where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: unlessSince } }] },
        data: { lastUsedAt: now },
      })
    },
  }
}

/** Stores a token, and its row in the audit log. Null if the user has `max` tokens already. */
export async function storeApiToken(
  tx: Prisma.TransactionClient,
  audit: Pick<Audit, 'record'>,
  { token, max, actor }: { readonly token: NewApiToken; readonly max: number; readonly actor: Actor },
): Promise<StoredApiToken | null> {
  // Locks the user's row, so that two concurrent requests cannot both create the last allowed token.
  await tx.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${token.userId}::uuid FOR UPDATE`
  if ((await tx.apiToken.count({ where: { userId: token.userId } })) >= max) return null
  const row = await tx.apiToken.create({ data: token, select: COLUMNS })
  const detail = { changes: changesOf('ApiToken', null, row) }
  await audit.record(tx, { actor, action: 'token.created', target: { id: row.id, name: row.name }, detail })
  return { ...row, scopes: knownScopes(row.scopes) }
}
