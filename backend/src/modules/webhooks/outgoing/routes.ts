/** `/api/webhooks` and `/api/platform/webhooks`: addresses that hear of tasks. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  CreatedWebhook,
  CreateWebhook,
  UpdateWebhook,
  Webhook,
  WebhookDelivery,
  WEBHOOK_DELIVERIES_KEPT,
  WEBHOOKS_MAX,
} from '@slipway/protocol'
import Type from 'typebox'
import type { Action } from '../../access/policy.ts'
import { requireCaller } from '../../identity/require-caller.ts'
import type { WebhookService, Whose } from './service.ts'

interface Parts {
  readonly service: WebhookService
}

interface Collection {
  readonly base: string
  readonly whose: Whose
  readonly of: string
  readonly list: Action
  readonly manage: Action
}

const COLLECTIONS: readonly Collection[] = [
  { base: '/webhooks', whose: 'user', of: 'your', list: 'webhooks.list', manage: 'webhooks.manage' },
  {
    base: '/platform/webhooks',
    whose: 'platform',
    of: "the platform's",
    list: 'webhooks.platform',
    manage: 'webhooks.platform',
  },
]
const tags = ['webhooks']
/** An invalid id gets the same answer as a missing webhook. */
const id = Type.String({ maxLength: 100 })
const params = Type.Object({ id })
const deliveryParams = Type.Object({ id, delivery: Type.String({ maxLength: 100 }) })

export const webhookRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { service }) => {
  for (const { base, whose, of, list, manage } of COLLECTIONS) {
    app.get(
      base,
      {
        config: { action: list },
        schema: { tags, summary: `List ${of} webhooks`, response: { 200: Type.Array(Webhook) } },
      },
      async (request) => service.list(requireCaller(request), whose),
    )

    app.post(
      base,
      {
        config: { action: manage },
        schema: {
          tags,
          summary: `Create a webhook (${of})`,
          description: `The server sends a POST to its address when a task ends or waits for a usage limit${whose === 'user' ? '' : ', of any user'}. The answer has the secret that signs the deliveries. No other answer has it. There may be ${WEBHOOKS_MAX} webhooks.`,
          body: CreateWebhook,
          response: { 201: CreatedWebhook },
        },
      },
      async (request, reply) => reply.code(201).send(await service.create(requireCaller(request), whose, request.body)),
    )

    app.get(
      `${base}/:id`,
      {
        config: { action: list },
        schema: { tags, summary: `Get a webhook (${of})`, params, response: { 200: Webhook } },
      },
      async (request) => service.get(requireCaller(request), whose, request.params.id),
    )

    app.patch(
      `${base}/:id`,
      {
        config: { action: manage },
        schema: {
          tags,
          summary: `Change a webhook (${of})`,
          description:
            'Fields that are missing stay as they are. If it is switched off, what waits to be sent is not sent.',
          params,
          body: UpdateWebhook,
          response: { 200: Webhook },
        },
      },
      async (request) => service.change(requireCaller(request), whose, request.params.id, request.body),
    )

    app.delete(
      `${base}/:id`,
      {
        config: { action: manage },
        schema: { tags, summary: `Delete a webhook (${of})`, params, response: { 204: Type.Null() } },
      },
      async (request, reply) => {
        await service.remove(requireCaller(request), whose, request.params.id)
        return reply.code(204).send(null)
      },
    )

    app.post(
      `${base}/:id/rotate`,
      {
        config: { action: manage },
        schema: {
          tags,
          summary: `Give a webhook a new secret (${of})`,
          description: 'The answer has the secret. No other answer has it. Later deliveries are signed with it.',
          params,
          response: { 200: CreatedWebhook },
        },
      },
      async (request) => service.rotate(requireCaller(request), whose, request.params.id),
    )

    app.post(
      `${base}/:id/test`,
      {
        config: { action: manage },
        schema: {
          tags,
          summary: `Test a webhook (${of})`,
          description: 'Sends a message of the kind `test` once, and waits for the answer.',
          params,
          response: { 200: WebhookDelivery },
        },
      },
      async (request) => service.test(requireCaller(request), whose, request.params.id),
    )

    app.get(
      `${base}/:id/deliveries`,
      {
        config: { action: list },
        schema: {
          tags,
          summary: `List the deliveries of a webhook (${of})`,
          description: `Newest first: those that wait to be sent, and the last ${WEBHOOK_DELIVERIES_KEPT} others.`,
          params,
          response: { 200: Type.Array(WebhookDelivery) },
        },
      },
      async (request) => service.deliveries(requireCaller(request), whose, request.params.id),
    )

    app.post(
      `${base}/:id/deliveries/:delivery/again`,
      {
        config: { action: manage },
        schema: {
          tags,
          summary: `Send a delivery again (${of})`,
          description: 'With the same id and the same body.',
          params: deliveryParams,
          response: { 200: WebhookDelivery },
        },
      },
      async (request) => service.again(requireCaller(request), whose, request.params.id, request.params.delivery),
    )
  }
}
