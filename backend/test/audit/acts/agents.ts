/** What users do to agents. */
import type { AuditAction } from '@slipway/protocol'
import { newAgent } from '../../support/people/team.ts'
import { type Act, send, someAgent, someName } from './act.ts'

/** A command to an agent of the owner. */
const command = (path: string, action: AuditAction): Act => [
  `${path} of an agent`,
  202,
  async (team) => {
    const agent = await someAgent(team)
    const row = { action, actor: 'owner@example.org', target: agent, detail: { owner: 'owner@example.org' } }
    return { perform: () => send(team, team.owner, `POST /agents/${agent}/${path}`), rows: [row] }
  },
]

export const AGENTS: readonly Act[] = [
  [
    'an agent that is made',
    201,
    (team) => {
      const name = someName()
      const changes = { name: { after: name }, memoryMb: { after: 256 }, ownerId: { after: team.owner.id } }
      const row = { action: 'agent.created', actor: team.owner.email, target: name, detail: { changes } } as const
      return Promise.resolve({ perform: () => send(team, team.owner, 'POST /agents', newAgent(name)), rows: [row] })
    },
  ],
  [
    'the settings of an agent',
    200,
    async (team) => {
      const agent = await someAgent(team)
      const changes = { model: { before: null, after: 'opus' } }
      const detail = { owner: team.owner.email, changes }
      return {
        perform: () => send(team, team.admin, `PATCH /agents/${agent}`, { model: 'opus', memoryMb: 256 }),
        rows: [{ action: 'agent.changed', actor: team.admin.email, target: agent, detail }],
      }
    },
  ],
  command('start', 'agent.started'),
  command('stop', 'agent.stopped'),
  command('restart', 'agent.restarted'),
  [
    'an agent that is deleted',
    204,
    async (team) => {
      const agent = await someAgent(team)
      const by = { actor: team.owner.email, target: agent }
      return {
        perform: () => send(team, team.owner, `DELETE /agents/${agent}`),
        rows: [
          { action: 'agent.deleting', ...by },
          { action: 'agent.deleted', ...by },
        ],
      }
    },
  ],
  [
    'a template of agents that is made',
    200,
    (team) => {
      const name = someName()
      const body = {
        description: '',
        settings: { runtime: 'bash' },
        repository: null,
        setupCommand: 'id',
        variables: [],
      }
      const detail = { changes: { setupCommand: { after: 'id' } } }
      const row = { action: 'agent_template.set', actor: team.admin.email, target: name, detail } as const
      return Promise.resolve({
        perform: () => send(team, team.admin, `PUT /platform/agent-templates/${name}`, body),
        rows: [row],
      })
    },
  ],
  [
    'a template of agents that is removed',
    204,
    async (team) => {
      const name = someName()
      const data = { name, description: '', settings: { runtime: 'bash' }, variables: [], updatedAt: new Date() }
      await team.database.prisma.agentTemplate.create({ data })
      const row = { action: 'agent_template.removed', actor: team.admin.email, target: name } as const
      return { perform: () => send(team, team.admin, `DELETE /platform/agent-templates/${name}`), rows: [row] }
    },
  ],
  [
    'a new container of the system agent',
    202,
    (team) =>
      Promise.resolve({
        perform: () => send(team, team.admin, 'POST /system-agent/recreate?wait=true'),
        rows: [{ action: 'agent.recreated', actor: team.admin.email, target: 'system', detail: { owner: null } }],
      }),
  ],
]
