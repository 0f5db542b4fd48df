/** Shares of agents, their files and their processes. */
import { LEFT_PID } from '../../support/engine/memory-engine.ts'
import { somePreparation } from '../../support/stored/preparations.ts'
import { someWorktree } from '../../support/stored/worktrees.ts'
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
  ...(
    [
      ['cancel', 'preparation.cancelled', 'confirming', undefined],
      ['retry', 'preparation.retried', 'cancelled', undefined],
      [
        ...(['confirm', 'preparation.confirmed', 'confirming'] as const),
        { image: false, containerEnv: false, postCreateCommand: false },
      ],
    ] as const
  ).map(([act, action, state, body]): Act => [
    `a preparation: ${act}`,
    200,
    async (team) => {
      const agent = await someAgent(team)
      const { id } = await team.database.prisma.agent.findUniqueOrThrow({ where: { name: agent } })
      await somePreparation(team.database, id, state)
      const row = { action, actor: team.owner.email, target: agent } as const
      return { perform: () => send(team, team.owner, `POST /agents/${agent}/preparation/${act}`, body), rows: [row] }
    },
  ]),
  [
    'settings of worktrees',
    200,
    async (team) => {
      const agent = await someAgent(team)
      const body = { mode: 'always', root: 'trees', setup: 'npm ci' }
      const changes = { mode: { after: 'always' }, root: { after: 'trees' }, setup: { after: 'npm ci' } }
      return {
        perform: () => send(team, team.owner, `PUT /agents/${agent}/worktree-settings`, body),
        rows: [{ action: 'worktrees.set', actor: team.owner.email, target: agent, detail: { changes } }],
      }
    },
  ],
  [
    'a worktree that is removed',
    409,
    async (team) => {
      const agent = await someAgent(team)
      const { id: agentId } = await team.database.prisma.agent.findUniqueOrThrow({ where: { name: agent } })
      const id = await someWorktree(team.database, agentId)
      const detail = { path: `/home/developer/trees/app-${id.slice(0, 8)}` }
      return {
        perform: () => send(team, team.owner, `DELETE /agents/${agent}/worktrees/${id}`),
        rows: [{ action: 'worktree.removed', actor: team.owner.email, target: agent, detail }],
      }
    },
  ],
  [
    'a worktree that is taken back',
    409,
    async (team) => {
      const agent = await someAgent(team)
      const { id: agentId } = await team.database.prisma.agent.findUniqueOrThrow({ where: { name: agent } })
      const id = await someWorktree(team.database, agentId)
      const detail = { branch: 'refs/heads/main', how: 'merge' }
      return {
        perform: () => send(team, team.owner, `POST /agents/${agent}/worktrees/${id}/take-back`, { how: 'merge' }),
        rows: [{ action: 'worktree.taken_back', actor: team.owner.email, target: agent, detail }],
      }
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
    'a new folder',
    204,
    async (team) => {
      const agent = await someAgent(team)
      const detail = { path: '/home/developer/notes' }
      return {
        perform: () => send(team, team.owner, `POST /agents/${agent}/files/folder?path=notes`),
        rows: [{ action: 'folder.created', actor: team.owner.email, target: agent, detail }],
      }
    },
  ],
  [
    'a move of a file',
    204,
    async (team) => {
      const agent = await someAgent(team)
      const detail = { path: '/home/developer/notes', to: '/home/developer/memos' }
      return {
        perform: () => send(team, team.owner, `POST /agents/${agent}/files/move?path=notes&to=memos`),
        rows: [{ action: 'file.moved', actor: team.owner.email, target: agent, detail }],
      }
    },
  ],
  [
    'a deletion of a file',
    200,
    async (team) => {
      const agent = await someAgent(team)
      const detail = { path: '/home/developer/notes', forGood: false }
      return {
        perform: () => send(team, team.owner, `DELETE /agents/${agent}/files?path=notes`),
        rows: [{ action: 'file.deleted', actor: team.owner.email, target: agent, detail }],
      }
    },
  ],
  [
    'a search in files',
    200,
    async (team) => {
      const agent = await someAgent(team)
      const detail = { path: '/home/developer' }
      return {
        perform: () => send(team, team.owner, `POST /agents/${agent}/files/search?path=~`, { pattern: 'canary' }),
        rows: [{ action: 'file.searched', actor: team.owner.email, target: agent, detail }],
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
