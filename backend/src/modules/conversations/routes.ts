/** `/api/conversations`: tasks that continue one session of a coding CLI. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  Conversation,
  Conversations,
  ConversationsQuery,
  CONVERSATIONS_PER_USER,
  CreateConversation,
  ForkConversation,
  InterruptTurn,
  Nullable,
  UpdateConversation,
} from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { addDeletion, ById } from '../identity/deletion.ts'
import { requireCaller } from '../identity/require-caller.ts'
import { RUN_BODY_BYTES } from '../runs/routes.ts'
import type { ConversationService } from './service.ts'

interface Parts {
  readonly service: ConversationService
}

export const BASE = '/conversations'
export const tags = ['conversations']
const params = ById

export const conversationRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { service }) => {
  /** Checks the right before a kept answer is replayed. */
  const mayStart = async (request: FastifyRequest): Promise<void> => {
    const { resourceId, body } = request
    if (resourceId !== undefined)
      await service.checkAgain(requireCaller(request), body as CreateConversation, resourceId)
  }

  const mayWrite = async (request: FastifyRequest): Promise<void> => {
    await service.require(requireCaller(request), (request.params as Static<typeof ById>).id, 'conversation.write')
  }

  app.get(
    BASE,
    {
      config: { action: 'conversations.list' },
      schema: {
        tags,
        summary: 'Conversations',
        description:
          'Yours, or with `by` those of others, or of one user, in agents that you may see. By their last activity, newest first.',
        querystring: ConversationsQuery,
        response: { 200: Conversations },
      },
    },
    async (request) => service.list(requireCaller(request), request.query),
  )

  app.post(
    BASE,
    {
      bodyLimit: RUN_BODY_BYTES,
      config: { action: 'task.start', idempotent: mayStart },
      schema: {
        tags,
        summary: 'Begin a conversation',
        description: `Its first turn is a task with this prompt, which waits in line if it cannot start now. All turns have the same folder and the same options. A user may have ${CONVERSATIONS_PER_USER} conversations that are not archived.`,
        body: CreateConversation,
        response: { 201: Conversation },
      },
    },
    async (request, reply) => {
      const { body, resourceId } = request
      return reply.code(201).send(await service.create(requireCaller(request), body, resourceId))
    },
  )

  app.get(
    `${BASE}/:id`,
    {
      config: { action: 'conversation.view' },
      schema: { tags, summary: 'A conversation', params, response: { 200: Conversation } },
    },
    async (request) => service.get(requireCaller(request), request.params.id),
  )

  app.patch(
    `${BASE}/:id`,
    {
      config: { action: 'conversation.write' },
      schema: {
        tags,
        summary: 'Rename or archive a conversation',
        description: `Fields that are missing stay as they are. While a turn runs or a message waits, it cannot be archived. One that leaves the archive counts among the ${CONVERSATIONS_PER_USER} of its user.`,
        params,
        body: UpdateConversation,
        response: { 200: Conversation },
      },
    },
    async (request) => service.change(requireCaller(request), request.params.id, request.body),
  )

  addDeletion(
    app,
    {
      path: `${BASE}/:id`,
      action: 'conversation.write',
      tags,
      summary: 'Delete a conversation',
      description: 'Its messages are deleted, and its tasks stay. It cannot be deleted while a turn runs.',
    },
    (caller, id) => service.remove(caller, id),
  )

  app.post(
    `${BASE}/:id/fork`,
    {
      config: { action: 'conversation.write', idempotent: mayWrite },
      schema: {
        tags,
        summary: 'Fork a conversation',
        description:
          'Makes a conversation of yours in the same folder, whose CLI knows what was said in this one. Its first message begins a session of its own. If the CLI cannot fork its session, or has none yet, the answer is 409 `CANNOT_FORK`.',
        params,
        body: ForkConversation,
        response: { 201: Conversation },
      },
    },
    async (request, reply) => {
      const { params: of, body, resourceId } = request
      return reply.code(201).send(await service.fork(requireCaller(request), of.id, body, resourceId))
    },
  )

  app.post(
    `${BASE}/:id/interrupt`,
    {
      config: { action: 'conversation.write' },
      schema: {
        tags,
        summary: 'Interrupt the turn',
        description:
          'The CLI is interrupted, then ended. What it has printed so far is kept. The next message that waits begins the next turn. With `runId`, only the turn of that task is ended: if another one runs, the answer is 409 `WRONG_STATE`.',
        params,
        body: Nullable(InterruptTurn),
        response: { 202: Conversation },
      },
    },
    async (request, reply) => {
      // Null, and undefined without a body.
      const { params: of, body } = request
      return reply.code(202).send(await service.interrupt(requireCaller(request), of.id, body ?? undefined))
    },
  )
}
