/** `/files/…` of an agent: its folders as a tree, names, contents, and changes. */
import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  FileVersions,
  FileVersionsQuery,
  NAMES_MAX,
  Removed,
  SEARCH_HITS_MAX,
  SearchFiles,
  TRASH_COUNT,
  TREE_ENTRIES_MAX,
  VERSION_PATHS_MAX,
} from '@slipway/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { requireArrival } from '../../access/plugin.ts'
import { onAgent } from '../../agents/on-agent.ts'
import type { AgentService, Found } from '../../agents/service.ts'
import { pathIn } from '../path-bytes.ts'
import type { FileChanges } from './changes.ts'
import { NDJSON } from './ndjson.ts'
import type { FileSearch } from './search.ts'
import type { FileTree, FolderRequest } from './tree.ts'

const Path = Type.String({ minLength: 1, maxLength: 4096 })
const ByPath = Type.Object({ path: Path }, { additionalProperties: false })
const FromTo = Type.Object({ path: Path, to: Path }, { additionalProperties: false })
const Removal = Type.Object({ path: Path, forGood: Type.Optional(Type.Boolean()) }, { additionalProperties: false })
/** Lines of JSON in the API's description. */
const Lines = { 200: { content: { [NDJSON]: { schema: Type.Unsafe<Readable>(Type.String()) } } } }

interface Parts {
  readonly agents: AgentService
  readonly tree: FileTree
  readonly search: FileSearch
  readonly changes: FileChanges
}

const tags = ['files']
const LINES = 'Lines of JSON: `folder` with the real path, then'
const END = 'and `end`, or `error` if it fails meanwhile.'
const listing = {
  tags,
  summary: 'What is in a folder, of any size',
  description: `${LINES} \`entries\` in their order, ${END} At most ${TREE_ENTRIES_MAX} entries.`,
  querystring: ByPath,
  response: Lines,
}
const naming = {
  tags,
  summary: 'The files below a folder',
  description: `${LINES} \`names\` below it without an order, ${END} At most ${NAMES_MAX}. Files that git ignores, hidden folders of the home and \`node_modules\` are left out.`,
  querystring: ByPath,
  response: Lines,
}
const searching = {
  tags,
  summary: 'Search in the files below a folder',
  description: `Lines of JSON: \`hits\` as they are found, ${END} At most ${SEARCH_HITS_MAX}. It ends with the request.`,
  querystring: ByPath,
  body: SearchFiles,
  response: Lines,
}
const comparing = {
  tags,
  summary: 'The versions of files and folders',
  description: `For at most ${VERSION_PATHS_MAX} paths, percent-encoded as in an address. The version of a folder changes with the names in it. Null: there is none.`,
  body: FileVersionsQuery,
  response: { 200: FileVersions },
}
const making = {
  tags,
  summary: 'Make a folder',
  description: 'And missing ones on its path.',
  querystring: ByPath,
  response: { 204: Type.Null() },
}
const moving = {
  tags,
  summary: 'Move or rename a file or folder',
  description: 'It never replaces another one.',
  querystring: FromTo,
  response: { 204: Type.Null() },
}
const removing = {
  tags,
  summary: 'Delete a file or folder',
  description: `It moves to the trash in the home, which keeps the newest ${TRASH_COUNT}. The answer has its path there, from which a move brings it back. With \`forGood=true\`, and inside the trash, it is removed.`,
  querystring: Removal,
  response: { 200: Removed },
}

export const treeRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, tree, search, changes }) => {
  onAgent(agents, ({ base, route, find }) => {
    const wanted = async (request: FastifyRequest): Promise<FolderRequest> => requestOf(request, await find(request))

    app.get(`${base}/files/tree`, route('agent.files', listing), async (request, reply) =>
      sendLines(request, reply, await tree.list(await wanted(request))),
    )
    app.get(`${base}/files/names`, route('agent.files', naming), async (request, reply) =>
      sendLines(request, reply, await tree.names(await wanted(request))),
    )
    app.post(`${base}/files/search`, route('agent.files', searching), async (request, reply) =>
      sendLines(request, reply, await search.search(await wanted(request), request.body)),
    )
    app.post(`${base}/files/versions`, route('agent.files', comparing), async (request) => ({
      items: await tree.versions({ found: await find(request), arrival: requireArrival(request) }, request.body.paths),
    }))
    app.post(`${base}/files/folder`, route('agent.files', making), async (request, reply) => {
      await changes.makeFolder(await wanted(request))
      return reply.code(204).send(null)
    })
    app.post(`${base}/files/move`, route('agent.files', moving), async (request, reply) => {
      await changes.move(await wanted(request), pathIn(request.raw.url ?? '', 'to') ?? '')
      return reply.code(204).send(null)
    })
    app.delete(`${base}/files`, route('agent.files', removing), async (request) =>
      changes.remove(await wanted(request), request.query.forGood === true),
    )
  })
}

/** An answer to HEAD has no lines, and ends the program. */
const sendLines = ({ method }: FastifyRequest, reply: FastifyReply, lines: Readable) => {
  void reply.headers({ 'content-type': NDJSON, 'x-accel-buffering': 'no' })
  if (method !== 'HEAD') return reply.send(lines)
  lines.destroy()
  return reply.send()
}

/** Not the parsed query, because the query parser knows only UTF-8. */
const requestOf = (request: FastifyRequest, found: Found): FolderRequest => ({
  found,
  arrival: requireArrival(request),
  path: pathIn(request.raw.url ?? '') ?? '',
})
