/** Programs of other devices that wait for a token, in the database. */
import type { Scope } from '@slipway/protocol'
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { knownScopes, type NewApiToken, storeApiToken, type StoredApiToken } from '../api-tokens/repository.ts'
import { userTarget } from '../users/present.ts'

/** A number that no other advisory lock of this database has. */
const DEVICE_LOGINS_LOCK = 4_700_003

/** A request as a user sees it. */
export interface OpenDeviceLogin {
  readonly name: string
  readonly scopes: Scope[]
  readonly address: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** A new request. */
export interface NewDeviceLogin extends OpenDeviceLogin {
  readonly id: string
  readonly deviceHash: string
  readonly userCodeHash: string
  readonly network: string
}

/** How many requests may wait. */
interface Bounds {
  readonly perNetwork: number
  readonly ofAll: number
}

/** What a user has decided. `token` is null to deny. */
interface Decision {
  readonly userId: string
  readonly email: string
  readonly token: { readonly name: string; readonly scopes: Scope[]; readonly expiresInDays: number | null } | null
  /** The program collects the decision until then. */
  readonly collectUntil: Date
}

/** A user who has allowed a request, and what they have allowed. */
export interface AllowedLogin {
  readonly id: string
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly scopes: Scope[]
  readonly expiresInDays: number | null
}

/** What becomes of an allowed request: the token to store, who creates it, and how many the user may have. */
type TokenOf = (allowed: AllowedLogin) => {
  readonly token: NewApiToken
  readonly max: number
  readonly actor: Actor
}

export class DeviceLoginRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** False if too many requests wait. Expired ones are removed first. */
  async create(login: NewDeviceLogin, bounds: Bounds): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${DEVICE_LOGINS_LOCK})`
      await tx.deviceLogin.deleteMany({ where: { expiresAt: { lte: login.createdAt } } })
      if ((await tx.deviceLogin.count()) >= bounds.ofAll) return false
      if ((await tx.deviceLogin.count({ where: { network: login.network } })) >= bounds.perNetwork) return false
      await tx.deviceLogin.create({ data: login })
      return true
    })
  }

  /** A request that no user has decided yet. */
  async find(userCodeHash: string, now: Date): Promise<OpenDeviceLogin | null> {
    const row = await this.#prisma.deviceLogin.findFirst({
      where: { userCodeHash, userId: null, expiresAt: { gt: now } },
      select: { name: true, scopes: true, address: true, createdAt: true, expiresAt: true },
    })
    return row && { ...row, scopes: knownScopes(row.scopes) }
  }

  /** False if there is no such request, or a user has decided it already. */
  async decide(userCodeHash: string, now: Date, { token, ...by }: Decision, actor: Actor): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const where = { userCodeHash, userId: null, expiresAt: { gt: now } }
      const asked = await tx.deviceLogin.findFirst({ where })
      if (!asked) return false
      const data = { userId: by.userId, isAllowed: token !== null, expiresAt: by.collectUntil, ...token }
      // Of two users with the same code, one decides.
      if ((await tx.deviceLogin.updateMany({ where, data })).count === 0) return false
      const detail = { name: token?.name ?? asked.name, device: asked.address, ...(token && { scopes: token.scopes }) }
      const target = userTarget({ id: by.userId, email: by.email })
      await this.#audit.record(tx, { actor, action: token ? 'device.allowed' : 'device.denied', target, detail })
      return true
    })
  }

  /**
   * What was decided. A decision is answered once: it is removed, and an allowed request becomes a token. Null if there
   * is no such request, or its user is disabled; `full` if the user has too many tokens.
   */
  async collect(
    deviceHash: string,
    now: Date,
    tokenOf: TokenOf,
  ): Promise<StoredApiToken | 'pending' | 'denied' | 'full' | null> {
    return this.#prisma.$transaction(async (tx) => {
      const where = { deviceHash, expiresAt: { gt: now } }
      const found = await tx.deviceLogin.findFirst({ where, include: { user: true } })
      if (!found) return null
      const { user, id, name, scopes, expiresInDays } = found
      if (!user) return 'pending'
      // Of two requests for the same token, one gets it.
      if ((await tx.deviceLogin.deleteMany({ where: { id } })).count === 0) return null
      if (!found.isAllowed) return 'denied'
      if (user.disabledAt !== null) return null
      const wanted = tokenOf({
        id,
        userId: user.id,
        email: user.email,
        name,
        scopes: knownScopes(scopes),
        expiresInDays,
      })
      return (await storeApiToken(tx, this.#audit, wanted)) ?? 'full'
    })
  }
}
