/** `/audit`: the log, for admins who signed in. */
import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AuditEvent, AuditExportQuery, AuditQuery, Page, PAGE_LIMIT_DEFAULT } from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Clock } from '../../lib/time/clock.ts'
import { isUuid, lowestIdAt } from '../../lib/ids.ts'
import { pageOf, pageStart } from '../../lib/page.ts'
import type { Actor } from './actor.ts'
import type { Audit } from './audit.ts'
import { exportOf, mediaTypeOf } from './export.ts'
import { type AuditRepository, presentEvent } from './repository.ts'

/** Options of {@link auditRoutes}. */
export interface AuditRouteOptions {
  readonly events: AuditRepository
  readonly audit: Pick<Audit, 'recordNow'>
  readonly clock: Clock
  /** The caller; throws if there is none. */
  readonly actorOf: (request: FastifyRequest) => Actor
}

export const auditRoutes: FastifyPluginAsyncTypebox<AuditRouteOptions> = async (app, options) => {
  const { events, audit, clock, actorOf } = options
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
          'Newest first. `actor` accepts an id or an e-mail address, `target` an id or a name. Addresses and names are ' +
          'those of the time of the event. `action` accepts one action or a group (`agent`). `to` is excluded.',
        querystring: AuditQuery,
        response: { 200: Page(AuditEvent) },
      },
    },
    async (request) => {
      const { limit, cursor, ...filter } = request.query
      const query = { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) }
      const page = pageStart(query, PAGE_LIMIT_DEFAULT, isUuid)
      return pageOf(await events.list(filter, page), page.limit, (row) => row.id, presentEvent)
    },
  )

  app.get(
    '/audit/export',
    {
      config,
      schema: {
        tags,
        summary: 'Export the audit log as a file',
        description:
          'All events that match, newest first, as CSV or with one JSON object on each line. In CSV, a cell that a ' +
          'spreadsheet would treat as a formula begins with an apostrophe. The export itself is recorded first.',
        querystring: AuditExportQuery,
        produces: ['text/csv', 'application/x-ndjson'],
        response: { 200: Type.Unsafe<Readable>(Type.String()) },
      },
    },
    async (request, reply) => {
      const { format, ...filter } = request.query
      await audit.recordNow({
        actor: actorOf(request),
        action: 'audit.exported',
        target: { id: null, name: null },
        detail: { format, ...filter },
      })
      const now = clock.now()
      const name = `slipway-audit-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '')}.${format}`
      // Only events up to this millisecond. Otherwise the export would follow the new events that it and others cause.
      const lines = exportOf(events, { format, filter, before: lowestIdAt(now + 1) })
      return reply
        .type(mediaTypeOf(format))
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(Readable.from(lines, { objectMode: true, highWaterMark: 1 }))
    },
  )
}
