/** `/api/conversations/:id/messages` and `/queue`: what was said, and what waits. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ConversationMessage,
  ConversationTurns,
  MESSAGES_QUEUED_MAX,
  SendMessage,
  TurnsQuery,
  UpdateQueuedMessage,
} from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { ById } from '../identity/deletion.ts'
import { requireCaller } from '../identity/require-caller.ts'
import { RUN_BODY_BYTES } from '../runs/routes.ts'
import type { ConversationMessages } from './messages.ts'
import { BASE, tags } from './routes.ts'

interface Parts {
  readonly messages: ConversationMessages
}

const MessageParams = Type.Object({ ...ById.properties, messageId: Type.String({ maxLength: 100 }) })
const Queue = Type.Array(ConversationMessage)

export const messageRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { messages }) => {
  /** Checks the right before a kept answer is replayed. */
  const mayWrite = (request: FastifyRequest): Promise<void> =>
    messages.checkAgain(requireCaller(request), (request.params as Type.Static<typeof ById>).id)

  app.get(
    `${BASE}/:id/messages`,
    {
      config: { action: 'conversation.view' },
      schema: {
        tags,
        summary: 'What was said',
        description:
          'The last turns in their order, each a message with the task that it began. `before` asks for earlier ones. The answer of a task is its `result`, and what it did are its events.',
        params: ById,
        querystring: TurnsQuery,
        response: { 200: ConversationTurns },
      },
    },
    async (request) => messages.past(requireCaller(request), request.params.id, request.query),
  )

  app.post(
    `${BASE}/:id/messages`,
    {
      bodyLimit: RUN_BODY_BYTES,
      config: { action: 'conversation.write', idempotent: mayWrite },
      schema: {
        tags,
        summary: 'Send a message',
        description: `Begins the next turn, or waits behind the turn that runs. ${MESSAGES_QUEUED_MAX} messages may wait. With \`how: steer\` it is given to the turn that runs; if that does not take messages or belongs to another user, the answer is 409 \`CANNOT_STEER\`.`,
        params: ById,
        body: SendMessage,
        response: { 201: ConversationMessage },
      },
    },
    async (request, reply) => {
      const { params, body, resourceId } = request
      return reply.code(201).send(await messages.send(requireCaller(request), params.id, body, resourceId))
    },
  )

  app.get(
    `${BASE}/:id/queue`,
    {
      config: { action: 'conversation.view' },
      schema: { tags, summary: 'The messages that wait', params: ById, response: { 200: Queue } },
    },
    async (request) => messages.queue(requireCaller(request), request.params.id),
  )

  app.patch(
    `${BASE}/:id/queue/:messageId`,
    {
      bodyLimit: RUN_BODY_BYTES,
      config: { action: 'conversation.write' },
      schema: {
        tags,
        summary: 'Change a message that waits',
        description: 'Its text, or its place among those that wait. The answer is the queue.',
        params: MessageParams,
        body: UpdateQueuedMessage,
        response: { 200: Queue },
      },
    },
    async (request) => {
      const { id, messageId } = request.params
      return messages.edit(requireCaller(request), id, messageId, request.body)
    },
  )

  app.delete(
    `${BASE}/:id/queue/:messageId`,
    {
      config: { action: 'conversation.write' },
      schema: { tags, summary: 'Withdraw a message', params: MessageParams, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await messages.withdraw(requireCaller(request), request.params.id, request.params.messageId)
      return reply.code(204).send(null)
    },
  )
}
