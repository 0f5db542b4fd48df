/** `/api/agents/:name/files/find`: which paths of a terminal's output lead to files. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { FindFiles, FoundFile } from '@slipway/protocol'
import Type from 'typebox'
import { requireArrival } from '../access/plugin.ts'
import type { AgentService } from '../agents/service.ts'
import { requireCaller } from '../identity/require-caller.ts'
import type { FileFinder } from './find.ts'

const ByName = Type.Object({ name: Type.String({ maxLength: 100 }) })

interface Parts {
  readonly agents: AgentService
  readonly finder: FileFinder
}

export const findRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, finder }) => {
  const schema = {
    tags: ['files'],
    summary: 'Which of these paths are files or folders',
    description:
      'A relative path is looked for where the programs of terminals are working, the newest first, and in the home last.',
    body: FindFiles,
    response: { 200: Type.Object({ items: Type.Array(FoundFile) }) },
  }
  app.post(
    '/agents/:name/files/find',
    { config: { action: 'agent.files' }, schema: { ...schema, params: ByName } },
    async (request) => {
      const found = await agents.require(requireCaller(request), request.params.name, 'agent.files')
      return { items: await finder.find(found, requireArrival(request), request.body.paths) }
    },
  )
  app.post('/system-agent/files/find', { config: { action: 'system.files' }, schema }, async (request) => {
    const found = await agents.requireSystem(requireCaller(request), 'system.files')
    return { items: await finder.find(found, requireArrival(request), request.body.paths) }
  })
}
