/** `/audit`: the log, for admins who signed in. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AuditEvent, AuditQuery, Page, PAGE_LIMIT_DEFAULT } from '@slipway/protocol'
import { isUuid } from '../../lib/ids.ts'
import { pageOf, pageStart } from '../../lib/page.ts'
import { type AuditRepository, presentEvent } from './repository.ts'

/** Options of {@link auditRoutes}. */
export interface AuditRouteOptions {
  readonly events: AuditRepository
}

export const auditRoutes: FastifyPluginAsyncTypebox<AuditRouteOptions> = async (app, { events }) => {
  const tags = ['audit']
  const config = { action: 'audit.read' } as const

  app.get(
    '/audit',
    {
      config,
      schema: {
        tags,
        summary: 'Who did what',
        description:
          'The newest first. `actor` and `target` take an id, an e-mail address or a name, as it was then; `action` one ' +
          'action, or all of a group (`agent`); `from` and `to` a moment, the second one excluded.',
        querystring: AuditQuery,
        response: { 200: Page(AuditEvent) },
      },
    },
    async (request) => {
      const { limit, cursor, ...filter } = request.query
      const page = pageStart(
        { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) },
        PAGE_LIMIT_DEFAULT,
        isUuid,
      )
      return pageOf(await events.list(filter, page), page.limit, (row) => row.id, presentEvent)
    },
  )
}
