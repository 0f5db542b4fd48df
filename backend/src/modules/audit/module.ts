/** The module as the server mounts it. */
import type { FastifyPluginAsync } from 'fastify'
import type { PrismaClient } from '../../database/generated/client.ts'
import { createAuditRepository } from './repository.ts'
import { type AuditRouteOptions, auditRoutes } from './routes.ts'

/** What {@link auditModule} needs. */
export type AuditModuleOptions = Omit<AuditRouteOptions, 'events'> & { readonly prisma: PrismaClient }

export const auditModule = ({ prisma, audit, clock, actorOf }: AuditModuleOptions) => ({
  routes: (async (api) => {
    await api.register(auditRoutes, { events: createAuditRepository(prisma), audit, clock, actorOf })
  }) satisfies FastifyPluginAsync,
})
