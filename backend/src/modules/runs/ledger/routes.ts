/** `/api/coding-agents/usage`, and the budgets of users and of the platform. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Budget, SetBudget, UsageQuery, UsageReport } from '@slipway/protocol'
import Type from 'typebox'
import { requireCaller } from '../../identity/require-caller.ts'
import type { LedgerService } from './service.ts'

const ById = Type.Object({ id: Type.String() })
const tags = ['tasks']

export const ledgerRoutes: FastifyPluginAsyncTypebox<{ readonly ledger: LedgerService }> = async (app, { ledger }) => {
  const view = { action: 'usage.view' } as const
  const manage = { action: 'budgets.manage' } as const
  const response = { 200: Budget }

  app.get(
    '/coding-agents/usage',
    {
      config: view,
      schema: {
        tags,
        summary: 'What tasks have used',
        description:
          'Tokens and cost of the tasks that ended in a time, per run, agent, user, day, model or provider. You see your own tasks and those in agents that you own; admins see all. A cost that is not known is null, not 0.',
        querystring: UsageQuery,
        response: { 200: UsageReport },
      },
    },
    async (request) => ledger.report(requireCaller(request), request.query),
  )

  app.get(
    '/users/me/budget',
    { config: view, schema: { tags, summary: 'My budget for tasks', response } },
    async (request) => ledger.budget(requireCaller(request).userId),
  )

  app.get(
    '/users/:id/budget',
    { config: manage, schema: { tags, summary: 'The budget of a user for tasks', params: ById, response } },
    async (request) => ledger.budget(request.params.id),
  )

  app.put(
    '/users/:id/budget',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Set the budget of a user for tasks',
        description:
          'What their tasks may cost in a calendar month (UTC). When it is used up, their active tasks are ended and new ones are refused.',
        params: ById,
        body: SetBudget,
        response,
      },
    },
    async (request) => ledger.setBudget(requireCaller(request), request.params.id, request.body.limitUsd),
  )

  app.get(
    '/platform/budget',
    { config: manage, schema: { tags, summary: "The platform's budget for tasks", response } },
    async () => ledger.budget(null),
  )

  app.put(
    '/platform/budget',
    {
      config: manage,
      schema: {
        tags,
        summary: "Set the platform's budget for tasks",
        description:
          'What the tasks of all users together may cost in a calendar month (UTC). When it is used up, active tasks are ended and new ones are refused.',
        body: SetBudget,
        response,
      },
    },
    async (request) => ledger.setBudget(requireCaller(request), null, request.body.limitUsd),
  )
}
