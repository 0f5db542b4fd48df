/** Named prompts with fields, to begin tasks with: those of a user, and those of the platform. */
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Audit } from '../audit/audit.ts'
import { TemplateRepository } from './repository.ts'
import { templateRoutes } from './routes.ts'
import { TemplateService } from './service.ts'

/** What {@link createTemplates} needs. */
export interface TemplateModuleDeps {
  readonly prisma: Database['prisma']
  readonly audit: Pick<Audit, 'record'>
  readonly clock: Clock
  readonly newId: NewId
}

export const createTemplates = ({ prisma, audit, clock, newId }: TemplateModuleDeps) => {
  const templates = new TemplateRepository(prisma, audit)
  const service = new TemplateService({ templates, clock, newId })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(templateRoutes, { service })
  }
  return { routes }
}
