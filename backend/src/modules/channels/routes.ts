/** `/api/notifications` and `/api/notices`: the ways to reach a user, and answers that come back on them. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AddPushDevice,
  AnswerDialog,
  Channels,
  Dialog,
  PUSH_DEVICES_MAX,
  PushDevice,
  PushTest,
} from '@slipway/protocol'
import Type from 'typebox'
import { requireCaller } from '../identity/require-caller.ts'
import type { ChannelService } from './service.ts'

interface Parts {
  readonly service: ChannelService
}

/** An invalid id gets the same answer as a missing row. */
const params = Type.Object({ id: Type.String({ maxLength: 100 }) })
const tags = ['notifications']
const config = { action: 'account.channels' } as const

export const channelRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { service }) => {
  app.get(
    '/notifications',
    {
      config,
      schema: {
        tags,
        summary: 'How I can be reached',
        description: 'What is sent, and when, is in your preferences.',
        response: { 200: Channels },
      },
    },
    async (request) => service.get(requireCaller(request)),
  )

  app.post(
    '/notifications/devices',
    {
      config,
      schema: {
        tags,
        summary: 'Get pushes in this browser',
        description: `With the parts of the browser's \`PushSubscription\`. A browser that is known already is replaced. The device is removed when the sign-in that added it ends. There may be ${PUSH_DEVICES_MAX}.`,
        body: AddPushDevice,
        response: { 201: PushDevice },
      },
    },
    async (request, reply) => {
      const userAgent = request.headers['user-agent'] ?? null
      return reply.code(201).send(await service.addDevice(requireCaller(request), request.body, userAgent))
    },
  )

  app.delete(
    '/notifications/devices/:id',
    {
      config,
      schema: { tags, summary: 'Remove a device', params, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await service.removeDevice(requireCaller(request), request.params.id)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/notifications/devices/:id/test',
    {
      config,
      schema: {
        tags,
        summary: 'Test a device',
        description: 'Pushes a message once, and waits for the answer of its push service.',
        params,
        response: { 200: PushTest },
      },
    },
    async (request) => service.testDevice(requireCaller(request), request.params.id, request.signal),
  )

  app.post(
    '/notices/:id/answer',
    {
      config: { action: 'dialog.answer' },
      schema: {
        tags,
        summary: 'Answer a question from a message',
        description:
          'The same as answering the question itself. The audit log records that the answer came from a push or a mail.',
        params,
        body: AnswerDialog,
        response: { 200: Dialog },
      },
    },
    async (request) => service.answer(requireCaller(request), request.params.id, request.body),
  )
}
