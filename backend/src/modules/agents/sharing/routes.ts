/** `/api/agents/:name/shares`: the other users of an agent. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CreateShare, Page, PAGE_LIMIT_DEFAULT, PageQuery, Share } from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { isUuid } from '../../../lib/ids.ts'
import { pageStart } from '../../../lib/page.ts'
import { requireCaller } from '../../identity/require-caller.ts'
import type { AgentService, Found } from '../service.ts'
import type { ShareService } from './shares.ts'

const ByName = Type.Object({ name: Type.String({ maxLength: 100 }) })
const ByNameAndUser = Type.Object({ name: Type.String({ maxLength: 100 }), userId: Type.String({ format: 'uuid' }) })

interface Parts {
  readonly agents: AgentService
  readonly shares: ShareService
}

export const shareRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, shares }) => {
  const tags = ['sharing']
  const config = { action: 'agent.manage' } as const
  const toShare = (request: FastifyRequest): Promise<Found> =>
    agents.require(requireCaller(request), (request.params as Static<typeof ByName>).name, 'agent.share')

  app.get(
    '/agents/:name/shares',
    {
      config,
      schema: {
        tags,
        summary: 'List the users it is shared with',
        params: ByName,
        querystring: PageQuery,
        response: { 200: Page(Share) },
      },
    },
    async (request) => {
      const found = await agents.require(requireCaller(request), request.params.name, 'agent.manage')
      return shares.list(found, pageStart(request.query, PAGE_LIMIT_DEFAULT, isUuid))
    },
  )

  app.post(
    '/agents/:name/shares',
    {
      config: { action: 'agent.share', idempotent: toShare },
      schema: {
        tags,
        summary: 'Share it with a colleague',
        description:
          'The colleague may use, start and stop it. Sharing it twice with the same user changes nothing. An API token needs the scopes `agents:write` and `terminal`.',
        params: ByName,
        body: CreateShare,
        response: { 201: Share },
      },
    },
    async (request, reply) => {
      const found = await toShare(request)
      return reply.code(201).send(await shares.add(found, request.body.email))
    },
  )

  app.delete(
    '/agents/:name/shares/:userId',
    {
      config,
      schema: {
        tags,
        summary: 'Stop sharing it with a user',
        description: 'Their open terminals in it end at once, and so do the programs that they left running.',
        params: ByNameAndUser,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const found = await agents.require(requireCaller(request), request.params.name, 'agent.manage')
      await shares.remove(found, request.params.userId)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/agents/:name/trust',
    {
      config: { action: 'agent.trust' },
      schema: {
        tags,
        summary: 'Use your own credentials in it again',
        description:
          'For its owner, after it was shared or handed over, or after another user controlled a terminal in it. Until ' +
          'then terminals get no personal credential: a start-up file or a process of another user could read it. ' +
          'Needed again after the next share. 409 while it is shared.',
        params: ByName,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await shares.trust(await agents.require(requireCaller(request), request.params.name, 'agent.trust'))
      return reply.code(204).send(null)
    },
  )
}
