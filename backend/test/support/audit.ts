/** Reads the audit log, and makes the database refuse its rows. */
import type { AuditEvent } from '@slipway/protocol'
import type { Database } from '../../src/database/open.ts'
import type { TestApp } from './server/app.ts'
import { call, type Person } from './people/people.ts'

/** The records that an admin sees, newest first. */
export async function auditOf({ app }: Pick<TestApp, 'app'>, admin: Person, query = ''): Promise<AuditEvent[]> {
  const response = await call(app, `GET /audit?limit=500${query}`, { token: admin.token })
  if (response.statusCode !== 200) throw new Error(`the audit log was not shown: ${response.body}`)
  return response.json<{ items: AuditEvent[] }>().items
}

/** While `work` runs, the database refuses every new row of the audit log, as it does when its disk is full. */
export async function whileAuditIsRefused<T>({ prisma }: Database, work: () => Promise<T>): Promise<T> {
  await prisma.$executeRaw`CREATE FUNCTION refuse_for_test() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'refused for a test' USING ERRCODE = 'disk_full'; END; $$`
  await prisma.$executeRaw`CREATE TRIGGER refuse_for_test BEFORE INSERT ON "AuditEvent"
    FOR EACH ROW EXECUTE FUNCTION refuse_for_test()`
  try {
    return await work()
  } finally {
    await prisma.$executeRaw`DROP TRIGGER refuse_for_test ON "AuditEvent"`
    await prisma.$executeRaw`DROP FUNCTION refuse_for_test()`
  }
}
