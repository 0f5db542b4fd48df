import type { Agent, AgentTemplate, AuditEvent, Preparation, SetAgentTemplate } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { call, type Person } from '../../../../test/support/people.ts'
import { as, useTeam } from '../../../../test/support/team.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })
const by = (person: Person) => as(team(), person)
const TEMPLATE: SetAgentTemplate = {
  description: 'The API with its packages',
  settings: { runtime: 'codex', memoryMb: 512, skipPermissions: false },
  repository: { url: 'https://git.example.org/harbour/api.git', ref: 'main' },
  setupCommand: 'npm ci',
  variables: [{ name: 'PORT', value: '3000' }],
}
const put = (name: string, body: object) => by(team().admin)(`PUT /platform/agent-templates/${name}`, body)

describe('a template of agents', () => {
  it('is made, changed and removed by admins, and seen by all', async () => {
    const { admin, stranger } = team()
    expect((await put('api', TEMPLATE)).json()).toMatchObject({ name: 'api', ...TEMPLATE })
    expect((await put('api', { ...TEMPLATE, description: '', repository: null })).statusCode).toBe(200)
    const listed = (await by(stranger)('GET /agent-templates')).json<AgentTemplate[]>()
    expect(listed).toMatchObject([{ name: 'api', description: '', repository: null, setupCommand: 'npm ci' }])
    expect((await by(stranger)('PUT /platform/agent-templates/mine', TEMPLATE)).statusCode).toBe(403)
    expect((await by(admin)('DELETE /platform/agent-templates/api')).statusCode).toBe(204)
    expect((await by(admin)('DELETE /platform/agent-templates/api')).statusCode).toBe(404)
    const { items } = (await call(team().app, 'GET /audit?limit=100', { token: admin.token })).json<{
      items: AuditEvent[]
    }>()
    const acts = items.filter(({ action }) => action.startsWith('agent_template.')).map(({ action }) => action)
    expect(acts).toEqual(['agent_template.removed', 'agent_template.set', 'agent_template.set'])
  })

  it.each<[string, string, object]>([
    ['an image that is not offered', 'NOT_OFFERED', { settings: { runtime: 'bash', image: 'evil:1' } }],
    ['a password in the address', 'VALIDATION', { repository: { url: 'https://a:b@git.example.org/x' } }],
    ['an option as a branch', 'VALIDATION', { repository: { url: 'https://git.example.org/x', ref: '--all' } }],
    ['no CLI', 'VALIDATION', { settings: {} }],
    ['a variable of the platform', 'VALIDATION', { variables: [{ name: 'PATH', value: '/evil' }] }],
    [
      'a variable twice',
      'VALIDATION',
      {
        variables: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      },
    ],
    ['another field', 'VALIDATION', { owner: 'me' }],
  ])('is refused with %s', async (_what, code, change) => {
    expect((await put('refused', { ...TEMPLATE, ...change })).json()).toMatchObject({ code })
  })

  it('makes an agent with its settings, variables and repository, unless the request names others', async () => {
    await put('whole', TEMPLATE)
    const { owner } = team()
    const made = await by(owner)('POST /agents?wait=true', { name: 'of-it', template: 'whole', memoryMb: 256 })
    expect(made.statusCode, made.body).toBe(201)
    expect(made.json<Agent>()).toMatchObject({ runtime: 'codex', memoryMb: 256, skipPermissions: false, cpus: 2 })
    // No program of the engine in memory clones anything.
    const preparation = await until('the end', async () => {
      const found = (await by(owner)('GET /agents/of-it/preparation')).json<{ preparation: Preparation }>()
      return found.preparation.state === 'failed' ? found.preparation : null
    })
    expect(preparation).toMatchObject({ repository: { ...TEMPLATE.repository, folder: '/home/developer/api' } })
    expect((await by(owner)('GET /agents/of-it/variables')).json()).toMatchObject({
      items: [{ name: 'PORT', value: '3000', secret: false, setBy: owner.email }],
    })
  })

  it('that does not exist makes none, and without one the request names a CLI', async () => {
    const { owner } = team()
    for (const body of [{ name: 'of-none', template: 'none' }, { name: 'of-none' }])
      expect((await by(owner)('POST /agents', body)).json()).toMatchObject({ code: 'VALIDATION' })
    expect((await by(owner)('GET /agents/of-none')).statusCode).toBe(404)
  })

  it('needs the scopes of what it begins with', async () => {
    await put('scoped', TEMPLATE)
    const { app, owner } = team()
    const tokenWith = async (...scopes: string[]) =>
      (await by(owner)('POST /tokens', { name: 'ci', scopes })).json<{ token: string }>().token
    const create = async (name: string, token: string) =>
      (await call(app, 'POST /agents', { token, body: { name, template: 'scoped' } })).statusCode
    expect(await create('scoped-1', await tokenWith('agents:write'))).toBe(403)
    expect(await create('scoped-2', await tokenWith('agents:write', 'terminal'))).toBe(201)
  })
})
