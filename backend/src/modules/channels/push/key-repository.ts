/** The keys with which the server signs its pushes (RFC 8292). They are made at the first start, and encrypted as credentials are. */
import { createECDH } from 'node:crypto'
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { Log } from '../../../lib/log.ts'
import type { Keyring } from '../../credentials/secret-key/keyring.ts'
import { PUSH_PLACE } from '../../credentials/secret-key/push-place.ts'
import { keyIdForWriting } from '../../credentials/secret-key/repository.ts'
import type { SecretKeyState } from '../../credentials/secret-key/state.ts'

/** Both as base64url: a point of P-256, uncompressed, and its scalar. */
export interface PushKeys {
  readonly publicKey: string
  readonly privateKey: string
}

interface Deps {
  readonly prisma: PrismaClient
  readonly keyring: Keyring
  readonly state: Pick<SecretKeyState, 'status' | 'keyForWriting'>
  readonly log: Log
}

export class PushKeyRepository {
  readonly #deps: Deps
  #keys: PushKeys | null = null

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Null before {@link load}, and if the stored keys cannot be decrypted. */
  get keys(): PushKeys | null {
    return this.#keys
  }

  /** Reads the keys, or makes them. Keys of a secret key that is given up are replaced, together with their devices. */
  async load(): Promise<void> {
    const { prisma, keyring, state, log } = this.#deps
    const stored = await prisma.pushKeys.findFirst()
    const privateKey = stored && keyring.open(stored, PUSH_PLACE)
    if (stored && privateKey !== null) return void (this.#keys = { publicKey: stored.publicKey, privateKey })
    const { state: secretKey } = await state.status()
    if (secretKey === 'current' || (secretKey === 'rotating' && !stored))
      this.#keys = await this.#make(stored?.keyId ?? null)
    else log.error('the keys for pushes cannot be read with this secret key: nothing is pushed')
  }

  /** `replaced` is the secret key of the row that is there. Of two servers that start at once, one makes the keys. */
  async #make(replaced: string | null): Promise<PushKeys> {
    const { prisma, keyring, state } = this.#deps
    return prisma.$transaction(async (tx) => {
      const keyId = state.keyForWriting(await keyIdForWriting(tx))
      if (replaced !== null) await tx.pushKeys.deleteMany({ where: { keyId: replaced } })
      const made = newKeys()
      const row = { publicKey: made.publicKey, ...keyring.seal(keyId, PUSH_PLACE, made.privateKey) }
      const { count } = await tx.pushKeys.createMany({ data: [row], skipDuplicates: true })
      // A browser takes pushes with the key only with which it subscribed.
      if (count > 0) await tx.pushDevice.deleteMany()
      const stored = await tx.pushKeys.findFirstOrThrow()
      const privateKey = keyring.open(stored, PUSH_PLACE)
      if (privateKey === null) throw new Error('the keys for pushes were made with another secret key at the same time')
      return { publicKey: stored.publicKey, privateKey }
    })
  }
}

const newKeys = (): PushKeys => {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  // 32 bytes, with their leading zeros.
  const scalar = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32)
  return { publicKey: pair.getPublicKey('base64url'), privateKey: scalar.toString('base64url') }
}
