/** `/processes` of an agent: the processes that outlive its sessions. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AgentProcess, Page } from '@slipway/protocol'
import Type from 'typebox'
import { onAgent } from '../../agents/on-agent.ts'
import type { AgentService } from '../../agents/service.ts'
import type { ProcessService } from './processes.ts'

interface Parts {
  readonly agents: AgentService
  readonly processes: ProcessService
}

export const processRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, processes }) => {
  const tags = ['processes']
  onAgent(agents, ({ base, route, find }) => {
    app.get(
      `${base}/processes`,
      route('agent.processes', {
        tags,
        summary: 'List the processes that outlived their terminals, with their origin',
        description: 'Processes of open terminals are not in the list.',
        response: { 200: Page(AgentProcess) },
      }),
      async (request) => ({ items: await processes.list(await find(request)), nextCursor: null }),
    )
    app.delete(
      `${base}/processes/:pid`,
      route(
        'agent.use',
        {
          tags,
          summary: 'End a process',
          description: 'Asks it to end, and kills it after 5 s.',
          response: { 204: Type.Null() },
        },
        { pid: Type.Integer({ minimum: 2 }) },
      ),
      async (request, reply) => {
        await processes.end(await find(request), request.params.pid)
        return reply.code(204).send(null)
      },
    )
  })
}
