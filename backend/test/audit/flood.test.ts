import { afterEach, describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/lib/time/clock.ts'
import { AppError } from '../../src/lib/errors.ts'
import { createIds } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { stranger } from '../../src/modules/audit/actor.ts'
import { createAudit } from '../../src/modules/audit/audit.ts'
import { FailedLogins, MAX_ROWS_PER_WINDOW } from '../../src/modules/identity/failed-logins.ts'
import { whileAuditIsRefused } from '../support/audit.ts'
import { TestClock } from '../support/clock.ts'
import { useDatabase } from '../support/database/test-database.ts'

const database = useDatabase()
const clock = new TestClock()
const newId = createIds(clock)
let failures: FailedLogins
const start = (): void => {
  const audit = createAudit({ prisma: database().prisma, clock, newId, log: silentLog })
  failures = new FailedLogins({ audit, clock, log: silentLog })
}
afterEach(() => failures.close())

const attempt = (address: string, check: () => Promise<boolean> = () => Promise.resolve(false)) =>
  failures.tell(
    check,
    { action: 'login.failed', actor: stranger({ address, requestId: null }), target: { id: null, name: 'a@b.org' } },
    'no_account',
  )
const throttled = () => Promise.reject(new AppError('TOO_MANY_REQUESTS', 'later'))
const rows = async (action: string, from: number) =>
  (await database().prisma.auditEvent.findMany({ where: { action }, orderBy: { id: 'asc' } })).slice(from)
const count = (action: string) => database().prisma.auditEvent.count({ where: { action } })

describe('a flood of wrong passwords', () => {
  it('gets a bounded number of rows in a minute, and one for all the rest', async () => {
    start()
    const [failed, suppressed] = [await count('login.failed'), await count('login.suppressed')]
    for (let n = 0; n < MAX_ROWS_PER_WINDOW + 70; n += 1) await attempt(`203.0.113.${n % 40}`)
    expect(await count('login.failed')).toBe(failed + MAX_ROWS_PER_WINDOW)
    expect(await count('login.suppressed')).toBe(suppressed)
    await failures.flush()
    const [row, ...more] = await rows('login.suppressed', suppressed)
    expect(more).toEqual([])
    const detail = row?.detail as { attempts: number; networks: Record<string, number>; elsewhere: number }
    expect(detail.attempts).toBe(70)
    expect(Object.keys(detail.networks)).toHaveLength(20)
    const named = Object.values(detail.networks).reduce((sum, one) => sum + one, 0)
    expect(named + detail.elsewhere).toBe(70)
    await failures.flush()
    expect(await count('login.suppressed')).toBe(suppressed + 1)

    clock.advance(MINUTE_MS)
    await attempt('203.0.113.1')
    expect(await count('login.failed')).toBe(failed + MAX_ROWS_PER_WINDOW + 1)
  })

  it('is counted where it is not compared any more, and nothing of it is lost by a row that is refused', async () => {
    start()
    const suppressed = await count('login.suppressed')
    for (let n = 0; n < 3; n += 1) await expect(attempt('203.0.113.9', throttled)).rejects.toThrow('later')
    await whileAuditIsRefused(database(), () => failures.flush())
    await expect(attempt('203.0.113.9', throttled)).rejects.toThrow('later')
    await failures.close()
    const [row] = await rows('login.suppressed', suppressed)
    expect(row?.detail).toMatchObject({ attempts: 4, networks: { '203.0.113.9': 4 }, elsewhere: 0 })
  })

  it('leaves right passwords alone', async () => {
    start()
    const before = await database().prisma.auditEvent.count()
    expect(await attempt('203.0.113.9', () => Promise.resolve(true))).toBe(true)
    await failures.flush()
    expect(await database().prisma.auditEvent.count()).toBe(before)
  })
})
