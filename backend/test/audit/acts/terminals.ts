/** Terminals, links to them, and programs without a terminal. */
import type { CreatedTerminalLink } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { call } from '../../support/people/people.ts'
import { expect } from 'vitest'
import type { Team } from '../../support/people/team.ts'
import { type Act, type Answer, enter, execRows, row, seconds, send, someAgent, visit } from './act.ts'

const SIZE = { cols: 80, rows: 24 }

const pathOf = (agent: string): string => `/agents/${agent}/terminal?mode=bash`

/** A terminal of the owner, which stays open. */
const someTerminal = async (team: Team) => {
  const agent = await someAgent(team)
  const terminal = await enter(team, pathOf(agent), { token: team.owner.token, ...SIZE })
  const { sessionId } = terminal
  const facts = { owner: team.owner.email, sessionId }
  return { agent, terminal, facts, links: `/terminal-sessions/${sessionId}/links` as const }
}
const someLink = async (team: Team, access = 'view') => {
  const there = await someTerminal(team)
  const body = { access, audience: 'anyone' }
  const made = await call(team.app, `POST ${there.links}`, { token: team.owner.token, body })
  const { id, secret } = made.json<CreatedTerminalLink>()
  return { ...there, id, secret, facts: { ...there.facts, linkId: id } }
}
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
    'reconnecting to a terminal',
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
      const detail = { ...facts, access: 'control', audience: 'agent', expiresAt: expect.any(String) as unknown }
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
  [
    'control that is handed over',
    200,
    async (team) => {
      const { agent, terminal, secret: link, facts } = await someLink(team, 'control')
      const detail = { owner: facts.owner, sessionId: facts.sessionId, to: team.colleague.email }
      await enter(team, '/watch', { link, token: team.colleague.token })
      await until('both to be there', () => terminal.people.length === 2)
      const perform = async (): Promise<Answer> => {
        const told = terminal.of('people').length
        terminal.send({ type: 'give_control', to: '2' })
        const answer = await until('an answer', () => terminal.of('people')[told])
        if (answer.refusal !== undefined)
          return { status: 503, code: /audit/.exec(answer.refusal) ? 'AUDIT_REFUSED' : '' }
        return { status: terminal.people[1] === `2 ${team.colleague.email} has control` ? 200 : 409 }
      }
      return { perform, rows: [row(team, 'terminal.control_given', agent, detail)] }
    },
  ],
  [
    'control that its user takes back',
    200,
    async (team) => {
      const { agent, terminal, secret: link, facts } = await someLink(team, 'control')
      const detail = { owner: facts.owner, sessionId: facts.sessionId, from: team.colleague.email }
      await enter(team, '/watch', { link, token: team.colleague.token })
      await until('both to be there', () => terminal.people.length === 2)
      terminal.send({ type: 'give_control', to: '2' })
      await until('the guest to have control', () => terminal.people[1] === `2 ${team.colleague.email} has control`)
      const perform = async (): Promise<Answer> => {
        const told = terminal.of('people').length
        terminal.send({ type: 'give_control', to: '1' })
        const answer = await until('an answer', () => terminal.of('people')[told])
        if (answer.refusal !== undefined)
          return { status: 503, code: /audit/.exec(answer.refusal) ? 'AUDIT_REFUSED' : '' }
        return { status: terminal.people[0] === `1 ${team.owner.email} has control` ? 200 : 409 }
      }
      return { perform, rows: [row(team, 'terminal.control_taken_back', agent, detail)] }
    },
  ],
  watching('a user who comes by a link', 'colleague'),
  watching('an unknown user who comes by a link', null),
  [
    'a program without a terminal',
    200,
    async (team) => {
      const agent = await someAgent(team)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST /agents/${agent}/exec`, { argv: ['id', '-u'] }),
        rows: execRows(team, agent, 'id'),
      }
    },
  ],
]
