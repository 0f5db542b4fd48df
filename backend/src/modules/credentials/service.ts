/** Sets, lists, removes, tests and decrypts credentials. Lists hold no secrets, and decryption is for one exec. */
import type { Credential, CredentialKind, CredentialTest, SetCredential } from '@slipway/protocol'
import { type Clock, MINUTE_MS, SECOND_MS } from '../../lib/time/clock.ts'
import type { Signal } from '../../lib/emitter.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import { FailureThrottle } from '../../lib/failure-throttle.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Audit } from '../audit/audit.ts'
import { changesOf } from '../audit/audited.ts'
import { actorOf, type Caller } from '../identity/caller.ts'
import { checkedAddress } from './address.ts'
import type { OpenCredential } from './provision/environment.ts'
import type { Keyring } from './secret-key/keyring.ts'
import { type CredentialOwner, type Holder, ownerKey, targetOf } from './owner.ts'
import type { Prober } from './probe/prober.ts'
import type { CredentialRepository, NewCredential, StoredCredential } from './repository.ts'
import type { SecretKeyState } from './secret-key/state.ts'

/** Characters from the end of a secret that are shown. */
const HINT_LENGTH = 4
/** Shortest secret of which some characters are shown, in characters. */
const HINT_FROM_LENGTH = 20

/** Tests that one user may request in a minute. */
const TESTS = { maxFailures: 30, windowMs: MINUTE_MS, maxKeys: 10_000 }

/** The secret that a user set a credential to. */
export interface SetSecret {
  readonly owner: CredentialOwner
  readonly secret: string
}

/** Whether a program of this user in this agent may show the secret. */
export const mayShow = (
  { owner }: Pick<SetSecret, 'owner'>,
  userId: string,
  agent: { readonly id: string; readonly ownerId: string | null },
): boolean =>
  owner.type === 'platform' ||
  (owner.type === 'agent' ? owner.id === agent.id : owner.id === userId || owner.id === agent.ownerId)

interface Parts {
  readonly repository: CredentialRepository
  readonly keyring: Keyring
  readonly state: SecretKeyState
  readonly prober: Prober
  readonly audit: Pick<Audit, 'recordNow'>
  readonly clock: Clock
  readonly newId: NewId
  readonly wasSet: Signal<SetSecret>
}

export class CredentialService {
  readonly #parts: Parts
  /** Counts every test, successful or not: each makes the server send a request. */
  readonly #tests: FailureThrottle

  constructor(parts: Parts) {
    this.#parts = parts
    this.#tests = new FailureThrottle(TESTS, parts.clock)
  }

  /** Without secrets, sorted by kind. */
  async list(owner: CredentialOwner): Promise<Credential[]> {
    return (await this.#parts.repository.of(owner)).map((row) => this.#present(row))
  }

  /** Throws `VALIDATION`, `NOT_FOUND`, `SECRET_KEY_MISMATCH`, `AUDIT_REFUSED`. */
  async set(caller: Caller, holder: Holder, kind: CredentialKind, body: SetCredential): Promise<Credential> {
    const { repository, keyring, state, clock, newId, wasSet } = this.#parts
    const { owner } = holder
    const address = checkedAddress(kind, body.address)
    const place = { owner: ownerKey(owner), kind, address }
    const sealedWith = (keyId: string | null): NewCredential => {
      const sealed = keyring.seal(state.keyForWriting(keyId), place, body.value)
      const setAt = new Date(clock.now())
      return { id: newId(), kind, address, ...sealed, setById: caller.userId, setAt }
    }
    const stored = await repository.set(owner, sealedWith, (before, after) => {
      const detail = { of: owner.type, kind, changes: changesOf('Credential', before, after) }
      return { actor: actorOf(caller), action: 'credential.set', target: targetOf(holder), detail }
    })
    // The agent was deleted meanwhile.
    if (!stored) throw notFound()
    wasSet.emit({ owner, secret: body.value })
    return this.#present(stored)
  }

  /** Throws `NOT_FOUND` if it is not set. */
  async remove(caller: Caller, holder: Holder, kind: CredentialKind): Promise<void> {
    const { owner } = holder
    const detail = { of: owner.type, kind }
    const entry = { actor: actorOf(caller), action: 'credential.removed', target: targetOf(holder), detail } as const
    if (!(await this.#parts.repository.remove(owner, kind, entry))) throw notFound()
  }

  /** Asks the provider. Throws `NOT_FOUND` if it is not set, and `TOO_MANY_REQUESTS`. */
  async test(caller: Caller, holder: Holder, kind: CredentialKind): Promise<CredentialTest> {
    const { repository, audit, prober } = this.#parts
    const { owner } = holder
    const stored = await repository.find(owner, kind)
    if (!stored) throw notFound()
    this.#countTest(caller)
    const detail = { of: owner.type, kind, address: stored.address }
    const entry = { actor: actorOf(caller), action: 'credential.tested', target: targetOf(holder), detail } as const
    // Recorded before the test, since the test sends the secret to the provider.
    await audit.recordNow(entry)
    const open = this.open(stored)
    if (open) return prober.ask(open)
    return { result: 'unclear', message: 'It cannot be read with the secret key of this server. Set it again.' }
  }

  /** The credential with its secret; null if this server cannot decrypt it. */
  open(stored: StoredCredential): OpenCredential | null {
    const { kind, address } = stored
    const secret = this.#parts.keyring.open(stored, stored)
    return secret === null ? null : { kind, address, secret }
  }

  #countTest({ userId }: Caller): void {
    const blockedMs = this.#tests.blockedFor(userId)
    this.#tests.fail(userId)
    if (blockedMs === 0) return
    const message = 'You have tested many credentials just now. Wait a minute, then try again.'
    throw new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: Math.ceil(blockedMs / SECOND_MS) })
  }

  #present(stored: StoredCredential): Credential {
    const { kind, address, setAt, setBy } = stored
    const secret = this.open(stored)?.secret ?? null
    const hint = secret !== null && secret.length >= HINT_FROM_LENGTH ? secret.slice(-HINT_LENGTH) : null
    return { kind, address, hint, readable: secret !== null, setAt: setAt.toISOString(), setBy }
  }
}
