/**
 * Checks at the start of the server which secret key the stored credentials belong to. It compares only the key's id.
 */
import type { SecretKeyStatus } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import type { Log } from '../../../lib/log.ts'
import type { Keyring } from './keyring.ts'
import type { SecretKeyRepository } from './repository.ts'

export class SecretKeyState {
  readonly #repository: SecretKeyRepository
  readonly #keyring: Keyring

  constructor(repository: SecretKeyRepository, keyring: Keyring) {
    this.#repository = repository
    this.#keyring = keyring
  }

  /** Stores the key at the first start. If the current key is another one, it logs that and the server continues. */
  async check(log: Log): Promise<void> {
    await this.#repository.adopt(this.#keyring.current)
    const { state } = await this.status()
    if (state === 'rotating')
      log.warn('the rotation of the secret key is not finished: stop the server and run `npm run rotate-key`')
    if (state === 'wrong')
      log.error(
        'the secret key is not the one that the stored credentials were encrypted with: they cannot be used until the ' +
          'server is started with that key, or `npm run rotate-key -- --discard-unreadable` gives them up',
      )
  }

  async status(): Promise<SecretKeyStatus> {
    const keyId = await this.#repository.keyId()
    if (keyId === null || keyId === this.#keyring.current) return { state: 'current' }
    return { state: this.#keyring.has(keyId) ? 'rotating' : 'wrong' }
  }

  /**
   * The id of the key to encrypt with; `inForce` is the id of the key in force. Throws `SECRET_KEY_MISMATCH` if this
   * server lacks that key. Otherwise it would write secrets that no other server can read.
   */
  keyForWriting(inForce: string | null): string {
    const keyId = inForce ?? this.#keyring.current
    if (!this.#keyring.has(keyId))
      throw new AppError(
        'SECRET_KEY_MISMATCH',
        "The stored credentials were encrypted with another secret key than this server's. The server's log says what to do.",
      )
    return keyId
  }
}
