/** The single row that says which secret key the stored credentials belong to. */
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'

/** Id of the single row. */
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

  /** Stores a key if none is stored. If nothing is encrypted yet, it replaces the stored key. */
  async adopt(keyId: string): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      await tx.secretKeyState.createMany({ data: [{ id: ID, keyId }], skipDuplicates: true })
      await tx.$queryRaw`SELECT 1 FROM "SecretKeyState" WHERE "id" = ${ID} FOR UPDATE`
      const encrypted =
        (await tx.credential.count()) +
        (await tx.agentVariable.count()) +
        (await tx.agentTemplateSecret.count()) +
        (await tx.connector.count()) +
        (await tx.webhook.count()) +
        (await tx.incomingHook.count())
      if (encrypted === 0) await tx.secretKeyState.update({ where: { id: ID }, data: { keyId } })
    })
  }
}

/** The key's id, locked until the transaction ends, so that a rotation waits. Null before the server's first start. */
export async function keyIdForWriting(tx: Prisma.TransactionClient): Promise<string | null> {
  const rows = await tx.$queryRaw<
    { keyId: string }[]
  >`SELECT "keyId" FROM "SecretKeyState" WHERE "id" = ${ID} FOR SHARE`
  return rows[0]?.keyId ?? null
}

/**
 * Puts a key in force after all transactions that write with the previous key. If `mayReplace` refuses the previous
 * key, it changes nothing and answers false.
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
