/** What programs in agents reach over their relay without a token, and what people read of it. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AgentShown,
  AskedPeople,
  AskPeople,
  ClaudeHook,
  ClaudeHookAnswer,
  EditorText,
  Notify,
  Show,
} from '@slipway/protocol'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { onAgent } from '../agents/on-agent.ts'
import type { AgentService } from '../agents/service.ts'
import type { Hooks } from './hooks/hooks.ts'
import { requireVisitor } from './visitor.ts'
import type { AskService } from './service.ts'
import type { Telling } from './telling.ts'

/** Largest question, in bytes. */
const ASK_BODY_BYTES = 131_072
/** Largest notice or other text, in bytes. */
const TOLD_BYTES = 65_536
const WithId = Type.Object({ id: Type.String({ format: 'uuid' }) })

export interface InnerParts {
  readonly asks: AskService
  readonly telling: Telling
  readonly hooks: Hooks
}

/** Not mounted on the network. */
export const innerRoutes: FastifyPluginAsyncTypebox<InnerParts> = async (app, { asks, telling, hooks }) => {
  const config = { visitors: true } as const

  app.post(
    '/ask',
    { config, bodyLimit: ASK_BODY_BYTES, schema: { body: AskPeople, response: { 200: AskedPeople } } },
    async (request, reply) => asks.ask(requireVisitor(request), request.body, leftOf(reply)),
  )

  app.delete(
    '/ask/:id',
    {
      config,
      schema: { params: WithId, response: { 200: AskedPeople } },
    },
    async (request) => asks.withdraw(requireVisitor(request), request.params.id),
  )

  app.post(
    '/hook/:id',
    { config, schema: { params: WithId, body: ClaudeHook, response: { 200: ClaudeHookAnswer, 202: Type.Null() } } },
    async (request, reply) => {
      const answer = await hooks.take(requireVisitor(request), request.params.id, request.body, leftOf(reply))
      return answer === null ? reply.code(202).send(null) : reply.send(answer)
    },
  )

  app.post(
    '/notify',
    { config, bodyLimit: TOLD_BYTES, schema: { body: Notify, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await telling.notify(requireVisitor(request), request.body)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/show',
    { config, bodyLimit: TOLD_BYTES, schema: { body: Show, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await telling.show(requireVisitor(request), request.body)
      return reply.code(204).send(null)
    },
  )

  app.get('/show/editor', { config, schema: { response: { 200: EditorText } } }, async (request) =>
    telling.editorText(requireVisitor(request)),
  )
}

/** Options of {@link shownRoutes}. */
export interface ShownParts {
  readonly agents: Pick<AgentService, 'require' | 'requireSystem'>
  readonly telling: Telling
}

export const shownRoutes: FastifyPluginAsyncTypebox<ShownParts> = async (app, { agents, telling }) => {
  onAgent(agents, ({ base, isSystem, route, find }) => {
    app.get(
      `${base}/shown`,
      route('agent.view', {
        tags: [isSystem ? 'system agent' : 'agents'],
        summary: 'What its programs show, and their last notices',
        response: { 200: AgentShown },
      }),
      async (request) => {
        const { caller, row } = await find(request)
        return telling.of(caller, row.id)
      },
    )
  })
}

/** Aborted when the program has left. */
const leftOf = (reply: FastifyReply): AbortSignal => {
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  return left.signal
}
