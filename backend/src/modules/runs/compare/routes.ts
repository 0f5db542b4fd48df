/** `/api/coding-agents/comparisons`: one prompt for several coding CLIs. And the archive of tasks. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ChooseSession,
  CodingSession,
  COMPARED_MAX,
  COMPARED_MIN,
  Comparison,
  Comparisons,
  ComparisonsQuery,
  CreateComparison,
} from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { requireCaller } from '../../identity/require-caller.ts'
import { RUN_BODY_BYTES } from '../routes.ts'
import type { ComparisonService } from './service.ts'

interface Parts {
  readonly service: ComparisonService
}

const BASE = '/coding-agents/comparisons'
/** An invalid id gets the same answer as a missing one. */
const params = Type.Object({ id: Type.String({ maxLength: 100 }) })
const tags = ['tasks']

export const comparisonRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { service }) => {
  /** Checks the right before a kept answer is replayed. */
  const mayStart = async (request: FastifyRequest): Promise<void> => {
    const { resourceId, body } = request
    if (resourceId !== undefined) await service.checkAgain(requireCaller(request), body as CreateComparison, resourceId)
  }

  app.post(
    BASE,
    {
      bodyLimit: RUN_BODY_BYTES,
      config: { action: 'task.start', idempotent: mayStart },
      schema: {
        tags,
        summary: 'Compare coding CLIs',
        description: `Starts one prompt on ${COMPARED_MIN} to ${COMPARED_MAX} targets, each in an agent or a folder of its own. A target that cannot start now waits in line. One that can do neither is told with its refusal. If none can, the answer is the refusal of the first one, and nothing is left.`,
        body: CreateComparison,
        response: { 201: Comparison },
      },
    },
    async (request, reply) => {
      const { body, resourceId } = request
      return reply.code(201).send(await service.create(requireCaller(request), body, resourceId))
    },
  )

  app.get(
    BASE,
    {
      config: { action: 'tasks.list' },
      schema: {
        tags,
        summary: 'Your comparisons',
        description: 'Newest first. The answers of the tasks are left out.',
        querystring: ComparisonsQuery,
        response: { 200: Comparisons },
      },
    },
    async (request) => service.list(requireCaller(request), request.query),
  )

  app.get(
    `${BASE}/:id`,
    {
      config: { action: 'tasks.list' },
      schema: { tags, summary: 'A comparison', params, response: { 200: Comparison } },
    },
    async (request) => service.get(requireCaller(request), request.params.id),
  )

  app.post(
    `${BASE}/:id/choose`,
    {
      config: { action: 'task.archive' },
      schema: {
        tags,
        summary: 'Choose a task of a comparison',
        description:
          'The others are archived. All of them must have ended. Another choice takes its task out of the archive.',
        params,
        body: ChooseSession,
        response: { 200: Comparison },
      },
    },
    async (request) => service.choose(requireCaller(request), request.params.id, request.body.sessionId),
  )

  for (const [name, isArchived, summary, description] of [
    ['archive', true, 'Archive a task', 'It has ended, and leaves the default lists. `archived=true` shows it.'],
    ['unarchive', false, 'Take a task out of the archive', 'It is in the default lists again.'],
  ] as const)
    app.post(
      `/coding-agents/sessions/:id/${name}`,
      {
        config: { action: 'task.archive' },
        schema: { tags, summary, description, params, response: { 200: CodingSession } },
      },
      async (request) => service.archive(requireCaller(request), request.params.id, isArchived),
    )
}
