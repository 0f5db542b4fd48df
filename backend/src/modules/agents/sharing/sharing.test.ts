import type { Agent, Share } from '@slipway/protocol'
import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'

const team = useTeam()
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const colleague = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().colleague)(...request)
const stranger = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().stranger)(...request)
const admin = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().admin)(...request)

beforeAll(async () => {
  await owner('POST /agents?wait=true', newAgent('shared'))
  await owner('POST /agents?wait=true', newAgent('private'))
  await owner('POST /agents/shared/shares', { email: 'Colleague@Example.org' })
})

describe('a shared agent', () => {
  it('is there for the users it is shared with, once', async () => {
    expect((await colleague('GET /agents/shared')).json()).toMatchObject({ name: 'shared', relation: 'sharee' })
    expect((await owner('GET /agents/shared')).json()).toMatchObject({ relation: 'owner' })
    expect((await admin('GET /agents/shared')).json()).toMatchObject({ relation: 'admin' })
    const again = await owner('POST /agents/shared/shares', { email: team().colleague.email })
    expect(again.statusCode).toBe(201)
    const { items } = (await owner('GET /agents/shared/shares')).json<{ items: Share[] }>()
    expect(items.map(({ email }) => email)).toEqual(['colleague@example.org'])
  })

  it('may be used, started and stopped by them, and not managed', async () => {
    for (const command of ['start', 'stop', 'restart'])
      expect((await colleague(`POST /agents/shared/${command}?wait=true`)).statusCode).toBe(202)
    const refused = await Promise.all([
      colleague('PATCH /agents/shared', { model: 'opus' }),
      colleague('DELETE /agents/shared'),
      colleague('GET /agents/shared/shares'),
      colleague('POST /agents/shared/shares', { email: team().stranger.email }),
      colleague(`DELETE /agents/shared/shares/${team().colleague.id}`),
    ])
    for (const response of refused) expect(response.json()).toMatchObject({ statusCode: 403, code: 'FORBIDDEN' })
  })

  it('does not exist for a stranger, byte for byte', async () => {
    const routes = (name: string) => [
      stranger(`GET /agents/${name}`),
      stranger(`PATCH /agents/${name}`, { model: 'opus' }),
      stranger(`DELETE /agents/${name}`),
      stranger(`POST /agents/${name}/start`),
      stranger(`POST /agents/${name}/stop`),
      stranger(`POST /agents/${name}/restart`),
      stranger(`GET /agents/${name}/logs`),
      stranger(`GET /agents/${name}/logs/follow`),
      stranger(`GET /agents/${name}/stats`),
      stranger(`GET /agents/${name}/stats/history`),
      stranger(`GET /agents/${name}/processes`),
      stranger(`DELETE /agents/${name}/processes/7`),
      stranger(`GET /agents/${name}/shares`),
      stranger(`POST /agents/${name}/shares`, { email: team().stranger.email }),
      stranger(`DELETE /agents/${name}/shares/${team().colleague.id}`),
    ]
    const [forbidden, missing] = await Promise.all([Promise.all(routes('private')), Promise.all(routes('nothing'))])
    for (const { statusCode } of forbidden) expect(statusCode).toBe(404)
    expect(forbidden.map(({ body }) => body)).toEqual(missing.map(({ body }) => body))
  })

  it('lists the user’s own and shared agents, and all agents for an admin', async () => {
    const names = async (list: ReturnType<typeof admin>) =>
      (await list).json<{ items: Agent[] }>().items.map(({ name }) => name)
    expect(await names(owner('GET /agents'))).toEqual(['private', 'shared'])
    expect(await names(colleague('GET /agents'))).toEqual(['shared'])
    expect(await names(stranger('GET /agents'))).toEqual([])
    expect(await names(admin('GET /agents'))).toEqual(['private', 'shared'])
  })

  it('can be shared with existing users, and not with its owner', async () => {
    const unknown = await owner('POST /agents/shared/shares', { email: 'nobody@example.org' })
    expect(unknown.json()).toMatchObject({ statusCode: 404, code: 'USER_NOT_FOUND' })
    const self = await owner('POST /agents/shared/shares', { email: team().owner.email })
    expect(self.json()).toMatchObject({ statusCode: 409, code: 'WRONG_STATE' })
    expect((await owner('POST /agents/shared/shares', { email: 'no address' })).statusCode).toBe(400)
    expect((await owner('POST /agents/shared/shares', { email: 'a@b.org', role: 'owner' })).statusCode).toBe(400)
  })

  it('is gone for them after the end of the share', async () => {
    await owner('POST /agents/private/shares', { email: team().stranger.email })
    expect((await stranger('GET /agents/private')).statusCode).toBe(200)
    expect((await owner(`DELETE /agents/private/shares/${team().stranger.id}`)).statusCode).toBe(204)
    expect((await stranger('GET /agents/private')).statusCode).toBe(404)
    expect((await owner(`DELETE /agents/private/shares/${team().stranger.id}`)).statusCode).toBe(404)
    expect((await owner('DELETE /agents/private/shares/no-id')).statusCode).toBe(400)
  })

  it('is not changed with a token that may only read, and not shown with a token that may not read', async () => {
    const tokenWith = async (scopes: string[]) =>
      (await owner('POST /tokens', { name: 'ci', scopes })).json<{ token: string }>().token
    const reader = await tokenWith(['agents:read'])
    const { app } = team()
    expect((await call(app, 'GET /agents/shared', { token: reader })).statusCode).toBe(200)
    expect((await call(app, 'POST /agents/shared/start', { token: reader })).statusCode).toBe(403)
    const other = await tokenWith(['terminal'])
    const [here, missing] = await Promise.all(
      ['shared', 'nothing'].map((name) => call(app, `GET /agents/${name}`, { token: other })),
    )
    expect(here?.statusCode).toBe(403)
    expect(here?.body).toBe(missing?.body)
  })
})
