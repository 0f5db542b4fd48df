/** API tokens: programs act for a user, with a part of that user's rights. */
import {
  API_TOKEN_PREFIX,
  PAGE_LIMIT_DEFAULT,
  type ApiToken,
  type CreateApiToken,
  type CreatedApiToken,
  type PageQuery,
} from '@slipway/protocol'
import { DAY_MS, type Clock } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { pageOf, pageStart, type PageOf } from '../../../lib/page.ts'
import { newSecret, sha256 } from '../../../lib/secrets/secrets.ts'
import { actorOf, type Caller } from '../caller.ts'
import type { Revocations } from '../revocations.ts'
import type { ApiTokenRepository, StoredApiToken } from './repository.ts'

/** Most tokens that one user may have, expired ones included. */
export const MAX_TOKENS_PER_USER = 100

/** What {@link createApiTokenService} needs. */
export interface ApiTokenDeps {
  readonly apiTokens: ApiTokenRepository
  readonly revocations: Revocations
  readonly clock: Clock
  readonly newId: NewId
}

/** A user's API tokens. */
export interface ApiTokenService {
  list(userId: string, query: PageQuery): Promise<PageOf<ApiToken>>
  /** Only this answer contains the token. Throws `TOO_MANY_TOKENS`, `VALIDATION`. */
  create(caller: Caller, body: CreateApiToken): Promise<CreatedApiToken>
  /** Throws `NOT_FOUND`. */
  remove(caller: Caller, id: string): Promise<void>
}

/** A token as the API shows it. */
export function presentToken(token: StoredApiToken): ApiToken {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  }
}

/** Tokens are random, so one round of SHA-256 suffices: guessing is hopeless. */
export function createApiTokenService({ apiTokens, revocations, clock, newId }: ApiTokenDeps): ApiTokenService {
  return {
    async list(userId, query) {
      const page = pageStart(query, PAGE_LIMIT_DEFAULT, isUuid)
      return pageOf(await apiTokens.list(userId, page), page.limit, (token) => token.id, presentToken)
    },
    async create(caller, { name, scopes, expiresInDays }) {
      const storable = storableName(name, 'body.name')
      const token = API_TOKEN_PREFIX + newSecret()
      const now = clock.now()
      const stored = await apiTokens.create(
        {
          id: newId(),
          userId: caller.userId,
          name: storable,
          tokenHash: sha256(token),
          scopes,
          createdAt: new Date(now),
          expiresAt: expiresInDays === undefined ? null : new Date(now + expiresInDays * DAY_MS),
        },
        MAX_TOKENS_PER_USER,
        actorOf(caller),
      )
      if (!stored) throw tooManyTokens()
      return { ...presentToken(stored), token }
    },
    async remove(caller, id) {
      if (!isUuid(id) || !(await apiTokens.remove(caller.userId, id, actorOf(caller)))) throw notFound()
      revocations.emit({ kind: 'api_token', tokenId: id, because: 'revoked' })
    },
  }
}

/** A name without the blanks around it. Throws `VALIDATION`. */
export function storableName(name: string, field: string): string {
  // PostgreSQL's text can store every character but this one.
  if (name.includes('\0')) throw new AppError('VALIDATION', `${field}: must not contain the character NUL`)
  return name.trim()
}

export const tooManyTokens = (): AppError =>
  new AppError('TOO_MANY_TOKENS', `You have ${MAX_TOKENS_PER_USER} API tokens, the maximum. Delete one first.`)
