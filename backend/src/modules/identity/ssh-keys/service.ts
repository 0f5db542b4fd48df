/** SSH keys: with one of theirs, users reach agents by SSH as they do in a terminal. */
import { SSH_KEYS_MAX, type AddSshKey, type SshKey } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { Signal } from '../../../lib/emitter.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { storableName } from '../api-tokens/service.ts'
import { LAST_USE_EVERY_MS } from '../authenticate.ts'
import { actorOf, type Caller } from '../caller.ts'
import { readPublicKey } from './public-key.ts'
import type { KeyOfUser, KeyRefusal, SshKeyRepository, StoredSshKey } from './repository.ts'

/** What {@link SshKeyService} needs. */
export interface SshKeyDeps {
  readonly sshKeys: SshKeyRepository
  readonly clock: Clock
  readonly newId: NewId
  /** Gets the error of a listener that threw. */
  readonly onListenerError: (error: unknown) => void
}

/** The keys of users, for their own page and for the SSH server. */
export class SshKeyService {
  readonly #deps: SshKeyDeps
  readonly #removed: Signal<string>

  constructor(deps: SshKeyDeps) {
    this.#deps = deps
    this.#removed = new Signal(deps.onListenerError)
  }

  /** Newest first. */
  async list(userId: string): Promise<SshKey[]> {
    return (await this.#deps.sshKeys.list(userId)).map(presentKey)
  }

  /** Throws `VALIDATION`, `TOO_MANY_SSH_KEYS`, and `SSH_KEY_TAKEN` without a word about the user who has it. */
  async add(caller: Caller, { name, publicKey }: AddSshKey): Promise<SshKey> {
    const { sshKeys, newId, clock } = this.#deps
    const { line, fingerprint } = readPublicKey(publicKey)
    const added = await sshKeys.add(
      {
        id: newId(),
        userId: caller.userId,
        name: storableName(name, 'body.name'),
        publicKey: line,
        fingerprint,
        createdAt: new Date(clock.now()),
      },
      SSH_KEYS_MAX,
      actorOf(caller),
    )
    if (typeof added === 'string') throw REFUSALS[added]()
    return presentKey(added)
  }

  /** Throws `NOT_FOUND`. */
  async remove(caller: Caller, id: string): Promise<void> {
    if (!isUuid(id) || !(await this.#deps.sshKeys.remove(caller.userId, id, actorOf(caller)))) throw notFound()
    this.#removed.emit(id)
  }

  /** The key with this fingerprint (`SHA256:…`); null if no user has it, or its user is disabled. */
  find(fingerprint: string): Promise<KeyOfUser | null> {
    return this.#deps.sshKeys.find(fingerprint)
  }

  /** Stores the last use, at most once a minute. */
  async used(id: string, at: Date): Promise<void> {
    await this.#deps.sshKeys.touch(id, at, new Date(at.getTime() - LAST_USE_EVERY_MS))
  }

  /** Called with the id of each key that is removed, also with its user, before the request that did it is answered. */
  onRemoved(listener: (id: string) => void): void {
    this.#removed.on(listener)
  }

  /** Deletes a user with `remove`, and tells of the keys that went with them. */
  async leave(userId: string, remove: () => Promise<void>): Promise<void> {
    const ids = await this.#deps.sshKeys.idsOf(userId)
    await remove()
    for (const id of ids) this.#removed.emit(id)
  }
}

const presentKey = ({ createdAt, lastUsedAt, ...key }: StoredSshKey): SshKey => ({
  ...key,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
})

const REFUSALS: Readonly<Record<KeyRefusal, () => AppError>> = {
  yours: () => new AppError('SSH_KEY_TAKEN', 'You have this key already.'),
  taken: () => new AppError('SSH_KEY_TAKEN', 'This key is in use. Make another one: ssh-keygen -t ed25519'),
  too_many: () =>
    new AppError('TOO_MANY_SSH_KEYS', `You have ${SSH_KEYS_MAX} SSH keys, the maximum. Remove one first.`),
}
