/** Wires the folder together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../../database/open.ts'
import type { Audit } from '../../audit/audit.ts'
import { ComparisonRepository } from './repository.ts'
import { comparisonRoutes } from './routes.ts'
import { type ComparisonDeps, ComparisonService } from './service.ts'

/** What {@link createComparisons} needs. */
export interface ComparisonModuleDeps extends Omit<ComparisonDeps, 'comparisons'> {
  readonly prisma: Database['prisma']
  readonly audit: Audit
}

/** One prompt on several targets. */
export const createComparisons = ({ prisma, audit, ...deps }: ComparisonModuleDeps) => {
  const service = new ComparisonService({ ...deps, comparisons: new ComparisonRepository(prisma, audit) })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(comparisonRoutes, { service })
  }
  return { routes }
}
