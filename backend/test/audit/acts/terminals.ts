/** Terminals, links to them, and programs without one. */
import type { AuditAction, CreatedTerminalLink } from '@slipway/protocol'
import { expect } from 'vitest'
import { call } from '../../support/people.ts'
import type { Team } from '../../support/team.ts'
import { type Act, type Answer, enter, type Expected, send, someAgent, visit } from './act.ts'

const SIZE = { cols: 80, rows: 24 }
/** Whoever was refused, and whoever left, has a number for it. */
const seconds: unknown = expect.any(Number)

const pathOf = (agent: string): string => `/agents/${agent}/terminal?mode=bash`

/** A terminal of the owner's, which stays open. */
const someTerminal = async (team: Team) => {
  const agent = await someAgent(team)
  const { sessionId } = await enter(team, pathOf(agent), { token: team.owner.token, ...SIZE })
  const facts = { owner: team.owner.email, sessionId }
  return { agent, sessionId, facts, links: `/terminal-sessions/${sessionId}/links` as const }
}
const someLink = async (team: Team) => {
  const terminal = await someTerminal(team)
  const body = { access: 'view', audience: 'anyone' }
  const made = await call(team.app, `POST ${terminal.links}`, { token: team.owner.token, body })
  const { id, secret } = made.json<CreatedTerminalLink>()
  return { ...terminal, id, secret, facts: { ...terminal.facts, linkId: id } }
}
/** One of the owner's own, unless somebody else does it. */
const row = (team: Team, action: AuditAction, target: string, detail: object): Expected => ({
  action,
  actor: team.owner.email,
  target,
  detail,
})
const watching = (name: string, comesAs: 'colleague' | null): Act => [
  name,
  1000,
  async (team) => {
    const { agent, secret: link, facts } = await someLink(team)
    const person = comesAs && team[comesAs]
    return {
      perform: () => visit(team, '/watch', { link, ...(person && { token: person.token }) }),
      rows: [
        {
          action: 'terminal.watched',
          actor: person && person.email,
          target: agent,
          detail: { ...facts, access: 'view' },
        },
      ],
    }
  },
]

export const TERMINALS: readonly Act[] = [
  [
    'a terminal',
    1000,
    async (team) => {
      const agent = await someAgent(team)
      const by = { actor: team.admin.email, target: agent }
      const facts = { owner: team.owner.email, mode: 'bash' }
      const end = { ...facts, reason: 'disconnected', exitCode: null, seconds }
      return {
        perform: () => visit(team, pathOf(agent), { token: team.admin.token, ...SIZE }),
        rows: [
          { action: 'terminal.started', ...by, detail: { ...facts, relation: 'admin' } },
          { action: 'terminal.ended', ...by, detail: end },
        ],
      }
    },
  ],
  [
    'coming back to a terminal',
    1000,
    async (team) => {
      const { agent, facts } = await someTerminal(team)
      const first = { token: team.owner.token, takeover: true, ...SIZE }
      return {
        perform: () => visit(team, pathOf(agent), first),
        rows: [
          row(team, 'terminal.attached', agent, { ...facts, mode: 'bash', relation: 'owner' }),
          row(team, 'terminal.ended', agent, { ...facts, reason: 'disconnected', seconds }),
        ],
      }
    },
  ],
  [
    'a link to a terminal',
    201,
    async (team) => {
      const { agent, links, facts } = await someTerminal(team)
      const detail = { ...facts, access: 'control', audience: 'agent' }
      return {
        perform: () => send(team, team.owner, `POST ${links}`, { access: 'control' }),
        rows: [row(team, 'terminal.link_created', agent, detail)],
      }
    },
  ],
  [
    'a link to a terminal that is revoked',
    204,
    async (team) => {
      const { agent, links, id, facts } = await someLink(team)
      return {
        perform: () => send(team, team.owner, `DELETE ${links}/${id}`),
        rows: [row(team, 'terminal.link_revoked', agent, facts)],
      }
    },
  ],
  watching('somebody who comes by a link', 'colleague'),
  watching('nobody in particular who comes by a link', null),
  [
    'a program without a terminal',
    200,
    async (team) => {
      const agent = await someAgent(team)
      const facts = { owner: team.owner.email, mode: 'exec' }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST /agents/${agent}/exec`, { argv: ['id', '-u'] }),
        rows: [
          row(team, 'exec.started', agent, { ...facts, program: 'id', relation: 'owner' }),
          row(team, 'exec.ended', agent, { ...facts, reason: 'exited', exitCode: 0, seconds }),
        ],
      }
    },
  ],
]
