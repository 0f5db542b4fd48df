/** `POST /api/coding-agents/sessions/:id/terminal`: a task goes on in a terminal. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CodingTerminal } from '@slipway/protocol'
import Type from 'typebox'
import { requireCaller } from '../../identity/require-caller.ts'
import { RESERVED_SECONDS } from './leases.ts'
import type { RunConversations } from './continue.ts'

/** An invalid id gets the same answer as a missing session. */
const IdParams = Type.Object({ id: Type.String({ maxLength: 100 }) })

interface Parts {
  readonly conversations: Pick<RunConversations, 'offer'>
}

export const continueRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { conversations }) => {
  app.post(
    '/coding-agents/sessions/:id/terminal',
    {
      config: { action: 'task.terminal' },
      schema: {
        tags: ['tasks'],
        summary: 'Continue a task in a terminal',
        description: `Says where to open a terminal in which the task's CLI continues its conversation, in the same folder. The conversation is kept for you for ${RESERVED_SECONDS} seconds: open the page or the socket within this time. While the terminal is open, no task can continue the conversation.`,
        params: IdParams,
        response: { 200: CodingTerminal },
      },
    },
    async (request) => conversations.offer(requireCaller(request), request.params.id),
  )
}
