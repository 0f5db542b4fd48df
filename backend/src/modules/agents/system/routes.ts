/** `/api/system-agent/warnings`, which only the system agent has. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { SystemWarning } from '@slipway/protocol'
import Type from 'typebox'
import { requireCaller } from '../../identity/require-caller.ts'
import type { AgentService } from '../service.ts'
import type { SystemWarnings } from './warnings.ts'

interface Parts {
  readonly agents: AgentService
  readonly warnings: Pick<SystemWarnings, 'all'>
}

export const systemAgentRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, warnings }) => {
  app.get(
    '/system-agent/warnings',
    {
      config: { action: 'system.view' },
      schema: {
        tags: ['system agent'],
        summary: 'Problems of the engine and the network to fix',
        description:
          'Checked once after each start: the engine when it answers, the network when the system agent runs.',
        response: { 200: Type.Object({ items: Type.Array(SystemWarning) }) },
      },
    },
    async (request) => {
      await agents.requireSystem(requireCaller(request), 'system.view')
      return { items: warnings.all }
    },
  )
}
