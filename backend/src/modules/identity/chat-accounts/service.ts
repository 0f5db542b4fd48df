/** Links accounts of chat services to users: a signed-in user makes a code, and enters it with the account. */
import { randomInt } from 'node:crypto'
import { type Clock, MINUTE_MS } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/errors.ts'
import type { NewId } from '../../../lib/ids.ts'
import { sha256 } from '../../../lib/secrets.ts'
import { actorOf, type Caller } from '../caller.ts'
import type { ChatAccountRepository, ChatAccountRow } from './repository.ts'

/** How long a code is valid, in milliseconds. */
export const CODE_VALID_MS = 10 * MINUTE_MS
/** Wrong codes of one account, and of all accounts together, within {@link CODE_VALID_MS}. */
export const GUESSES_PER_ACCOUNT = 5
export const GUESSES_OF_ALL = 200
/** Accounts whose guesses are counted. Beyond them, no further account may guess until the time is over. */
const GUESSERS_MAX = GUESSES_OF_ALL

/** Letters and digits that are not mistaken for each other (Crockford's base 32). Ten of them are 50 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 10

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
  /** Wrong codes by account, since {@link #countedSince}. */
  readonly #guesses = new Map<string, number>()
  #countedSince = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  of(caller: Caller, service: string): Promise<ChatAccountRow | null> {
    return this.#deps.accounts.of(caller.userId, service)
  }

  /** A code that links one account to the caller, within {@link CODE_VALID_MS}. It replaces their earlier code. */
  async createCode(caller: Caller, service: string): Promise<{ code: string; expiresAt: Date }> {
    const { accounts, clock } = this.#deps
    const letters = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
    const expiresAt = new Date(clock.now() + CODE_VALID_MS)
    await accounts.putCode(caller, { service, codeHash: sha256(letters), expiresAt }, actorOf(caller))
    return { code: `${letters.slice(0, 5)}-${letters.slice(5)}`, expiresAt }
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
    if (this.#isLimited(guesser)) return 'limited'
    const [id, createdAt] = [newId(), new Date(clock.now())]
    const row = { id, service, accountId: account.id, name: account.name, createdAt }
    const linked = await accounts.link(row, sha256(normalized(code)), ({ userId, email }) => ({
      ...{ userId, email, via: { kind: 'discord', id } },
      source: { address: null, requestId },
    }))
    if (linked) {
      this.#guesses.delete(guesser)
      return 'linked'
    }
    this.#guesses.set(guesser, (this.#guesses.get(guesser) ?? 0) + 1)
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

  #isLimited(guesser: string): boolean {
    const now = this.#deps.clock.now()
    if (now - this.#countedSince >= CODE_VALID_MS) {
      this.#guesses.clear()
      this.#countedSince = now
    }
    const all = [...this.#guesses.values()].reduce((sum, count) => sum + count, 0)
    if (all >= GUESSES_OF_ALL || this.#guesses.size >= GUESSERS_MAX) return true
    return (this.#guesses.get(guesser) ?? 0) >= GUESSES_PER_ACCOUNT
  }
}

/** As people type it: small letters, spaces, and letters that look like digits. */
const normalized = (code: string): string =>
  code
    .slice(0, 100)
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
