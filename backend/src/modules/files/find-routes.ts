/** `/files/find` of an agent: finds which paths in a terminal's output are files. `/files/list`: what is in a folder. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { FindFiles, FOLDER_ENTRIES_MAX, FolderListing, FolderQuery, FoundFile } from '@slipway/protocol'
import Type from 'typebox'
import { requireArrival } from '../access/plugin.ts'
import { onAgent } from '../agents/on-agent.ts'
import type { AgentService } from '../agents/service.ts'
import type { FileFinder } from './find.ts'

interface Parts {
  readonly agents: AgentService
  readonly finder: FileFinder
}

export const findRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, finder }) => {
  const schema = {
    tags: ['files'],
    summary: 'Which of these paths are files or folders',
    description:
      'A relative path is looked up in the working folders of the terminals, newest first, and then in the home.',
    body: FindFiles,
    response: { 200: Type.Object({ items: Type.Array(FoundFile) }) },
  }
  const listing = {
    tags: ['files'],
    summary: 'What is in a folder',
    description: `The path is relative to the home; links are followed as long as they stay in it. At most ${FOLDER_ENTRIES_MAX} entries, hidden ones last.`,
    querystring: FolderQuery,
    response: { 200: FolderListing },
  }
  onAgent(agents, ({ base, route, find }) => {
    app.post(`${base}/files/find`, route('agent.files', schema), async (request) => ({
      items: await finder.find(await find(request), requireArrival(request), request.body.paths),
    }))
    app.get(`${base}/files/list`, route('agent.files', listing), async (request) =>
      finder.list(await find(request), requireArrival(request), request.query.path),
    )
  })
}
