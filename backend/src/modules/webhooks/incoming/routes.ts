/** `/api/incoming-webhooks`: addresses that start tasks. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  CreatedIncomingHook,
  CreateIncomingHook,
  IncomingHook,
  UpdateIncomingHook,
  WEBHOOKS_MAX,
} from '@slipway/protocol'
import Type from 'typebox'
import { requireCaller } from '../../identity/require-caller.ts'
import { RUN_BODY_BYTES } from '../../runs/routes.ts'
import type { IncomingService } from './service.ts'

interface Parts {
  readonly service: IncomingService
}

const BASE = '/incoming-webhooks'
const tags = ['webhooks']
const list = { action: 'webhooks.list' } as const
const manage = { action: 'webhooks.manage' } as const
/** An invalid id gets the same answer as a missing webhook. */
const params = Type.Object({ id: Type.String({ maxLength: 100 }) })

export const incomingRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { service }) => {
  app.get(
    BASE,
    {
      config: list,
      schema: { tags, summary: 'List your incoming webhooks', response: { 200: Type.Array(IncomingHook) } },
    },
    async (request) => service.list(requireCaller(request)),
  )

  app.post(
    BASE,
    {
      bodyLimit: RUN_BODY_BYTES,
      config: manage,
      schema: {
        tags,
        summary: 'Create an incoming webhook',
        description: `A call to its address starts a task of yours. The answer has the secret. No other answer has it. A user may have ${WEBHOOKS_MAX}.`,
        body: CreateIncomingHook,
        response: { 201: CreatedIncomingHook },
      },
    },
    async (request, reply) => reply.code(201).send(await service.create(requireCaller(request), request.body)),
  )

  app.get(
    `${BASE}/:id`,
    { config: list, schema: { tags, summary: 'Get an incoming webhook', params, response: { 200: IncomingHook } } },
    async (request) => service.get(requireCaller(request), request.params.id),
  )

  app.patch(
    `${BASE}/:id`,
    {
      bodyLimit: RUN_BODY_BYTES,
      config: manage,
      schema: {
        tags,
        summary: 'Change an incoming webhook',
        description:
          'Fields that are missing stay as they are. Its tasks are from then on those of the user or the API token of this request.',
        params,
        body: UpdateIncomingHook,
        response: { 200: IncomingHook },
      },
    },
    async (request) => service.change(requireCaller(request), request.params.id, request.body),
  )

  app.delete(
    `${BASE}/:id`,
    {
      config: manage,
      schema: {
        tags,
        summary: 'Delete an incoming webhook',
        description: 'Its tasks go on.',
        params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await service.remove(requireCaller(request), request.params.id)
      return reply.code(204).send(null)
    },
  )

  app.post(
    `${BASE}/:id/rotate`,
    {
      config: manage,
      schema: {
        tags,
        summary: 'Give an incoming webhook a new secret',
        description: 'The answer has the secret. No other answer has it. The old one is refused at once.',
        params,
        response: { 200: CreatedIncomingHook },
      },
    },
    async (request) => service.rotate(requireCaller(request), request.params.id),
  )
}
