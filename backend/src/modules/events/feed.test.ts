import { describe, expect, it } from 'vitest'
import { listen } from '../../../test/support/server/listener.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'

const team = useTeam()
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const everybody = async () => {
  const { admin, owner, colleague, stranger } = team()
  const [a, o, c, s] = await Promise.all([admin, owner, colleague, stranger].map(({ token }) => listen(team(), token)))
  return { admin: a!, owner: o!, colleague: c!, stranger: s! }
}

describe('a listener', () => {
  it('is told of what they may see, and of nothing else', async () => {
    const pages = await everybody()
    await owner('POST /agents?wait=true', newAgent('told'))
    await pages.owner.hears('the failure', () => pages.owner.about('told').includes('failed'))
    await pages.admin.hears('the failure', () => pages.admin.about('told').includes('failed'))
    expect(pages.owner.of('agent').at(-1)?.agent).toMatchObject({ name: 'told', relation: 'owner' })
    expect(pages.admin.of('agent').at(-1)?.agent).toMatchObject({ relation: 'admin' })
    expect(pages.owner.of('sessions').at(-1)?.sessions).toEqual([])

    await owner('POST /agents/told/shares', { email: team().colleague.email })
    await pages.colleague.hears('the share', () => pages.colleague.about('told').length > 0)
    expect(pages.colleague.of('agent').at(-1)?.agent).toMatchObject({ relation: 'sharee' })

    await owner('PATCH /agents/told', { model: 'opus' })
    await pages.colleague.hears('the change', () => pages.colleague.of('agent').at(-1)?.agent.model === 'opus')

    await owner(`DELETE /agents/told/shares/${team().colleague.id}`)
    await pages.colleague.hears('the removal', () => pages.colleague.about('told').at(-1) === 'removed')
    await owner('PATCH /agents/told', { model: 'sonnet' })
    await pages.owner.hears('the change', () => pages.owner.of('agent').at(-1)?.agent.model === 'sonnet')
    expect(pages.colleague.about('told').at(-1)).toBe('removed')
    expect(pages.owner.about('told')).not.toContain('removed')

    expect(pages.stranger.events).toEqual([{ type: 'auth_success' }])
    for (const page of Object.values(pages)) page.socket.close()
  })

  it('is not told of the system agent unless they are admins', async () => {
    const pages = await everybody()
    await as(team(), team().admin)('POST /system-agent/start?wait=true')
    await pages.admin.hears('the system agent', () => pages.admin.about('system').length > 0)
    await owner('POST /agents?wait=true', newAgent('later'))
    await pages.owner.hears('another agent', () => pages.owner.about('later').length > 0)
    for (const page of [pages.owner, pages.colleague, pages.stranger]) expect(page.about('system')).toEqual([])
    for (const page of Object.values(pages)) page.socket.close()
  })

  it('is not told again of an agent that is gone', async () => {
    const page = await listen(team(), team().owner.token)
    await owner('POST /agents?wait=true', newAgent('fleeting'))
    await Promise.all([
      ...['opus', 'sonnet', 'haiku'].map((model) => owner('PATCH /agents/fleeting', { model })),
      team().database.prisma.agent.findMany(),
    ])
    // The engine is away, so the deletion fails; only what the page is told matters here.
    await owner('DELETE /agents/fleeting')
    await page.hears('the failure', () => page.about('fleeting').at(-1) === 'failed')
    page.socket.close()
  })
})
