/** Wires the review of changes together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../../../database/open.ts'
import { ReviewRepository } from './repository.ts'
import { ChangeReview, type ReviewDeps } from './review.ts'
import { reviewRoutes } from './routes.ts'

interface Deps extends Omit<ReviewDeps, 'rows'> {
  readonly prisma: Database['prisma']
}

/** Its routes. */
export const createReview = ({ prisma, ...deps }: Deps): FastifyPluginAsync => {
  const review = new ChangeReview({ ...deps, rows: new ReviewRepository(prisma) })
  return async (api) => {
    await api.register(reviewRoutes, { runs: deps.runs, review })
  }
}
