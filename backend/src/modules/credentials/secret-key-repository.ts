/** Which secret key the stored credentials belong to: the one row that says so. */
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'

/** Of the one row. */
const ID = 1

export class SecretKeyRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** The key's id; null before the server's first start. */
  async keyId(): Promise<string | null> {
    const row = await this.#prisma.secretKeyState.findUnique({ where: { id: ID } })
    return row?.keyId ?? null
  }

  /** Notes a key where none is noted. Where nothing is encrypted yet, it takes the place of the one that is. */
  async adopt(keyId: string): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      await tx.secretKeyState.createMany({ data: [{ id: ID, keyId }], skipDuplicates: true })
      await tx.$queryRaw`SELECT 1 FROM "SecretKeyState" WHERE "id" = ${ID} FOR UPDATE`
      const encrypted = (await tx.credential.count()) + (await tx.agentVariable.count())
      if (encrypted === 0) await tx.secretKeyState.update({ where: { id: ID }, data: { keyId } })
    })
  }
}

/** The key's id, held until the transaction's end: a rotation waits for it. Null before the server's first start. */
export async function keyIdForWriting(tx: Prisma.TransactionClient): Promise<string | null> {
  const rows = await tx.$queryRaw<
    { keyId: string }[]
  >`SELECT "keyId" FROM "SecretKeyState" WHERE "id" = ${ID} FOR SHARE`
  return rows[0]?.keyId ?? null
}

/**
 * Puts a key in force. Waits for those who are writing with the key of before. False, and nothing is changed, where `mayReplace` says
 * so of that one.
 */
export async function replaceKeyId(
  tx: Prisma.TransactionClient,
  keyId: string,
  mayReplace: (before: string) => boolean,
): Promise<boolean> {
  await tx.secretKeyState.createMany({ data: [{ id: ID, keyId }], skipDuplicates: true })
  const rows = await tx.$queryRaw<{ keyId: string }[]>`
    SELECT "keyId" FROM "SecretKeyState" WHERE "id" = ${ID} FOR UPDATE`
  if (!rows.every((row) => mayReplace(row.keyId))) return false
  await tx.secretKeyState.update({ where: { id: ID }, data: { keyId } })
  return true
}
