import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { type Act, type Answer, row, send, someAgent } from '../act.ts'
import type { Team } from '../../../support/people/team.ts'

/** A question of an agent of the owner, which waits for its answer. */
const asked = async (team: Team) => {
  const { prisma } = team.database
  const name = await someAgent(team)
  const agent = await prisma.agent.findUniqueOrThrow({ where: { name } })
  const of = { id: randomUUID(), agentId: agent.id, agentName: name, userId: team.owner.id, personal: false }
  const { id } = await prisma.dialog.create({
    data: { ...of, title: 'Sure?', question: { kind: 'confirm' }, state: 'open' },
  })
  return { id, name, facts: { owner: team.owner.email, dialogId: id, kind: 'confirm' } }
}

/** Questions of agents to people. */
export const DIALOGS: readonly Act[] = [
  [
    'a question of a program to people',
    201,
    async (team) => {
      const agent = await someAgent(team)
      const body = { agent, title: 'Sure?', question: { kind: 'confirm' } }
      const facts = {
        owner: team.owner.email,
        dialogId: expect.any(String) as unknown,
        kind: 'confirm',
        relation: 'owner',
      }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, 'POST /dialogs', body),
        rows: [row(team, 'dialog.asked', agent, facts)],
      }
    },
  ],
  [
    'an answer to a question of an agent',
    200,
    async (team) => {
      const { id, name, facts } = await asked(team)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST /dialogs/${id}/answer`, { value: true }),
        rows: [row(team, 'dialog.answered', name, facts)],
      }
    },
  ],
  [
    'a question of an agent that is cancelled',
    200,
    async (team) => {
      const { id, name, facts } = await asked(team)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `DELETE /dialogs/${id}`),
        rows: [row(team, 'dialog.cancelled', name, facts)],
      }
    },
  ],
]
