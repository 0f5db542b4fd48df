/** Encrypts every stored credential with the newest key. May be interrupted anywhere, and begun again. */
import type { PrismaClient } from '../../database/generated/client.ts'
import { PLATFORM } from '../audit/actor.ts'
import type { Audit } from '../audit/audit.ts'
import type { Keyring } from './keyring.ts'
import { type Holder, PLATFORM_HOLDER, targetOf } from './owner.ts'
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

/** What {@link rotate} works on. */
export interface RotateDeps {
  readonly prisma: PrismaClient
  readonly audit: Pick<Audit, 'record'>
}

export interface RotateOptions {
  /** Removes what cannot be read in place of keeping it; each is in the audit log, as removed by the platform. */
  readonly discardUnreadable?: boolean
  /** Told after each transaction. */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * From its first step on, everything new is encrypted with the newest key, by every server on this database that has it; one
 * that has not refuses to write. Until the last, both keys are needed. Throws {@link WrongKeyError}, and `AUDIT_REFUSED`.
 */
export async function rotate(deps: RotateDeps, keyring: Keyring, options: RotateOptions = {}): Promise<Rotation> {
  const { prisma, audit } = deps
  const { discardUnreadable = false, onProgress } = options
  await prisma.$transaction((tx) => switchKey(tx, keyring, discardUnreadable))
  const old = { keyId: { not: keyring.current } }
  const total = await prisma.credential.count({ where: old })
  const unreadable: { owner: string; kind: string }[] = []
  let rotated = 0
  for (let after: string | null = null; ;) {
    const batch = await prisma.$transaction(async (tx) => {
      const resealed = await reseal(tx, keyring, after)
      if (discardUnreadable) for (const row of resealed?.unreadable ?? []) await discard(tx, audit, row)
      return resealed
    })
    if (batch === null) break
    after = batch.last
    rotated += batch.rotated
    unreadable.push(...batch.unreadable.map(({ owner, kind }) => ({ owner, kind })))
    onProgress?.(rotated + unreadable.length, total)
  }
  return { rotated, unreadable }
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

/** With the names that people know their owners by. */
const oldOnes = (tx: Transaction, keyring: Keyring, after: string | null) =>
  tx.credential.findMany({
    where: { keyId: { not: keyring.current }, ...(after === null ? {} : { id: { gt: after } }) },
    include: { agent: { select: { id: true, name: true } }, user: { select: { id: true, email: true } } },
    orderBy: { id: 'asc' },
    take: BATCH,
  })
type OldCredential = Awaited<ReturnType<typeof oldOnes>>[number]

async function reseal(tx: Transaction, keyring: Keyring, after: string | null) {
  const rows = await oldOnes(tx, keyring, after)
  const last = rows.at(-1)
  if (!last) return null
  const unreadable: OldCredential[] = []
  let rotated = 0
  for (const row of rows) {
    const secret = keyring.open(row, row)
    if (secret === null) {
      unreadable.push(row)
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

const holderOf = ({ agent, user }: OldCredential): Holder => {
  if (agent) return { owner: { type: 'agent', id: agent.id }, name: agent.name }
  return user ? { owner: { type: 'user', id: user.id }, name: user.email } : PLATFORM_HOLDER
}

async function discard(tx: Transaction, audit: RotateDeps['audit'], row: OldCredential): Promise<void> {
  const { count } = await tx.credential.deleteMany({ where: { id: row.id, keyId: row.keyId } })
  // Set anew meanwhile, it can be read.
  if (count === 0) return
  const holder = holderOf(row)
  const detail = { of: holder.owner.type, kind: row.kind, because: 'unreadable' }
  await audit.record(tx, { actor: PLATFORM, action: 'credential.removed', target: targetOf(holder), detail })
}
