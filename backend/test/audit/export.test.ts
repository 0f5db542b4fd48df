import type { AuditEvent } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { csvLine } from '../../src/modules/audit/export.ts'
import { addressOf } from '../support/server/listener.ts'
import { auditOf, whileAuditIsRefused } from '../support/audit.ts'
import { call } from '../support/people/people.ts'
import { as, useTeam } from '../support/people/team.ts'

const team = useTeam()
const admin = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().admin)(...request)
/** Rows of one moment, more than one chunk of an export holds. */
const MANY = 1_200

describe('an export of the audit log', () => {
  it('is everything that the filters find, read in pieces, and is itself recorded', async () => {
    const { prisma } = team().database
    await prisma.$executeRaw`INSERT INTO "AuditEvent" (id, at, action, via, "targetType", "targetName", detail)
      SELECT ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, now(), 'agent.started', 'platform', 'agent',
        'many', '{}' FROM generate_series(1, ${MANY}) n`
    const response = await admin('GET /audit/export?format=ndjson&target=many&action=agent')
    expect(response.headers['content-type']).toMatch(/^application\/x-ndjson/)
    expect(response.headers['content-disposition']).toMatch(/^attachment; filename="slipway-audit-[\w-]+\.ndjson"$/)
    const events = response.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEvent)
    expect(events.map(({ id }) => Number(id.slice(-12)))).toEqual(Array.from({ length: MANY }, (_, n) => MANY - n))
    const [last] = await auditOf(team(), team().admin)
    expect(last).toMatchObject({
      action: 'audit.exported',
      actor: { email: team().admin.email },
      detail: { format: 'ndjson', target: 'many', action: 'agent' },
    })
    // The whole log, with the row of the export itself.
    const all = await admin('GET /audit/export?format=ndjson')
    expect(all.body.split('\n')[0]).toContain('audit.exported')
  })

  it('as CSV has what the list has; a spreadsheet runs what the audit log holds: no cell of it', async () => {
    const email = '=1+cmd|/c\u0020calc!a0@example.org'
    await call(team().app, 'POST /auth/login', { body: { email, password: 'whatever it is' } })
    const response = await admin(`GET /audit/export?format=csv&action=login.failed`)
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8')
    const [head, row] = response.body.split('\r\n')
    expect(head).toBe(
      '"id","at","action","actor_email","actor_id","via","via_id","address","request_id","target_type","target_name","target_id","detail"',
    )
    expect(row).toContain(`,"'${email}",`)
    expect(row).toContain('"{""reason"":""no_account""}"')
    expect(row).not.toContain(`"${email}"`)
  })

  // The last three rows have full-width forms, small forms, and forms above and below the line.
  it.each([
    ...['=1', '+1', '-1', '@a', '\tx', '\rx', '\nx'],
    ...['\uff1d1', '\uff0b1', '\uff0d1', '\uff20a'],
    ...['\ufe661', '\ufe621', '\ufe631', '\ufe6ba'],
    ...['\u207c1', '\u207a1', '\u208c1', '\u208a1'],
  ])('takes the power of %j', (text) => {
    expect(csvLine([text])).toBe(`"'${text}"\r\n`)
  })

  it('quotes what CSV would take apart', () => {
    expect(csvLine(['a"b', 'c,d', 'e\nf', null, '1-1', '\uff21\uff1d'])).toBe(
      '"a""b","c,d","e\nf","","1-1","\uff21\uff1d"\r\n',
    )
  })

  it('is refused when it cannot be recorded, and to every caller but admins who signed in', async () => {
    const refused = await whileAuditIsRefused(team().database, () => admin('GET /audit/export?format=csv'))
    expect(refused.json()).toMatchObject({ statusCode: 503, code: 'AUDIT_REFUSED' })
    const other = await as(team(), team().owner)('GET /audit/export?format=csv')
    expect(other.json()).toMatchObject({ statusCode: 403, code: 'FORBIDDEN' })
    expect((await admin('GET /audit/export?format=xml')).statusCode).toBe(400)
  })

  it('is not read further when its reader has left', async () => {
    const leave = new AbortController()
    const response = await fetch(`http://${await addressOf(team())}/api/audit/export?format=ndjson`, {
      headers: { authorization: `Bearer ${team().admin.token}` },
      signal: leave.signal,
    })
    await response.body?.getReader().read()
    leave.abort()
    expect((await admin('GET /audit?limit=1')).statusCode).toBe(200)
  })
})
