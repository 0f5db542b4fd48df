import { type AgentVariable, VARIABLES_BYTES, VARIABLES_MAX, VARIABLE_VALUE_MAX } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { auditOf, whileAuditIsRefused } from '../../../../test/support/audit.ts'
import type { Person } from '../../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'

const SECRET = 'canary-of-a-variable'
const team = useTeam()
const by = (person: Person) => as(team(), person)

/** The address of a new agent's variables. The agent needs no container for them. */
const agent = async (name: string): Promise<`/agents/${string}/variables`> => {
  expect((await by(team().owner)('POST /agents', newAgent(name))).statusCode).toBe(201)
  return `/agents/${name}/variables`
}
const put = (path: string, value: string, secret = false, person = team().owner) =>
  by(person)(`PUT ${path}` as `PUT /${string}`, { value, secret })
const listed = async (path: string) =>
  (await by(team().owner)(`GET ${path}` as `GET /${string}`)).json<{ items: AgentVariable[] }>().items

describe('variables of an agent', () => {
  it('are set, listed, replaced and removed; no answer holds a secret one', async () => {
    const path = await agent('one')
    expect((await put(`${path}/TZ`, 'Europe/Berlin')).json()).toEqual({
      name: 'TZ',
      secret: false,
      value: 'Europe/Berlin',
      readable: true,
      setAt: expect.any(String),
      setBy: team().owner.email,
    })
    const secret = await put(`${path}/KEY`, SECRET, true)
    expect(secret.json()).toMatchObject({ name: 'KEY', secret: true, value: null, readable: true })
    await put(`${path}/TZ`, 'UTC', false, team().admin)
    const list = await by(team().owner)(`GET ${path}`)
    expect(list.json<{ items: AgentVariable[] }>().items).toMatchObject([
      { name: 'KEY', value: null },
      { name: 'TZ', value: 'UTC', setBy: team().admin.email },
    ])
    expect(list.body + secret.body).not.toContain('canary')
    expect((await by(team().owner)(`DELETE ${path}/TZ`)).statusCode).toBe(204)
    expect((await by(team().owner)(`DELETE ${path}/TZ`)).statusCode).toBe(404)
    expect((await listed(path)).map(({ name }) => name)).toEqual(['KEY'])
  })

  it('are encrypted, the plain ones, too, and a secret one cannot be made plain in the database', async () => {
    const path = await agent('encrypted')
    await put(`${path}/PLAIN`, SECRET)
    await put(`${path}/KEY`, SECRET, true)
    const { prisma } = team().database
    const rows = await prisma.agentVariable.findMany()
    for (const { sealed } of rows) expect(Buffer.from(sealed).toString('latin1')).not.toContain('canary')
    await prisma.agentVariable.updateMany({ where: { name: 'KEY' }, data: { secret: false } })
    expect(await listed(path)).toMatchObject([
      { name: 'KEY', value: null, readable: false },
      { name: 'PLAIN', value: SECRET },
    ])
  })

  it('are recorded with their names, and without their values', async () => {
    const path = await agent('recorded')
    await put(`${path}/PLAIN`, SECRET)
    await put(`${path}/PLAIN`, `${SECRET}-2`, true)
    await by(team().owner)(`DELETE ${path}/PLAIN`)
    const events = await auditOf(team(), team().admin, '&action=variable&target=recorded')
    expect(events.map(({ action, detail }) => [action, detail['variable']])).toEqual([
      ['variable.removed', 'PLAIN'],
      ['variable.set', 'PLAIN'],
      ['variable.set', 'PLAIN'],
    ])
    expect(events[1]?.detail['changes']).toEqual({
      secret: { before: false, after: true },
      sealed: { secret: 'changed' },
    })
    expect(JSON.stringify(events)).not.toContain('canary')
    const refused = await whileAuditIsRefused(team().database, () => put(`${path}/PLAIN`, SECRET))
    expect(refused.json()).toMatchObject({ code: 'AUDIT_REFUSED' })
    expect(await listed(path)).toEqual([])
  })

  it.each(['FOO', '_x', 'x1', 'a'.repeat(128), 'LD_PRELOAD', 'HTTPS_PROXY', 'HOMEPAGE', 'PATHS', '__'])(
    'may be called %s',
    async (name) => {
      const path = await agent(`may-${Math.random().toString(36).slice(2)}`)
      expect((await put(`${path}/${name}`, 'x')).statusCode).toBe(200)
    },
  )

  it.each([
    ...['1X', 'A-B', 'A%20B', 'A=B', 'Ä', 'a'.repeat(129), 'A.B', '%0AFOO', 'FOO%0A', 'FOO%00'],
    ...['SLIPWAY_SESSION', 'SLIPWAY_', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PATH', 'PWD', 'OLDPWD', 'SHLVL', '_'],
  ])('may not be called %s', async (name) => {
    const path = await agent(`may-not-${Math.random().toString(36).slice(2)}`)
    expect((await put(`${path}/${name}`, 'x')).statusCode).toBe(400)
  })

  it('may hold any text but NUL, up to a length', async () => {
    const path = await agent('texts')
    for (const value of ['', 'größer 😀', 'a\nb\r\nc\t', '$(id) `id` "\'\\', 'x'.repeat(VARIABLE_VALUE_MAX)])
      expect((await put(`${path}/TEXT`, value)).json()).toMatchObject({ value })
    for (const value of ['a\0b', 'x'.repeat(VARIABLE_VALUE_MAX + 1)])
      expect((await put(`${path}/TEXT`, value)).statusCode).toBe(400)
    for (const body of [
      { value: 'x' },
      { secret: true },
      { value: 1, secret: true },
      { value: 'x', secret: true, kind: 'x' },
    ])
      expect((await by(team().owner)(`PUT ${path}/TEXT`, body)).statusCode).toBe(400)
  })

  it(`are ${VARIABLES_MAX} at most, also where several come at once`, async () => {
    const path = await agent('many')
    const names = Array.from({ length: VARIABLES_MAX + 5 }, (_, at) => `V${at}`)
    // Each waits for those before it, and a database that is waited for too long is unavailable: not all come at once.
    const first = names.splice(0, VARIABLES_MAX - 5)
    for (const name of first) await put(`${path}/${name}`, 'x')
    const answers = await Promise.all(names.map((name) => put(`${path}/${name}`, 'x')))
    const refused = answers.filter(({ statusCode }) => statusCode !== 200)
    expect(refused.map((response) => response.json<{ code: string }>().code)).toEqual(
      Array.from({ length: 5 }, () => 'TOO_MANY_VARIABLES'),
    )
    const [{ name } = { name: '' }, ...others] = await listed(path)
    expect(others).toHaveLength(VARIABLES_MAX - 1)
    // An existing variable can still be replaced.
    expect((await put(`${path}/${name}`, 'y')).statusCode).toBe(200)
  })

  it('are not too long together', async () => {
    const path = await agent('long')
    const fits = Math.floor(VARIABLES_BYTES / (VARIABLE_VALUE_MAX + 50))
    for (let at = 0; at < fits; at++)
      expect((await put(`${path}/V${at}`, 'x'.repeat(VARIABLE_VALUE_MAX))).statusCode).toBe(200)
    expect((await put(`${path}/LAST`, 'x'.repeat(VARIABLE_VALUE_MAX))).json()).toMatchObject({
      code: 'TOO_MANY_VARIABLES',
    })
    expect((await put(`${path}/V0`, 'short')).statusCode).toBe(200)
  })

  it('of another user keep the owner’s own credential out', async () => {
    const path = await agent('foreign')
    const owner = by(team().owner)
    await owner('PUT /users/me/credentials/openai-api-key', { value: 'sk-of-the-owner' })
    const inForce = async () =>
      (await owner('GET /agents/foreign/credentials-in-force'))
        .json<{ items: { service: string; source: string; because: string | null }[] }>()
        .items.find(({ service }) => service === 'openai')
    await put(`${path}/OWN`, 'x')
    expect(await inForce()).toMatchObject({ source: 'user', because: null })
    await put(`${path}/OPENAI_BASE_URL`, 'https://evil.example', false, team().admin)
    expect(await inForce()).toMatchObject({ source: 'none', because: 'shared' })
    await owner(`DELETE ${path}/OPENAI_BASE_URL`)
    expect(await inForce()).toMatchObject({ source: 'user', because: null })
    await owner('DELETE /users/me/credentials/openai-api-key')
  })
})
