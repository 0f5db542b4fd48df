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
  for (const [name, summary, body] of [
    ['input', 'Type into its terminal', RunInput],
    ['resize', 'Change the size of its terminal', RunSize],
  ] as const)
    app.post(
      `/coding-agents/sessions/:id/${name}`,
      {
        config: { action: 'task.input' },
        schema: {
          tags: ['tasks'],
          summary,
          description: 'A task in the mode `auto` has no terminal, so the answer is 409 `NOT_INTERACTIVE`.',
          params: IdParams,
          body,
          response: { 204: Type.Null() },
        },
      },
      async (request) => keyboard.refuse(requireCaller(request), request.params.id),
    )
}
