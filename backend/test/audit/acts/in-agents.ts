/** Shares of agents, their files and their processes. */
import { LEFT_PID } from '../../support/engine/memory-engine.ts'
import { type Act, send, someAgent } from './act.ts'

export const IN_AGENTS: readonly Act[] = [
  [
    'an agent that is shared',
    201,
    async (team) => {
      const agent = await someAgent(team)
      const { id, email } = team.colleague
      const detail = { with: email, changes: { userId: { after: id } } }
      return {
        perform: () => send(team, team.owner, `POST /agents/${agent}/shares`, { email }),
        rows: [{ action: 'share.created', actor: team.owner.email, target: agent, detail }],
      }
    },
  ],
  [
    'an agent that is shared no more',
    204,
    async (team) => {
      const agent = await someAgent(team)
      const { id, email } = team.colleague
      await send(team, team.owner, `POST /agents/${agent}/shares`, { email })
      const row = { action: 'share.removed', actor: team.owner.email, target: agent, detail: { with: email } } as const
      return { perform: () => send(team, team.owner, `DELETE /agents/${agent}/shares/${id}`), rows: [row] }
    },
  ],
  [
    'own credentials allowed again',
    204,
    async (team) => {
      const agent = await someAgent(team)
      const { id, email } = team.colleague
      await send(team, team.owner, `POST /agents/${agent}/shares`, { email })
      await send(team, team.owner, `DELETE /agents/${agent}/shares/${id}`)
      const row = { action: 'agent.trusted', actor: team.owner.email, target: agent } as const
      return { perform: () => send(team, team.owner, `POST /agents/${agent}/trust`), rows: [row] }
    },
  ],
  [
    'a download',
    200,
    async (team) => {
      const agent = await someAgent(team)
      const detail = { path: '/home/developer/notes' }
      return {
        perform: () => send(team, team.owner, `GET /agents/${agent}/files?path=notes`),
        rows: [{ action: 'file.downloaded', actor: team.owner.email, target: agent, detail }],
      }
    },
  ],
  [
    'an upload',
    204,
    async (team) => {
      const agent = await someAgent(team)
      const detail = { path: '/home/developer/notes', size: 2 }
      return {
        perform: () => send(team, team.owner, `PUT /agents/${agent}/files?path=~/notes`, {}),
        rows: [{ action: 'file.uploaded', actor: team.owner.email, target: agent, detail }],
      }
    },
  ],
  [
    'the end of a process',
    204,
    async (team) => {
      const agent = await someAgent(team)
      const detail = { pid: LEFT_PID, program: 'sleep', sessionId: null }
      return {
        perform: () => send(team, team.owner, `DELETE /agents/${agent}/processes/${LEFT_PID}`),
        rows: [{ action: 'process.ended', actor: team.owner.email, target: agent, detail }],
      }
    },
  ],
]
