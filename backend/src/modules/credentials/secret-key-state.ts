/** Which secret key the stored credentials belong to: known by its id alone, checked when the server starts. */
import type { SecretKeyStatus } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import type { Keyring } from './keyring.ts'
import type { Transaction } from './repository.ts'

/** The one row. */
const ID = 1

export class SecretKeyState {
  readonly #prisma: PrismaClient
  readonly #keyring: Keyring

  constructor(prisma: PrismaClient, keyring: Keyring) {
    this.#prisma = prisma
    this.#keyring = keyring
  }

  /** Notes the key at the first start, and says in the log when the one of now is another. The server goes on without it. */
  async check(log: Log): Promise<void> {
    await this.#prisma.$transaction((tx) => this.#adopt(tx))
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
    const row = await this.#prisma.secretKeyState.findUnique({ where: { id: ID } })
    if (!row || row.keyId === this.#keyring.current) return { state: 'current' }
    return { state: this.#keyring.has(row.keyId) ? 'rotating' : 'wrong' }
  }

  /**
   * The id of the key to encrypt with, held until the transaction's end: a rotation waits for it. Throws
   * `SECRET_KEY_MISMATCH` where this server does not have that key, so that nobody writes what nobody else can read.
   */
  async keyForWriting(tx: Transaction): Promise<string> {
    const rows = await tx.$queryRaw<
      { keyId: string }[]
    >`SELECT "keyId" FROM "SecretKeyState" WHERE "id" = ${ID} FOR SHARE`
    const keyId = rows[0]?.keyId ?? this.#keyring.current
    if (!this.#keyring.has(keyId))
      throw new AppError(
        'SECRET_KEY_MISMATCH',
        "The server's secret key is not the one that the stored credentials were encrypted with. Its log says what to do.",
      )
    return keyId
  }

  /** Where nothing is encrypted yet, any key is the right one. */
  async #adopt(tx: Transaction): Promise<void> {
    const keyId = this.#keyring.current
    await tx.secretKeyState.createMany({ data: [{ id: ID, keyId }], skipDuplicates: true })
    await tx.$queryRaw`SELECT 1 FROM "SecretKeyState" WHERE "id" = ${ID} FOR UPDATE`
    if ((await tx.credential.count()) === 0) await tx.secretKeyState.update({ where: { id: ID }, data: { keyId } })
  }
}
