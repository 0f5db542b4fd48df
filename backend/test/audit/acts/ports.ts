/** Ports of agents, and links to them. */
import type { CreatedPortLink } from '@slipway/protocol'
import { expect } from 'vitest'
import { call } from '../../support/people/people.ts'
import type { Team } from '../../support/people/team.ts'
import { type Act, answer, send, someAgent } from './act.ts'

const somePortLink = async (team: Team) => {
  const agent = await someAgent(team)
  const made = await call(team.app, `POST /agents/${agent}/ports/5173/links`, { token: team.owner.token, body: {} })
  const { id, url } = made.json<CreatedPortLink>()
  return { agent, id, secret: new URL(url).hash.slice(1) }
}

export const PORTS: readonly Act[] = [
  [
    'a link to a port',
    201,
    async (team) => {
      const agent = await someAgent(team)
      const detail = { linkId: expect.any(String) as unknown, port: 5173, expiresAt: expect.any(String) as unknown }
      const row = { action: 'port.link_created', actor: team.owner.email, target: agent, detail } as const
      return { perform: () => send(team, team.owner, `POST /agents/${agent}/ports/5173/links`, {}), rows: [row] }
    },
  ],
  [
    'a link to a port that is revoked',
    204,
    async (team) => {
      const { agent, id } = await somePortLink(team)
      const row = {
        action: 'port.link_revoked',
        actor: team.owner.email,
        target: agent,
        detail: { linkId: id },
      } as const
      return { perform: () => send(team, team.owner, `DELETE /agents/${agent}/port-links/${id}`), rows: [row] }
    },
  ],
  [
    'a port that a visitor opens with a link',
    201,
    async (team) => {
      const { agent, id, secret } = await somePortLink(team)
      const row = { action: 'port.visited', actor: null, target: agent, detail: { linkId: id, port: 5173 } } as const
      const perform = () => call(team.app, 'POST /port-links/open', { body: { secret } }).then(answer)
      return { perform, rows: [row] }
    },
  ],
  [
    'a port that is opened',
    201,
    async (team) => {
      const agent = await someAgent(team)
      const row = { action: 'port.opened', actor: team.owner.email, target: agent, detail: { port: 5173 } } as const
      return { perform: () => send(team, team.owner, `POST /agents/${agent}/ports/5173/tickets`, {}), rows: [row] }
    },
  ],
]
