/** `/api/approval-rules`: those of a user, of an agent and of the platform. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ApprovalRule, CreateApprovalRule, RULES_MAX } from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Action } from '../../access/policy.ts'
import type { AgentService } from '../../agents/service.ts'
import { requireCaller } from '../../identity/require-caller.ts'
import type { RuleHolder } from './repository.ts'
import type { RuleService } from './service.ts'

export interface RuleRouteParts {
  readonly rules: RuleService
  readonly agents: Pick<AgentService, 'require'>
}

const tags = ['dialogs']
const PATH = '/approval-rules'
const OF_AGENT = Type.Object({ name: Type.String({ maxLength: 100 }) })
const PLATFORM: RuleHolder = { of: 'platform' }

/** The rules of one owner. */
interface Collection {
  readonly path: string
  readonly action: Action
  readonly of: string
  /** Throws the error for a caller who may not. */
  locate(request: FastifyRequest): Promise<RuleHolder>
}

export const ruleRoutes: FastifyPluginAsyncTypebox<RuleRouteParts> = async (app, { rules, agents }) => {
  const ofAgent = async (request: FastifyRequest, action: Action): Promise<RuleHolder> => {
    const { name } = request.params as { name: string }
    const { row } = await agents.require(requireCaller(request), name, action)
    return { of: 'agent', id: row.id, name: row.name }
  }

  app.get(
    PATH,
    {
      config: { action: 'rules.list' },
      schema: {
        tags,
        summary: 'Your approval rules and those of the platform',
        description: 'Oldest first, without those that have ended. Yours count for your tasks only.',
        response: { 200: Type.Array(ApprovalRule) },
      },
    },
    async (request) => rules.list({ of: 'user', id: requireCaller(request).userId }, PLATFORM),
  )

  app.get(
    `/agents/:name${PATH}`,
    {
      config: { action: 'agent.view' },
      schema: {
        tags,
        summary: 'The approval rules of an agent',
        description: 'They count for all tasks in it.',
        params: OF_AGENT,
        response: { 200: Type.Array(ApprovalRule) },
      },
    },
    async (request) => rules.list(await ofAgent(request, 'agent.view')),
  )

  const collections: readonly Collection[] = [
    {
      ...{ path: PATH, action: 'rules.manage', of: 'yours' },
      locate: async (request) => ({ of: 'user', id: requireCaller(request).userId }),
    },
    {
      ...{ path: `/agents/:name${PATH}`, action: 'agent.manage', of: 'an agent’s' },
      locate: (request) => ofAgent(request, 'agent.manage'),
    },
    {
      ...{ path: `/platform${PATH}`, action: 'rules.platform', of: 'the platform’s' },
      locate: async () => PLATFORM,
    },
  ]
  for (const { path, action, of, locate } of collections) {
    const params = path.includes(':name') ? OF_AGENT.properties : {}
    app.post(
      path,
      {
        config: { action },
        schema: {
          tags,
          summary: `Make an approval rule (${of})`,
          description: `A rule that denies wins over one that allows, and none allows tier 3. Questions that are open already stay open. An equal rule is replaced. There may be ${RULES_MAX}.`,
          ...(path.includes(':name') && { params: OF_AGENT }),
          body: CreateApprovalRule,
          response: { 201: ApprovalRule },
        },
      },
      async (request, reply) =>
        reply.code(201).send(await rules.create(requireCaller(request), await locate(request), request.body)),
    )

    app.delete(
      `${path}/:rule`,
      {
        config: { action },
        schema: {
          tags,
          summary: `Delete an approval rule (${of})`,
          params: Type.Object({ ...params, rule: Type.String({ maxLength: 100 }) }),
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await rules.remove(requireCaller(request), await locate(request), request.params.rule)
        return reply.code(204).send(null)
      },
    )
  }
}
