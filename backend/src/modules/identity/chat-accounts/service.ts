/** Links accounts of chat services to users: a signed-in user makes a code, and enters it with the account. */
import type { Clock } from '../../../lib/time/clock.ts'
import { notFound } from '../../../lib/errors.ts'
import type { NewId } from '../../../lib/ids.ts'
import { sha256 } from '../../../lib/secrets/secrets.ts'
import { actorOf, type Caller } from '../caller.ts'
import { CODE_VALID_MS, Guesses, newCode, plainCode } from '../codes.ts'
import type { ChatAccountRepository, ChatAccountRow } from './repository.ts'

/** An account, as its service names it. */
export interface RemoteAccount {
  readonly id: string
  readonly name: string
}

interface Deps {
  readonly accounts: ChatAccountRepository
  readonly newId: NewId
  readonly clock: Clock
}

export class ChatAccountService {
  readonly #deps: Deps
  readonly #guesses: Guesses

  constructor(deps: Deps) {
    this.#deps = deps
    this.#guesses = new Guesses(deps.clock)
  }

  of(caller: Caller, service: string): Promise<ChatAccountRow | null> {
    return this.#deps.accounts.of(caller.userId, service)
  }

  /** A code that links one account to the caller, within {@link CODE_VALID_MS}. It replaces their earlier code. */
  async createCode(caller: Caller, service: string): Promise<{ code: string; expiresAt: Date }> {
    const { accounts, clock } = this.#deps
    const { plain, shown } = newCode()
    const expiresAt = new Date(clock.now() + CODE_VALID_MS)
    await accounts.putCode(caller, { service, codeHash: sha256(plain), expiresAt }, actorOf(caller))
    return { code: shown, expiresAt }
  }

  /** `limited`: too many wrong codes; they may try again later. */
  async link(
    service: string,
    account: RemoteAccount,
    code: string,
    requestId: string,
  ): Promise<'linked' | 'wrong' | 'limited'> {
    const { accounts, newId, clock } = this.#deps
    const guesser = `${service} ${account.id}`
    if (this.#guesses.isLimited(guesser)) return 'limited'
    const [id, createdAt] = [newId(), new Date(clock.now())]
    const row = { id, service, accountId: account.id, name: account.name, createdAt }
    const linked = await accounts.link(row, sha256(plainCode(code)), ({ userId, email }) => ({
      ...{ userId, email, via: { kind: 'discord', id } },
      source: { address: null, requestId },
    }))
    if (linked) {
      this.#guesses.right(guesser)
      return 'linked'
    }
    this.#guesses.wrong(guesser)
    return 'wrong'
  }

  /** Throws `NOT_FOUND` if none is linked. */
  async unlink(caller: Caller, service: string): Promise<void> {
    if (!(await this.#deps.accounts.unlink(caller, service, actorOf(caller)))) throw notFound()
  }

  /** The user of an account, as the caller of what they do there; null if none is linked, or the user is disabled. */
  async callerOf(service: string, accountId: string, requestId: string): Promise<Caller | null> {
    const found = await this.#deps.accounts.find(service, accountId)
    if (!found) return null
    const { email, role } = found.user
    const source = { address: null, requestId }
    return { userId: found.userId, email, role, via: { kind: 'discord', linkId: found.id }, source }
  }
}
