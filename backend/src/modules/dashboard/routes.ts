/** `/api/dashboard`: what a user needs to know at one look. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Dashboard, DASHBOARD_FIRST_HOURS, DASHBOARD_LISTED, DashboardQuery, MarkSeen } from '@slipway/protocol'
import Type from 'typebox'
import { requireCaller } from '../identity/require-caller.ts'
import type { DashboardService } from './service.ts'

interface Parts {
  readonly service: DashboardService
}

const tags = ['dashboard']

export const dashboardRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { service }) => {
  app.get(
    '/dashboard',
    {
      config: { action: 'dashboard.view' },
      schema: {
        tags,
        summary: 'What needs you, what runs, and what has ended',
        description: `Your tasks and those in your agents, what they cost today, and your next schedules. A list has at most ${DASHBOARD_LISTED} items. Ended tasks are those since you last marked some as seen, or of the last ${DASHBOARD_FIRST_HOURS} hours.`,
        querystring: DashboardQuery,
        response: { 200: Dashboard },
      },
    },
    async (request) => service.look(requireCaller(request), request.query),
  )

  app.put(
    '/dashboard/seen',
    {
      config: { action: 'dashboard.mark' },
      schema: {
        tags,
        summary: 'Mark ended tasks as seen',
        description: 'Those that ended until a moment, usually `at` of the dashboard. It never moves back.',
        body: MarkSeen,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await service.markSeen(requireCaller(request), new Date(request.body.until))
      return reply.code(204).send(null)
    },
  )
}
