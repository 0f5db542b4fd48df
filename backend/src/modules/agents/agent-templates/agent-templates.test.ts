import {
  type Agent,
  type AgentTemplate,
  type AgentVariable,
  type AuditEvent,
  type Preparation,
  type SetAgentTemplate,
  VARIABLE_VALUE_MAX,
  VARIABLES_BYTES,
  VARIABLES_MAX,
} from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { SECRET_KEY } from '../../../../test/support/server/app.ts'
import { auditOf, whileAuditIsRefused } from '../../../../test/support/audit.ts'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { call, type Person } from '../../../../test/support/people/people.ts'
import { as, useTeam } from '../../../../test/support/people/team.ts'
import { Keyring } from '../../credentials/secret-key/keyring.ts'
import { placeOf } from '../../credentials/variables/repository.ts'

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
    ['a secret variable without a value', 'VALIDATION', { secretVariables: [{ name: 'KEY' }] }],
    ['an empty secret variable', 'VALIDATION', { secretVariables: [{ name: 'KEY', value: '' }] }],
    [
      'a secret variable with the name of a plain one',
      'VALIDATION',
      { secretVariables: [{ name: 'PORT', value: 'x' }] },
    ],
    [
      'more variables than an agent may have',
      'VALIDATION',
      { secretVariables: Array.from({ length: VARIABLES_MAX }, (_, at) => ({ name: `V${at}`, value: 'x' })) },
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

  it('has secret variables, whose values no answer, event or log has, and gives them to its agents', async () => {
    const { admin, owner, stranger, database } = team()
    const [first, second] = ['canary-first-value', 'canary-second-value']
    const secrets = (...secretVariables: NonNullable<SetAgentTemplate['secretVariables']>) =>
      put('secret', { ...TEMPLATE, repository: null, setupCommand: null, secretVariables })
    const set = await secrets({ name: 'KEY', value: first }, { name: 'OLD', value: first })
    expect(set.json<AgentTemplate>().secretVariables).toEqual([
      { name: 'KEY', setAt: expect.any(String) },
      { name: 'OLD', setAt: expect.any(String) },
    ])
    const answers = [
      set,
      // One keeps its value, one goes, one comes.
      await secrets({ name: 'KEY' }, { name: 'NEW', value: second }),
      await by(stranger)('GET /agent-templates'),
      await by(owner)('POST /agents?wait=true', { name: 'of-secret', template: 'secret' }),
      await by(owner)('GET /agents/of-secret/variables'),
      await by(owner)('GET /agents/of-secret/preparation'),
      await by(admin)('GET /audit?limit=100'),
    ]
    for (const { statusCode, body } of answers) {
      expect(statusCode, body).toBeLessThan(300)
      expect(body).not.toContain('canary')
    }
    const known = { secret: true, value: null, readable: true, setBy: owner.email }
    const { items } = (await by(owner)('GET /agents/of-secret/variables')).json<{ items: AgentVariable[] }>()
    expect(items.filter(({ secret }) => secret)).toMatchObject([
      { name: 'KEY', ...known },
      { name: 'NEW', ...known },
    ])
    const { id } = await database.prisma.agent.findUniqueOrThrow({ where: { name: 'of-secret' } })
    const rows = await database.prisma.agentVariable.findMany({ where: { agentId: id, secret: true } })
    const keyring = new Keyring(new TextEncoder().encode(SECRET_KEY))
    expect(rows.map((row) => keyring.open(row, placeOf(row))).toSorted()).toEqual([first, second])
    for (const { sealed } of [...rows, ...(await database.prisma.agentTemplateSecret.findMany())])
      expect(Buffer.from(sealed).toString('latin1')).not.toContain('canary')
    const events = await auditOf(team(), admin, '&target=secret')
    expect(events.map(({ detail }) => detail['changes'])).toMatchObject([
      { 'secretVariables.OLD': { secret: 'removed' }, 'secretVariables.NEW': { secret: 'set' } },
      { 'secretVariables.KEY': { secret: 'set' }, 'secretVariables.OLD': { secret: 'set' } },
    ])
    expect((await auditOf(team(), admin, '&target=of-secret&action=agent.created'))[0]?.detail).toMatchObject({
      template: 'secret',
      secretVariables: ['KEY', 'NEW'],
    })
    // Those that a request does not name are removed. The agent keeps its own, and its preparation sets the plain one.
    expect((await secrets()).json<AgentTemplate>().secretVariables).toEqual([])
    const namesOf = async () =>
      (await by(owner)('GET /agents/of-secret/variables'))
        .json<{ items: AgentVariable[] }>()
        .items.map(({ name }) => name)
    await expect.poll(namesOf).toEqual(['KEY', 'NEW', 'PORT'])
  })

  it('has no more text than an agent may have, with what it keeps', async () => {
    // As many at once as fit into a request.
    const next = (from: number) =>
      [0, 1, 2].map((at) => ({ name: `V${from + at}`, value: 'x'.repeat(VARIABLE_VALUE_MAX) }))
    let kept: { name: string }[] = []
    const add = () => put('large', { ...TEMPLATE, secretVariables: [...kept, ...next(kept.length)] })
    let answer = await add()
    while (answer.statusCode === 200) {
      kept = answer.json<AgentTemplate>().secretVariables.map(({ name }) => ({ name }))
      answer = await add()
    }
    expect(answer.json()).toMatchObject({ code: 'VALIDATION' })
    expect(kept.length).toBe(3 * Math.floor((VARIABLES_BYTES - 1) / VARIABLE_VALUE_MAX / 3))
    const listed = (await by(team().owner)('GET /agent-templates')).json<AgentTemplate[]>()
    expect(listed.find(({ name }) => name === 'large')?.secretVariables).toHaveLength(kept.length)
  })

  it('makes no agent without its secret variables, and one that cannot be recorded has none', async () => {
    const { owner, database } = team()
    await put('lost', { ...TEMPLATE, secretVariables: [{ name: 'KEY', value: 'canary-lost' }] })
    const unrecorded = await whileAuditIsRefused(database, () =>
      by(owner)('POST /agents', { name: 'of-unrecorded', template: 'lost' }),
    )
    expect(unrecorded.json()).toMatchObject({ code: 'AUDIT_REFUSED' })
    expect(await database.prisma.agentVariable.count({ where: { agent: { name: 'of-unrecorded' } } })).toBe(0)
    await database.prisma.agentTemplateSecret.updateMany({ where: { name: 'KEY' }, data: { keyId: 'lost' } })
    const refused = await by(owner)('POST /agents', { name: 'of-lost', template: 'lost' })
    expect(refused.json()).toMatchObject({ code: 'SECRET_KEY_MISMATCH' })
    expect(refused.json<{ message: string }>().message).toContain('KEY')
    expect((await by(owner)('GET /agents/of-lost')).statusCode).toBe(404)
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
    const bare = { description: '', settings: { runtime: 'bash' }, repository: null, setupCommand: null, variables: [] }
    await put('scoped', bare)
    expect(await create('scoped-3', await tokenWith('agents:write'))).toBe(201)
    await put('scoped', { ...bare, secretVariables: [{ name: 'KEY', value: 'canary' }] })
    expect(await create('scoped-4', await tokenWith('agents:write'))).toBe(403)
    expect(await create('scoped-5', await tokenWith('agents:write', 'terminal'))).toBe(201)
  })
})
