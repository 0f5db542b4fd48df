/** `/api/dialogs`: questions of agents to people. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AnswerDialog, CreateDialog, Dialog, DIALOG_WAIT_SECONDS, DialogsQuery, WaitForDialog } from '@slipway/protocol'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { requireCaller } from '../identity/require-caller.ts'
import type { DialogService } from './service.ts'
import type { DialogWaits } from './waits.ts'

/** An invalid id gets the same answer as a missing dialog. */
const params = Type.Object({ id: Type.String({ maxLength: 100 }) })
const tags = ['dialogs']

interface Parts {
  readonly service: DialogService
  readonly waits: DialogWaits
}

export const dialogRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { service, waits }) => {
  app.get(
    '/dialogs',
    {
      config: { action: 'dialogs.list' },
      schema: {
        tags,
        summary: 'Questions of agents',
        description:
          'Those in agents that you may see, newest first. With `state=open`, those that wait for an answer.',
        querystring: DialogsQuery,
        response: { 200: Type.Array(Dialog) },
      },
    },
    async (request) => service.list(requireCaller(request), request.query),
  )

  app.get(
    '/dialogs/:id',
    {
      config: { action: 'dialog.view' },
      schema: {
        tags,
        summary: 'A question to people',
        description: `With \`wait=true\`, the answer comes when it is closed, and after ${DIALOG_WAIT_SECONDS} seconds at the latest.`,
        params,
        querystring: WaitForDialog,
        response: { 200: Dialog },
      },
    },
    async (request, reply) => {
      const [caller, { id }] = [requireCaller(request), request.params]
      return request.query.wait === true ? waits.closed(caller, id, leftOf(reply)) : service.get(caller, id)
    },
  )

  app.post(
    '/dialogs',
    {
      config: { action: 'dialog.ask' },
      schema: {
        tags,
        summary: 'Ask people',
        description: `Those who may use the agent see the question. You, its owner and admins may answer. With \`wait=true\`, the answer comes when it is closed, and after ${DIALOG_WAIT_SECONDS} seconds at the latest. Then go on with \`GET /dialogs/:id?wait=true\`.`,
        body: CreateDialog,
        querystring: WaitForDialog,
        response: { 201: Dialog },
      },
    },
    async (request, reply) => {
      const caller = requireCaller(request)
      const ask = (): Promise<Dialog> => service.ask(caller, request.body)
      return reply.code(201).send(await (request.query.wait === true ? waits.asked(caller, ask, leftOf(reply)) : ask()))
    },
  )

  app.post(
    '/dialogs/:id/answer',
    {
      config: { action: 'dialog.answer' },
      schema: {
        tags,
        summary: 'Answer a question',
        description:
          'The first answer counts. A later one gets `DIALOG_CLOSED`, which says who was first. An approval takes a `decision`, everything else a `value`.',
        params,
        body: AnswerDialog,
        response: { 200: Dialog },
      },
    },
    async (request) => service.answer(requireCaller(request), request.params.id, request.body),
  )

  app.delete(
    '/dialogs/:id',
    {
      config: { action: 'dialog.answer' },
      schema: {
        tags,
        summary: 'Cancel a question',
        description: 'The agent is told that it gets no answer. It does not get the permission that it asked for.',
        params,
        response: { 200: Dialog },
      },
    },
    async (request) => service.cancel(requireCaller(request), request.params.id),
  )
}

/** Aborted when the client has left. */
const leftOf = (reply: FastifyReply): AbortSignal => {
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  return left.signal
}
