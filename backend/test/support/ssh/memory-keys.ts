/** Keys of users in memory, in place of those in the database. */
import { randomUUID } from 'node:crypto'
import ssh2 from 'ssh2'
import { fingerprintOf } from '../../../src/modules/identity/ssh-keys/public-key.ts'
import type { SshKey, SshKeys } from '../../../src/modules/ssh/door/keys.ts'
import { newEd25519Pair } from '../../../src/modules/ssh/door/new-key.ts'

/** A new pair of keys in OpenSSH's form. */
export const newPair = (type: 'ed25519' | 'ecdsa' | 'rsa') => {
  const { generateKeyPairSync } = ssh2.utils
  if (type === 'rsa') return generateKeyPairSync('rsa', { bits: 2048 })
  return type === 'ecdsa' ? generateKeyPairSync('ecdsa', { bits: 256 }) : newEd25519Pair()
}

export class MemoryKeys implements SshKeys {
  readonly #keys = new Map<string, SshKey>()
  readonly #listeners: ((id: string) => void)[] = []
  /** The ids of the keys that were used, in order. */
  readonly uses: string[] = []
  #meanwhile: (lookups: number) => Promise<unknown> = () => Promise.resolve()
  #lookups = 0

  /** Adds a key in OpenSSH's form, as `ssh-keygen` writes it. Answers its id. */
  add(userId: string, line: string): string {
    const [type = '', base64 = ''] = line.trim().split(' ')
    const key = { id: randomUUID(), userId, publicKey: `${type} ${base64}` }
    this.#keys.set(fingerprintOf(Buffer.from(base64, 'base64')), key)
    return key.id
  }

  /** Makes a pair of keys for a user, and answers the private one. */
  make(userId: string, type: 'ed25519' | 'ecdsa' | 'rsa' = 'ed25519'): { readonly id: string; readonly key: string } {
    const pair = newPair(type)
    return { id: this.add(userId, pair.public), key: pair.private }
  }

  remove(id: string): void {
    for (const [fingerprint, key] of this.#keys) if (key.id === id) this.#keys.delete(fingerprint)
    for (const tell of this.#listeners) tell(id)
  }

  async find(fingerprint: string): Promise<SshKey | null> {
    this.#lookups += 1
    await this.#meanwhile(this.#lookups)
    return this.#keys.get(fingerprint) ?? null
  }

  /** From now on this happens while a key is looked up, before the answer. It gets how many look-ups there were. */
  during(meanwhile: (lookups: number) => Promise<unknown>): void {
    this.#lookups = 0
    this.#meanwhile = meanwhile
  }

  used(id: string): Promise<void> {
    this.uses.push(id)
    return Promise.resolve()
  }

  onRemoved(listener: (id: string) => void): void {
    this.#listeners.push(listener)
  }
}
