import type { CreatedPortLink, PortLink, PortTicket } from '@slipway/protocol'
import { PORT_LINK_MINUTES_DEFAULT, PORT_LINK_PREFIX, PORT_LINKS_MAX } from '@slipway/protocol'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { call } from '../../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'
import { MINUTE_MS } from '../../../lib/time/clock.ts'
import { PortLinkRepository } from './repository.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })
let count = 0
let agent = ''
beforeEach(async () => {
  agent = `linked-${(count += 1)}`
  await as(team(), team().owner)('POST /agents?wait=true', newAgent(agent))
})

const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const create = async (body: object = {}): Promise<CreatedPortLink> => {
  const answer = await owner(`POST /agents/${agent}/ports/5173/links`, body)
  expect(answer.statusCode).toBe(201)
  return answer.json()
}
const list = async (): Promise<PortLink[]> =>
  (await owner(`GET /agents/${agent}/port-links`)).json<{ items: PortLink[] }>().items
/** What a visitor without a sign-in gets. */
const open = (secret: string) => call(team().app, 'POST /port-links/open', { body: { secret } })
const secretOf = ({ url }: CreatedPortLink): string => new URL(url).hash.slice(1)

describe('a link to a port', () => {
  it('lets a visitor in who is not signed in, and is listed without its secret', async () => {
    const link = await create()
    const { url, ...listed } = link
    expect(new URL(url).pathname).toBe('/shared-port')
    expect(secretOf(link).startsWith(PORT_LINK_PREFIX)).toBe(true)
    expect(await list()).toEqual([listed])
    expect(Date.parse(link.expiresAt) - Date.parse(link.createdAt)).toBe(PORT_LINK_MINUTES_DEFAULT * MINUTE_MS)
    const answer = await open(secretOf(link))
    expect(answer.statusCode).toBe(201)
    expect(answer.json<PortTicket>().url).toMatch(new RegExp(`^http://5173--${agent}--.*/\\.slipway/enter\\?ticket=`))
  })

  it('is over once it expires, is revoked, or its user may not make it any more', async () => {
    const expired = await create({ expiresInMinutes: 5 })
    team().clock.advance(5 * MINUTE_MS)
    const revoked = await create()
    expect((await owner(`DELETE /agents/${agent}/port-links/${revoked.id}`)).statusCode).toBe(204)
    expect((await owner(`DELETE /agents/${agent}/port-links/${revoked.id}`)).statusCode).toBe(404)
    for (const link of [expired, revoked]) {
      const answer = await open(secretOf(link))
      expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
        ...[404, 'This link has expired or was revoked. Ask the owner of the agent for another one.'],
      ])
    }
    const kept = await create()
    const { prisma } = team().database
    const { id } = team().colleague
    await prisma.agent.update({ where: { name: agent }, data: { ownerId: id } })
    expect((await open(secretOf(kept))).statusCode).toBe(404)
    await prisma.agent.update({ where: { name: agent }, data: { ownerId: team().owner.id } })
    expect((await open(secretOf(kept))).statusCode).toBe(201)
  })

  it('lets in no visitor who has come with it just before it is revoked', async () => {
    const link = await create()
    const { find } = PortLinkRepository.prototype
    const spy = vi.spyOn(PortLinkRepository.prototype, 'find').mockImplementationOnce(async function (
      this: PortLinkRepository,
      ...args
    ) {
      const found = await find.apply(this, args)
      expect((await owner(`DELETE /agents/${agent}/port-links/${link.id}`)).statusCode).toBe(204)
      return found
    })
    const answer = await open(secretOf(link))
    spy.mockRestore()
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([404, 'NOT_FOUND'])
  })

  it('has a bound, and those that have expired do not count', async () => {
    for (let made = 0; made < PORT_LINKS_MAX; made += 1) await create({ expiresInMinutes: 5 })
    const refused = await owner(`POST /agents/${agent}/ports/5173/links`, {})
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([409, 'TOO_MANY_LINKS'])
    team().clock.advance(5 * MINUTE_MS)
    await create()
    expect(await list()).toHaveLength(1)
  })

  it.each([0, 4, 10_081, 1.5, '5'])('is not made for %j minutes', async (expiresInMinutes) => {
    expect((await owner(`POST /agents/${agent}/ports/5173/links`, { expiresInMinutes })).statusCode).toBe(400)
  })

  it.each(['', 'slo_', 'slk_x', 'x'.repeat(201)])('is not %j', async (secret) => {
    expect([400, 404]).toContain((await open(secret)).statusCode)
  })
})
