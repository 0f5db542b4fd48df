/** `POST /api/coding-agents/sessions/:id/input` and `.../resize`. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { RunInput, RunSize } from '@slipway/protocol'
import Type from 'typebox'
import { requireCaller } from '../../identity/require-caller.ts'
import type { RunKeyboard } from './keyboard.ts'

/** An invalid id gets the same answer as a missing session. */
const IdParams = Type.Object({ id: Type.String({ maxLength: 100 }) })

interface Parts {
  readonly keyboard: RunKeyboard
}

export const keyboardRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { keyboard }) => {
  const config = { action: 'task.input' } as const
  const description =
    'Any other task than an interactive one has no terminal of its own, so the answer is 409 `NOT_INTERACTIVE`.'
  const common = { tags: ['tasks'], description, params: IdParams, response: { 204: Type.Null() } }
  app.post(
    '/coding-agents/sessions/:id/input',
    { config, schema: { ...common, summary: 'Type into its terminal', body: RunInput } },
    async (request, reply) => {
      await keyboard.type(requireCaller(request), request.params.id, request.body)
      return reply.code(204).send(null)
    },
  )
  app.post(
    '/coding-agents/sessions/:id/resize',
    { config, schema: { ...common, summary: 'Change the size of its terminal', body: RunSize } },
    async (request, reply) => {
      await keyboard.resize(requireCaller(request), request.params.id, request.body)
      return reply.code(204).send(null)
    },
  )
}
