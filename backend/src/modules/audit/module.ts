/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/open.ts'
import { type AuditDeps, createAudit } from './audit.ts'
import { createAuditRepository } from './repository.ts'
import { type AuditRouteOptions, auditRoutes } from './routes.ts'

/** What {@link createAuditModule} needs. */
export interface AuditModuleDeps extends AuditDeps, Pick<AuditRouteOptions, 'clock' | 'actorOf'> {
  readonly prisma: Database['prisma']
}

/** The audit log: its writer, and the routes that read it. */
export const createAuditModule = (deps: AuditModuleDeps) => {
  const { prisma, clock, actorOf } = deps
  const audit = createAudit(deps)
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(auditRoutes, { events: createAuditRepository(prisma), audit, clock, actorOf })
  }
  return { ...audit, routes }
}
