/** Encrypts every stored credential with the newest key. May be interrupted anywhere, and begun again. */
import type { PrismaClient } from '../../plugins/database/generated/client.ts'
import type { Keyring } from './keyring.ts'
import type { Transaction } from './repository.ts'

/** Rows of one transaction: small, since the embedded database does nothing else meanwhile. */
const BATCH = 50
/** The one row of the state. */
const STATE_ID = 1

/** The stored credentials belong to a key that is not in the keyring; nothing was changed. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError'

  constructor() {
    super('the stored credentials were encrypted with another secret key')
  }
}

export interface Rotation {
  readonly rotated: number
  /** Those that no key here opens, which are as they were, or gone when they were to be given up. */
  readonly unreadable: readonly { readonly owner: string; readonly kind: string }[]
}

export interface RotateOptions {
  /** Removes what cannot be read in place of keeping it. */
  readonly discardUnreadable?: boolean
  /** Told after each transaction. */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * From its first step on, everything new is encrypted with the newest key, by every server on this database that has it; one
 * that has not refuses to write. Until the last, both keys are needed. Throws {@link WrongKeyError}.
 */
export async function rotate(prisma: PrismaClient, keyring: Keyring, options: RotateOptions = {}): Promise<Rotation> {
  const { discardUnreadable = false, onProgress } = options
  await prisma.$transaction((tx) => switchKey(tx, keyring, discardUnreadable))
  const old = { keyId: { not: keyring.current } }
  const total = await prisma.credential.count({ where: old })
  const unreadable: { id: string; owner: string; kind: string }[] = []
  let rotated = 0
  for (let after: string | null = null; ;) {
    const batch = await prisma.$transaction((tx) => reseal(tx, keyring, after))
    if (batch === null) break
    after = batch.last
    rotated += batch.rotated
    unreadable.push(...batch.unreadable)
    onProgress?.(rotated + unreadable.length, total)
  }
  if (discardUnreadable)
    await prisma.credential.deleteMany({ where: { ...old, id: { in: unreadable.map(({ id }) => id) } } })
  return { rotated, unreadable: unreadable.map(({ owner, kind }) => ({ owner, kind })) }
}

/** Waits for whoever is writing with the key of before. */
async function switchKey(tx: Transaction, keyring: Keyring, force: boolean): Promise<void> {
  const keyId = keyring.current
  await tx.secretKeyState.createMany({ data: [{ id: STATE_ID, keyId }], skipDuplicates: true })
  const rows = await tx.$queryRaw<{ keyId: string }[]>`
    SELECT "keyId" FROM "SecretKeyState" WHERE "id" = ${STATE_ID} FOR UPDATE`
  if (!force && !rows.every((row) => keyring.has(row.keyId))) throw new WrongKeyError()
  await tx.secretKeyState.update({ where: { id: STATE_ID }, data: { keyId } })
}

async function reseal(tx: Transaction, keyring: Keyring, after: string | null) {
  const rows = await tx.credential.findMany({
    where: { keyId: { not: keyring.current }, ...(after === null ? {} : { id: { gt: after } }) },
    orderBy: { id: 'asc' },
    take: BATCH,
  })
  const last = rows.at(-1)
  if (!last) return null
  const unreadable = []
  let rotated = 0
  for (const row of rows) {
    const secret = keyring.open(row, row)
    if (secret === null) {
      unreadable.push({ id: row.id, owner: row.owner, kind: row.kind })
      continue
    }
    // Replaced meanwhile, it has the newest key already.
    const { count } = await tx.credential.updateMany({
      where: { id: row.id, keyId: row.keyId },
      data: keyring.seal(keyring.current, row, secret),
    })
    rotated += count
  }
  return { last: last.id, rotated, unreadable }
}
