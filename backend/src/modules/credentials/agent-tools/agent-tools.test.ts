import { randomUUID } from 'node:crypto'
import type { AgentTools, CreatedApiToken, Scope } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { addPerson, type Person } from '../../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'

const team = useTeam()
const by = (person: Person) => as(team(), person)
type Address = `/agents/${string}` | '/system-agent'

/** An agent of the owner. It needs no container for its settings. */
const agent = async (name: string): Promise<Address> => {
  expect((await by(team().owner)('POST /agents', newAgent(name))).statusCode).toBe(201)
  return `/agents/${name}`
}
const token = async (person: Person, ...scopes: Scope[]): Promise<CreatedApiToken> =>
  (await by(person)('POST /tokens', { name: 'tools', scopes })).json<CreatedApiToken>()
const put = (person: Person, address: Address, tokenId: string) => by(person)(`PUT ${address}/tools`, { tokenId })
const give = async (person: Person, address: Address): Promise<CreatedApiToken> => {
  const made = await token(person, 'tasks:read', 'tasks:write')
  expect((await put(person, address, made.id)).json()).toMatchObject({ inForce: true })
  return made
}
const look = async (person: Person, address: Address): Promise<AgentTools> =>
  (await by(person)(`GET ${address}/tools`)).json<AgentTools>()
const NONE = { token: null, inForce: false, setAt: null }

describe('the tools of an agent’s programs', () => {
  it('are off until its owner chooses a token, and again once the owner removes it', async () => {
    const address = await agent('chosen')
    const { owner } = team()
    expect(await look(owner, address)).toEqual(NONE)
    const { id, token: secret } = await give(owner, address)
    const shown = await look(owner, address)
    expect(shown).toEqual({
      token: { id, name: 'tools', of: owner.email, scopes: ['tasks:read', 'tasks:write'], expiresAt: null },
      inForce: true,
      setAt: expect.any(String) as string,
    })
    expect(JSON.stringify(shown)).not.toContain(secret)
    for (let time = 0; time < 2; time += 1) expect((await by(owner)(`DELETE ${address}/tools`)).statusCode).toBe(204)
    expect(await look(owner, address)).toEqual(NONE)
  })

  it('need a token of the caller with the scope tasks:read', async () => {
    const address = await agent('particular')
    const { owner, stranger } = team()
    const refused = async (tokenId: string): Promise<string> => {
      const answer = await put(owner, address, tokenId)
      expect(answer.statusCode).toBe(400)
      return answer.json<{ message: string }>().message
    }
    expect(await refused(randomUUID())).toBe('body.tokenId: you have no such API token')
    expect(await refused((await token(stranger, 'tasks:read')).id)).toBe('body.tokenId: you have no such API token')
    expect(await refused((await token(owner, 'tasks:write')).id)).toContain('the scope tasks:read')
    expect(await refused('no id')).toContain('body.tokenId')
    expect(await look(owner, address)).toEqual(NONE)
  })

  it('are no longer in force once another user may use the agent, or has set a variable there', async () => {
    const { owner, admin, colleague } = team()
    const shared = await agent('lent-tools')
    await give(owner, shared)
    await by(owner)(`POST ${shared}/shares`, { email: colleague.email })
    expect(await look(owner, shared)).toMatchObject({ token: { of: owner.email }, inForce: false })
    await by(owner)(`DELETE ${shared}/shares/${colleague.id}`)
    expect(await look(owner, shared)).toMatchObject({ inForce: false })
    await by(owner)(`POST ${shared}/trust`)
    expect(await look(owner, shared)).toMatchObject({ inForce: true })

    const changed = await agent('changed-tools')
    await give(owner, changed)
    await by(admin)(`PUT ${changed}/variables/FOO`, { value: 'x', secret: false })
    expect(await look(owner, changed)).toMatchObject({ inForce: false })
  })

  it('end with their token, and with the account of its user', async () => {
    const { owner, admin } = team()
    const address = await agent('revoked-tools')
    const { id } = await give(owner, address)
    await by(owner)(`DELETE /tokens/${id}`)
    expect(await look(owner, address)).toEqual(NONE)

    const leaver = await addPerson(team(), admin, 'leaver-with-tools@example.org')
    await by(leaver)('POST /agents', newAgent('left-tools'))
    await give(leaver, '/agents/left-tools')
    await by(admin)(`PATCH /users/${leaver.id}`, { disabled: true })
    const { prisma } = team().database
    expect(await prisma.agentTools.count({ where: { token: { userId: leaver.id } } })).toBe(1)
    await by(admin)(`DELETE /users/${leaver.id}?agents=handover&to=${owner.id}`)
    expect(await look(owner, '/agents/left-tools')).toEqual(NONE)
  })

  it('expire with their token', async () => {
    const { owner } = team()
    const address = await agent('expired-tools')
    const { id } = await give(owner, address)
    await team().database.prisma.apiToken.update({ where: { id }, data: { expiresAt: new Date(0) } })
    expect(await look(owner, address)).toMatchObject({ token: { id }, inForce: false })
  })
})

describe('the tools of the system agent', () => {
  it('have the token of an admin, for as long as the user is one', async () => {
    const { admin } = team()
    const other = await addPerson(team(), admin, 'once-an-admin@example.org', 'admin')
    await give(other, '/system-agent')
    await by(admin)(`PATCH /users/${other.id}`, { role: 'user' })
    expect(await look(admin, '/system-agent')).toMatchObject({ token: { of: other.email }, inForce: false })
    await give(admin, '/system-agent')
    expect(await look(admin, '/system-agent')).toMatchObject({ token: { of: admin.email }, inForce: true })
    await by(admin)('DELETE /system-agent/tools')
  })
})
