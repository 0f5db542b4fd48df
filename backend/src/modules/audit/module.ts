/** The module as the server mounts it. */
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/open.ts'
import { createAuditRepository } from './repository.ts'
import { type AuditRouteOptions, auditRoutes } from './routes.ts'

/** What {@link auditModule} needs. */
export type AuditModuleOptions = Omit<AuditRouteOptions, 'events'> & { readonly prisma: Database['prisma'] }

export const auditModule = ({ prisma, audit, clock, actorOf }: AuditModuleOptions) => ({
  routes: (async (api) => {
    await api.register(auditRoutes, { events: createAuditRepository(prisma), audit, clock, actorOf })
  }) satisfies FastifyPluginAsync,
})
