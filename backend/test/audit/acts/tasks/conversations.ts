import { until } from '@slipway/testing'
import { expect } from 'vitest'
import type { AuditAction } from '@slipway/protocol'
import type { Call } from '../../../support/people/people.ts'
import { storedConversation } from '../../../support/stored/conversations.ts'
import { type Act, type Answer, row, send, someAgent } from '../act.ts'

/** What the owner does with a conversation of theirs. */
const act = (
  name: string,
  answered: number,
  { action, isBusy, facts = {} }: { action: AuditAction; isBusy: boolean; facts?: object },
  what: (id: string, messageId: string) => Call,
  body?: object,
): Act => [
  name,
  answered,
  async (team) => {
    const agentName = await someAgent(team)
    const { id, messageId } = await storedConversation(team.database.prisma, {
      ...{ agentName, userId: team.owner.id, isBusy },
    })
    const detail = { owner: team.owner.email, conversationId: id, ...facts }
    return {
      perform: (): Promise<Answer> => send(team, team.owner, what(id, messageId), body),
      rows: [row(team, action, agentName, detail)],
    }
  },
]

/** Conversations with coding CLIs. */
export const CONVERSATIONS: readonly Act[] = [
  [
    'a new conversation',
    201,
    async (team) => {
      const agent = await someAgent(team)
      // There its first turn waits.
      await send(team, team.owner, `POST /agents/${agent}/stop?wait=true`)
      const facts = { owner: team.owner.email, conversationId: expect.any(String) as unknown, provider: 'claude-code' }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, 'POST /conversations', { agent, prompt: 'hi' }),
        rows: [row(team, 'conversation.created', agent, facts), row(team, 'task.queued', agent, facts)],
      }
    },
  ],
  act(
    'a fork of a conversation',
    201,
    { action: 'conversation.forked', isBusy: false, facts: { conversationId: expect.any(String) as unknown } },
    (id) => `POST /conversations/${id}/fork`,
    {},
  ),
  act(
    'a conversation that is renamed',
    200,
    {
      ...{ action: 'conversation.changed', isBusy: false },
      facts: { changes: { title: { before: 'hi', after: 'Renamed' } } },
    },
    (id) => `PATCH /conversations/${id}`,
    { title: 'Renamed' },
  ),
  act(
    'a message to a conversation',
    201,
    { action: 'conversation.message_sent', isBusy: true },
    (id) => `POST /conversations/${id}/messages`,
    { text: 'Go on' },
  ),
  [
    'a message to a turn that runs',
    201,
    async (team) => {
      const { prisma } = team.database
      const agentName = await someAgent(team)
      const { id, runId } = await storedConversation(prisma, { agentName, userId: team.owner.id, isBusy: true })
      await prisma.codingRun.update({ where: { id: runId }, data: { state: 'running', policy: 'ask' } })
      const body = { text: 'Not that', how: 'steer' }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST /conversations/${id}/messages`, body),
        rows: [row(team, 'conversation.steered', agentName, { owner: team.owner.email, conversationId: id })],
      }
    },
  ],
  act(
    'a message that waits and is changed',
    200,
    { action: 'conversation.message_changed', isBusy: true },
    (id, messageId) => `PATCH /conversations/${id}/queue/${messageId}`,
    { text: 'Not that' },
  ),
  act(
    'a message that is withdrawn',
    204,
    { action: 'conversation.message_withdrawn', isBusy: true },
    (id, messageId) => `DELETE /conversations/${id}/queue/${messageId}`,
  ),
  [
    'a turn that is ended',
    202,
    async (team) => {
      const { prisma } = team.database
      const agentName = await someAgent(team)
      const { id, runId, messageId } = await storedConversation(prisma, {
        ...{ agentName, userId: team.owner.id, isBusy: true },
      })
      await prisma.conversationMessage.delete({ where: { id: messageId } })
      const isOver = async () => (await prisma.conversation.findUniqueOrThrow({ where: { id } })).currentRunId === null
      const facts = { owner: team.owner.email, taskId: runId }
      return {
        perform: async (): Promise<Answer> => {
          const answer = await send(team, team.owner, `POST /conversations/${id}/interrupt`)
          if (answer.status === 202) await until('the end of the turn', isOver)
          return answer
        },
        rows: [
          row(team, 'task.terminated', agentName, facts),
          row(team, 'task.ended', agentName, { ...facts, reason: 'terminated' }),
        ],
      }
    },
  ],
  act(
    'a conversation that is deleted',
    204,
    { action: 'conversation.deleted', isBusy: false },
    (id) => `DELETE /conversations/${id}`,
  ),
]
