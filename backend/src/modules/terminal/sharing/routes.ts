/** Links to live sessions, and the socket for their guests. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CreatedTerminalLink, CreateTerminalLink, Page, type Relation, TerminalLink } from '@slipway/protocol'
import Type from 'typebox'
import { AppError, notFound } from '../../../lib/errors.ts'
import { COSTLY_PUBLIC_ROUTE } from '../../../plugins/rate-limit.ts'
import { allows } from '../../access/policy.ts'
import { relationOf } from '../../agents/rows.ts'
import { sourceOf } from '../../audit/actor.ts'
import type { Caller } from '../../identity/caller.ts'
import { requireCaller } from '../../identity/require-caller.ts'
import { isKeptFrom } from '../../sessions/claim.ts'
import { Connection } from '../connection.ts'
import type { Liveness } from '../../../plugins/liveness.ts'
import type { Slot } from '../registry.ts'
import { WatchEntrance, type WatchDeps } from './entrance.ts'
import type { Links } from './links.ts'
import type { Watchers } from './watchers.ts'

const NOT_BY_TOKEN = "This terminal holds a user's own credential, so API tokens may not share it. Sign in instead."

const BySession = Type.Object({ sessionId: Type.String({ maxLength: 64 }) })
const ByLink = Type.Object({ sessionId: Type.String({ maxLength: 64 }), linkId: Type.String({ maxLength: 64 }) })

/** A session, and the caller's relation to its agent. */
interface Shareable {
  readonly slot: Slot
  readonly relation: Relation
}

interface Parts {
  readonly sharing: WatchDeps & { readonly links: Links; readonly watchers: Watchers }
  readonly liveness: Liveness
  readonly baseUrl: () => string
}

export const sharingRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { sharing, baseUrl }) => {
  const { registry, agentById, links, watchers } = sharing
  const tags = ['terminals']
  const config = { action: 'terminal.share' } as const

  /**
   * A session that the caller may share. Throws the same `NOT_FOUND` for a missing session as for one that is not
   * theirs.
   */
  const find = async (caller: Caller, sessionId: string): Promise<Shareable> => {
    const slot = registry.bySession(sessionId)
    const row = slot && (await agentById(slot.row.id))
    const relation = row && relationOf(caller, row)
    if (!slot || !relation || !allows(caller, 'terminal.share', relation)) throw notFound()
    if (slot.caller.userId !== caller.userId && relation === 'sharee') throw notFound()
    return { slot, relation }
  }

  app.post(
    '/terminal-sessions/:sessionId/links',
    {
      config,
      schema: {
        tags,
        summary: 'Create a link to a live terminal',
        description:
          "The session's user, the agent's owner and admins may create links. Only the owner and admins may create one for `anyone`. The secret is in this response only. A guest needs a sign-in to get control, even if the link is for `anyone`. If the terminal holds its user's own credential, an API token may not share it (`PERSONAL_CREDENTIAL`).",
        params: BySession,
        body: CreateTerminalLink,
        response: { 201: CreatedTerminalLink },
      },
    },
    async (request, reply) => {
      const caller = requireCaller(request)
      const { slot, relation } = await find(caller, request.params.sessionId)
      // The link would show a guest what the token itself must not see.
      if (isKeptFrom(caller, slot)) throw new AppError('PERSONAL_CREDENTIAL', NOT_BY_TOKEN)
      if (request.body.audience === 'anyone' && !allows(caller, 'terminal.publish', relation))
        throw new AppError('FORBIDDEN', "Only the agent's owner and admins may create a link for anyone.")
      const link = await links.create(caller, slot, request.body)
      return reply.code(201).send({ ...link, url: `${baseUrl()}/watch#${link.secret}` })
    },
  )
  app.get(
    '/terminal-sessions/:sessionId/links',
    {
      config,
      schema: {
        tags,
        summary: 'List the links to a live terminal',
        params: BySession,
        response: { 200: Page(TerminalLink) },
      },
    },
    async (request) => {
      const { slot } = await find(requireCaller(request), request.params.sessionId)
      return { items: await links.list(slot), nextCursor: null }
    },
  )
  app.delete(
    '/terminal-sessions/:sessionId/links/:linkId',
    {
      config,
      schema: {
        tags,
        summary: 'Revoke a link',
        description: 'The server tells the guests who use the link, and disconnects them.',
        params: ByLink,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const caller = requireCaller(request)
      const { sessionId, linkId } = request.params
      const { slot } = await find(caller, sessionId)
      await links.revoke(caller, slot, linkId)
      watchers.revoked(linkId)
      return reply.code(204).send(null)
    },
  )
}

/** A plugin of its own, like all sockets, so that the server refuses pages of a foreign origin. */
export const watchRoute: FastifyPluginAsyncTypebox<Parts> = async (app, { sharing, liveness }) => {
  app.get(
    '/watch',
    // Through a link for anyone, a stranger causes a row in the audit log and a printed screen.
    {
      websocket: true,
      config: { action: 'public', firstMessage: true, ...COSTLY_PUBLIC_ROUTE },
      schema: { hide: true },
    },
    (socket, request) => {
      const entrance = new WatchEntrance(sharing, sourceOf(request))
      const connection = new Connection({ socket, entrance, query: request.query, log: request.log })
      liveness.watch(socket, () => connection.alive())
    },
  )
}
