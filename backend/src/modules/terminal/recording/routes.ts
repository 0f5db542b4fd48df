/** Routes of `/api/recordings`, and of the recordings of one agent. */
import { pipeline, type Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Page, PAGE_LIMIT_DEFAULT, PageQuery, Recording, UpdateRecording } from '@slipway/protocol'
import Type from 'typebox'
import { isUuid } from '../../../lib/ids.ts'
import { pageStart } from '../../../lib/page.ts'
import { onAgent } from '../../agents/on-agent.ts'
import type { AgentService } from '../../agents/service.ts'
import { requireCaller } from '../../identity/require-caller.ts'
import { Version2 } from './cast/version-2.ts'
import type { RecordingService } from './service.ts'

const ById = Type.Object({ id: Type.String({ maxLength: 100 }) })
const ContentQuery = Type.Object(
  {
    download: Type.Optional(Type.Boolean()),
    format: Type.Optional(
      Type.Union([Type.Literal('v3'), Type.Literal('v2')], {
        description: 'The version of asciicast. `v2` is for asciinema 2, and has no exit status.',
      }),
    ),
  },
  { additionalProperties: false },
)
/** The name from https://docs.asciinema.org/manual/asciicast/v3/, also used for version 2. */
const ASCIICAST = 'application/x-asciicast'
const Text = Type.Unsafe<Readable>({ type: 'string' })

/** If one end of the pipeline fails, so does the other. The client sees an aborted response. */
const asVersion2 = (source: Readable): Readable => pipeline(source, new Version2(), () => undefined)

interface Parts {
  readonly agents: AgentService
  readonly recordings: RecordingService
}

export const recordingRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, recordings }) => {
  const tags = ['recordings']
  const listing = {
    tags,
    summary: "List the agent's recordings, newest first",
    description:
      'A user with whom the agent is shared gets the recordings of their own sessions, and shared recordings.',
    querystring: PageQuery,
    response: { 200: Page(Recording) },
  }
  const start = (query: PageQuery) => pageStart(query, PAGE_LIMIT_DEFAULT, isUuid)

  onAgent(agents, ({ base, route, find }) => {
    app.get(`${base}/recordings`, route('recordings.view', listing), async (request) =>
      recordings.list(await find(request), start(request.query)),
    )
  })
  app.get(
    '/recordings/:id',
    {
      config: { action: 'recordings.view' },
      schema: { tags, summary: 'Get a recording', params: ById, response: { 200: Recording } },
    },
    async (request) =>
      recordings.view(await recordings.require(requireCaller(request), request.params.id, 'recordings.view')),
  )
  app.get(
    '/recordings/:id/cast',
    {
      config: { action: 'recordings.view' },
      schema: {
        tags,
        summary: 'Get the content of a recording, as an asciicast of version 3 or 2',
        description:
          'While the session is still being recorded, returns its content so far. With `download=true` the audit log has a download instead of a view.',
        params: ById,
        querystring: ContentQuery,
        response: { 200: { content: { [ASCIICAST]: { schema: Text } } } },
      },
    },
    async (request, reply) => {
      const found = await recordings.require(requireCaller(request), request.params.id, 'recordings.view')
      const content = await recordings.read(found, request.query.download === true)
      void reply.type(ASCIICAST)
      // A browser must not display it: programs in a container wrote its content.
      void reply.header('content-disposition', `attachment; filename="${content.name}"`)
      if (request.query.format === 'v2') return reply.send(asVersion2(content.stream()))
      return reply.header('content-length', content.size).send(content.stream())
    },
  )
  app.patch(
    '/recordings/:id',
    {
      config: { action: 'recordings.share' },
      schema: {
        tags,
        summary: 'Share a recording with all users of its agent, or stop sharing it',
        description: 'An API token needs the scopes `agents:write` and `terminal`.',
        params: ById,
        body: UpdateRecording,
        response: { 200: Recording },
      },
    },
    async (request) => {
      const found = await recordings.require(requireCaller(request), request.params.id, 'recordings.share')
      return recordings.share(found, request.body.shared)
    },
  )
  app.delete(
    '/recordings/:id',
    {
      config: { action: 'recordings.manage' },
      schema: { tags, summary: 'Delete a recording', params: ById, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await recordings.delete(await recordings.require(requireCaller(request), request.params.id, 'recordings.manage'))
      return reply.code(204).send(null)
    },
  )
}
