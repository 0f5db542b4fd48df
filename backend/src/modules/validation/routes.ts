/** `/api/coding-agents/sessions/:id/validation`: whether the project's own checks pass after a task. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Nullable, ValidateOptions, Validation } from '@slipway/protocol'
import Type from 'typebox'
import { requireCaller } from '../identity/require-caller.ts'
import type { ValidationService } from './service.ts'

interface Parts {
  readonly validations: ValidationService
}

const PATH = '/coding-agents/sessions/:id/validation'
/** An invalid id gets the same answer as a missing session. */
const params = Type.Object({ id: Type.String({ maxLength: 100 }) })
const tags = ['tasks']

export const validationRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { validations }) => {
  app.post(
    PATH,
    {
      config: { action: 'task.validate' },
      schema: {
        tags,
        summary: 'Validate a task',
        description:
          'Runs the builds and the tests of what the task changed, once it has ended, and answers when this has begun. Its commands are found from package.json, unless the request has a shell command. One validation at a time runs in an agent.',
        params,
        body: ValidateOptions,
        response: { 202: Validation },
      },
    },
    async (request, reply) =>
      reply.code(202).send(await validations.start(requireCaller(request), request.params.id, request.body)),
  )

  app.get(
    PATH,
    {
      config: { action: 'task.view' },
      schema: {
        tags,
        summary: 'Its validation',
        description:
          'The last one, or null, with each command: its exit code, its time, its tests, and the end of its output.',
        params,
        response: { 200: Nullable(Validation) },
      },
    },
    async (request) => validations.get(requireCaller(request), request.params.id),
  )

  app.delete(
    PATH,
    {
      config: { action: 'task.validate' },
      schema: {
        tags,
        summary: 'End its validation',
        description: 'Its commands are ended. The verdict is `not_verified`.',
        params,
        response: { 200: Validation },
      },
    },
    async (request) => validations.cancel(requireCaller(request), request.params.id),
  )
}
