/** Accounts of chat services that are linked to users, and the codes that link them. */
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'

/** A linked account. */
export interface ChatAccountRow {
  readonly id: string
  readonly service: string
  readonly accountId: string
  readonly name: string
  readonly userId: string
  readonly createdAt: Date
}

/** A user, as the audit log names them. */
interface ChatUser {
  readonly userId: string
  readonly email: string
}

const enabled = { user: { is: { disabledAt: null } } } as const

export class ChatAccountRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  async of(userId: string, service: string): Promise<ChatAccountRow | null> {
    return this.#prisma.chatAccount.findUnique({ where: { service_userId: { service, userId } } })
  }

  /** The account with its user, unless the user is disabled. */
  async find(service: string, accountId: string) {
    return this.#prisma.chatAccount.findFirst({ where: { service, accountId, ...enabled }, include: { user: true } })
  }

  /** The user of a link that still holds. */
  async findUser(id: string, userId: string) {
    const found = await this.#prisma.chatAccount.findFirst({
      where: { id, userId, ...enabled },
      include: { user: true },
    })
    return found?.user ?? null
  }

  /** Stores a code of a user. It replaces their earlier one. */
  async putCode(
    { userId, email }: ChatUser,
    code: { readonly service: string; readonly codeHash: string; readonly expiresAt: Date },
    actor: Actor,
  ): Promise<void> {
    const { service, codeHash, expiresAt } = code
    await this.#prisma.$transaction(async (tx) => {
      const where = { userId_service: { userId, service } }
      await tx.chatCode.upsert({ where, create: { userId, ...code }, update: { codeHash, expiresAt } })
      const target = { id: userId, name: email }
      await this.#audit.record(tx, { actor, action: 'chat.code_created', target, detail: { service } })
    })
  }

  /**
   * Uses a code up and links the account to its user. An earlier link of either of them ends. Null if there is no such
   * code that is valid, or its user is disabled.
   */
  async link(
    account: Omit<ChatAccountRow, 'userId'>,
    codeHash: string,
    actorOf: (user: ChatUser) => Actor,
  ): Promise<ChatAccountRow | null> {
    const { service, accountId, createdAt: now } = account
    return this.#prisma.$transaction(async (tx) => {
      const where = { codeHash, service, expiresAt: { gt: now }, ...enabled }
      const code = await tx.chatCode.findFirst({ where, include: { user: { select: { email: true } } } })
      if (!code) return null
      const { userId } = code
      // Of two accounts with the same code, one gets it.
      if ((await tx.chatCode.deleteMany({ where: { codeHash } })).count === 0) return null
      await tx.chatAccount.deleteMany({ where: { service, OR: [{ accountId }, { userId }] } })
      const row = await tx.chatAccount.create({ data: { ...account, userId } })
      const { email } = code.user
      const entry = {
        actor: actorOf({ userId, email }),
        action: 'chat.linked',
        target: { id: userId, name: email },
      } as const
      await this.#audit.record(tx, { ...entry, detail: { service, account: accountId, name: account.name } })
      return row
    })
  }

  /** False if none is linked. */
  async unlink({ userId, email }: ChatUser, service: string, actor: Actor): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const row = await tx.chatAccount.findUnique({ where: { service_userId: { service, userId } } })
      await tx.chatCode.deleteMany({ where: { userId, service } })
      if (!row) return false
      await tx.chatAccount.delete({ where: { id: row.id } })
      const detail = { service, account: row.accountId, name: row.name }
      await this.#audit.record(tx, { actor, action: 'chat.unlinked', target: { id: userId, name: email }, detail })
      return true
    })
  }
}
