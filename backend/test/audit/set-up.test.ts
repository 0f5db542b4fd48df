import { expect, it } from 'vitest'
import { useApp } from '../support/server/app.ts'
import { whileAuditIsRefused } from '../support/audit.ts'

const people = useApp()

it('the set-up link is recorded as made by the platform, without its token, and not made where that is refused', async () => {
  const { identity, database } = people()
  const make = () => identity.setup.createSetupLink('http://localhost')
  await whileAuditIsRefused(database, () => expect(make()).rejects.toMatchObject({ code: 'AUDIT_REFUSED' }))
  expect(await database.prisma.link.count()).toBe(0)

  const token = (await make())?.url.split('#token=')[1] ?? ''
  expect(await database.prisma.link.count()).toBe(1)
  const newest = await database.prisma.auditEvent.findFirstOrThrow({ orderBy: { id: 'desc' } })
  expect(newest).toMatchObject({ action: 'setup.link_created', via: 'platform', actorId: null, targetId: null })
  expect(newest.detail).toMatchObject({ changes: { purpose: { after: 'setup' }, tokenHash: { secret: 'set' } } })
  expect(JSON.stringify(newest.detail)).not.toContain(token)
})
