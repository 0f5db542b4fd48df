import type { AuditEvent } from '@slipway/protocol'
import { beforeAll, describe, expect, it } from 'vitest'
import { createIds } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { MINUTE_MS } from '../../src/lib/time/clock.ts'
import { type Actor, PLATFORM } from '../../src/modules/audit/actor.ts'
import { createAudit } from '../../src/modules/audit/audit.ts'
import { TestClock } from '../support/clock.ts'
import { call } from '../support/people/people.ts'
import { as, useTeam } from '../support/people/team.ts'

const team = useTeam()
const admin = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().admin)(...request)
const ANN = '0190aaaa-0000-7000-8000-000000000001'
const BOX = '0190aaaa-0000-7000-8000-000000000002'
const LONG_AGO = Date.UTC(2001, 0, 1)

/** Rows of 2001, a minute apart, so they are older than everything that the team does. */
beforeAll(async () => {
  const clock = new TestClock(LONG_AGO)
  const audit = createAudit({ prisma: team().database.prisma, clock, newId: createIds(clock), log: silentLog })
  const via = { kind: 'sign_in', id: null } as const
  const ann: Actor = { ...PLATFORM, userId: ANN, email: 'ann@example.org', via }
  const box = { id: BOX, name: 'box' }
  for (const action of ['agent.created', 'agent.started', 'agent.stopped'] as const) {
    await audit.recordNow({ actor: ann, action, target: box })
    clock.advance(MINUTE_MS)
  }
  await audit.recordNow({ actor: PLATFORM, action: 'agent.started', target: box })
  clock.advance(MINUTE_MS)
  await audit.recordNow({ actor: ann, action: 'token.created', target: { id: null, name: BOX } })
})

const find = async (query: string): Promise<string[]> => {
  const response = await admin(`GET /audit?to=2001-02-01T00:00:00Z&limit=500${query}`)
  return response.json<{ items: AuditEvent[] }>().items.map(({ action }) => action)
}

describe('the audit log', () => {
  it('is there for admins who signed in, and for no other caller', async () => {
    expect((await admin('GET /audit')).statusCode).toBe(200)
    expect((await as(team(), team().owner)('GET /audit')).json()).toMatchObject({ statusCode: 403, code: 'FORBIDDEN' })
    expect((await call(team().app, 'GET /audit')).statusCode).toBe(401)
    const scopes = ['agents:read', 'agents:write', 'terminal', 'users:admin']
    const { token } = (await admin('POST /tokens', { name: 'all of them', scopes })).json<{ token: string }>()
    expect((await call(team().app, 'GET /audit', { token })).statusCode).toBe(403)
  })

  it('shows the newest first, and who did what to what, when and from where', async () => {
    expect(await find('')).toEqual([
      'token.created',
      'agent.started',
      'agent.stopped',
      'agent.started',
      'agent.created',
    ])
    const response = await admin('GET /audit?action=user.created&target=stranger@example.org')
    expect(response.json()).toEqual({
      items: [
        {
          id: expect.any(String) as string,
          at: '2030-01-01T00:00:00.000Z',
          action: 'user.created',
          actor: {
            id: team().admin.id,
            email: 'admin@example.org',
            via: 'sign_in',
            viaId: expect.any(String) as string,
            address: '127.0.0.1',
          },
          requestId: expect.any(String) as string,
          target: { type: 'user', id: team().stranger.id, name: 'stranger@example.org' },
          detail: {
            changes: {
              email: { after: 'stranger@example.org' },
              role: { after: 'user' },
              passwordHash: { secret: 'set' },
            },
          },
        },
      ],
      nextCursor: null,
    })
  })

  it.each([
    ['&actor=ann@example.org', 4],
    ['&actor=ANN@example.org', 4],
    [`&actor=${ANN}`, 4],
    ['&actor=nobody', 0],
    ['&action=agent', 4],
    ['&action=agent.started', 2],
    ['&action=agent.never_was', 0],
    ['&action=age', 0],
    ['&target=box', 4],
    // An id, and a name that looks like an id.
    [`&target=${BOX}`, 5],
    ['&target=Box', 0],
    ['&from=2001-01-01T00:01:00Z', 4],
    ['&from=2001-01-01T01:01:00%2B01:00', 4],
    ['&from=2001-01-01T00:01:00.001Z', 3],
    ['&from=0000-01-01T00:00:00Z', 5],
    [`&actor=${ANN}&action=agent&target=box&from=2001-01-01T00:00:30Z`, 2],
  ])('filters: %s finds %i', async (query, count) => expect(await find(query)).toHaveLength(count))

  it('leaves out the moment at which the time ends', async () => {
    const response = await admin('GET /audit?to=2001-01-01T00:01:00Z')
    expect(response.json()).toMatchObject({ items: [{ action: 'agent.created' }], nextCursor: null })
  })

  it('comes in pages, and a row that is written meanwhile makes none appear twice or go missing', async () => {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const more: string = cursor === '' ? '' : `&cursor=${cursor}`
      const response = await admin(`GET /audit?to=2001-02-01T00:00:00Z&limit=2${more}`)
      const page: { items: AuditEvent[]; nextCursor: string | null } = response.json()
      expect(page.items.length).toBeLessThanOrEqual(2)
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect(seen).toHaveLength(5)
    expect(seen).toEqual(seen.toSorted().toReversed())
  })

  it.each([
    'actor=a%00b',
    'target=',
    'action=A',
    'action=agent.',
    'from=yesterday',
    'cursor=x',
    'limit=501',
    'color=red',
  ])('refuses %s', async (query) => {
    expect((await admin(`GET /audit?${query}`)).json()).toMatchObject({ statusCode: 400, code: 'VALIDATION' })
  })
})
