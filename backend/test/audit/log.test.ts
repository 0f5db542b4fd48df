import { describe, expect, it } from 'vitest'
import { createIds } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { PLATFORM } from '../../src/modules/audit/actor.ts'
import { createAudit } from '../../src/modules/audit/audit.ts'
import { TestClock } from '../support/clock.ts'
import { useDatabase } from '../support/database/test-database.ts'
import { whileAuditIsRefused } from '../support/audit.ts'

const database = useDatabase()
const clock = new TestClock()
const newId = createIds(clock)
const audit = () => createAudit({ prisma: database().prisma, clock, newId, log: silentLog })
const record = (name: string, detail: object = {}) =>
  audit().recordNow({
    actor: PLATFORM,
    action: 'user.created',
    target: { id: null, name },
    detail: { ...detail },
  })
const newest = () => database().prisma.auditEvent.findFirstOrThrow({ orderBy: { id: 'desc' } })

describe('the audit log', () => {
  it('is append-only: no row of it is changed or deleted, nor all of them at once', async () => {
    const { prisma } = database()
    await record('first')
    const { id } = await newest()
    const refused = /append-only/
    await expect(prisma.auditEvent.update({ where: { id }, data: { action: 'x' } })).rejects.toThrow(refused)
    await expect(prisma.auditEvent.updateMany({ data: { actorEmail: 'x' } })).rejects.toThrow(refused)
    await expect(prisma.auditEvent.deleteMany({ where: { id } })).rejects.toThrow(refused)
    await expect(prisma.$executeRaw`TRUNCATE "AuditEvent"`).rejects.toThrow(refused)
    const asReplica = prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL session_replication_role = replica`
      await tx.$executeRaw`DELETE FROM "AuditEvent"`
    })
    await expect(asReplica).rejects.toThrow(refused)
    const upsert = prisma.$executeRaw`INSERT INTO "AuditEvent" SELECT * FROM "AuditEvent" WHERE id = ${id}::uuid
      ON CONFLICT (id) DO UPDATE SET action = 'x'`
    await expect(upsert).rejects.toThrow(refused)
    expect(await newest()).toMatchObject({ id, action: 'user.created', targetName: 'first' })
  })

  it('stores any text that a caller sends: NUL, half a surrogate pair, and text of any length', async () => {
    await record('a\0b\ud800c', { tried: 'x\0\udfff', long: 'y'.repeat(100_000), '\0': 1, deep: [[[[['too deep']]]]] })
    const { targetName, detail } = await newest()
    expect(targetName).toBe('a\ufffdb\ufffdc')
    expect(detail).toMatchObject({ tried: 'x\ufffd\ufffd', '\ufffd': 1, deep: [[[null]]] })
    expect(JSON.stringify(detail).length).toBeLessThan(1000)
  })

  it('refuses the act when the database refuses the row', async () => {
    const { prisma } = database()
    const act = () =>
      prisma.$transaction(async (tx) => {
        await tx.user.create({ data: { email: 'unrecorded@example.org' } })
        await audit().record(tx, { actor: PLATFORM, action: 'user.created', target: { id: null, name: 'unrecorded' } })
      })
    await whileAuditIsRefused(database(), async () => {
      await expect(act()).rejects.toMatchObject({ name: 'AppError', code: 'AUDIT_REFUSED', statusCode: 503 })
    })
    expect(await prisma.user.count({ where: { email: 'unrecorded@example.org' } })).toBe(0)
    await act()
    expect(await prisma.user.count({ where: { email: 'unrecorded@example.org' } })).toBe(1)
  })
})
