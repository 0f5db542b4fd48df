/** `/files` of an agent: transfers one file or folder into or out of its home. */
import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { MAX_UPLOAD_BYTES } from '@slipway/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { AppError } from '../../lib/errors.ts'
import { requireArrival } from '../access/plugin.ts'
import { onAgent } from '../agents/on-agent.ts'
import type { AgentService, Found } from '../agents/service.ts'
import { attachment } from './disposition.ts'
import { pathIn, percentEncoded } from './path-bytes.ts'
import type { FileService, Part } from './service.ts'
import { etagOf, expectedBy } from './version.ts'

const ByPath = Type.Object({ path: Type.String({ minLength: 1, maxLength: 4096 }) }, { additionalProperties: false })
const ToPath = Type.Object(
  { ...ByPath.properties, parents: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
)
const OCTETS = 'application/octet-stream'
const TAR = 'application/x-tar'
/** Bytes in the API's description. */
const Bytes = Type.Unsafe<Readable>({ type: 'string', format: 'binary' })

interface Parts {
  readonly agents: AgentService
  readonly files: FileService
}

export const fileRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, files }) => {
  // Only in these routes the server does not parse a body, whatever its type: its bytes go to the container unread.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))

  const tags = ['files']
  const reading = {
    tags,
    summary: 'Download a file, or a folder as a tar archive',
    description:
      'The path is relative to the home; links are followed as long as they stay in it. A name may have any bytes: percent-encode them. A file has an ETag, and its real path is in Content-Location. Of a Range with a beginning, only that part is sent.',
    querystring: ByPath,
    response: {
      200: { content: { [OCTETS]: { schema: Bytes }, [TAR]: { schema: Bytes } } },
      206: { content: { [OCTETS]: { schema: Bytes } } },
    },
  }
  const writing = {
    tags,
    summary: 'Upload a file',
    description: `The body is the file, with its Content-Length, at most ${MAX_UPLOAD_BYTES} bytes. The file appears complete or not at all, and replaces an existing one. The folder must exist; \`parents=true\` creates missing folders. With \`If-Match\`, the file must still have this ETag; with \`If-None-Match: *\`, there must be none. The answer has the new ETag.`,
    consumes: [OCTETS],
    querystring: ToPath,
    response: { 204: Type.Null() },
  }

  const send = async (request: FastifyRequest, reply: FastifyReply, found: Found) => {
    const wanted = { found, arrival: requireArrival(request), path: pathOf(request) }
    const { path: where, file, part, size, bytes } = await files.read(wanted, partIn(request))
    const name = posix.basename(where)
    void reply.header('content-disposition', attachment(file === null ? `${name}.tar` : name))
    if (file !== null) {
      void reply.header('etag', etagOf(file.version)).header('accept-ranges', 'bytes')
      void reply.header('content-location', `?path=${percentEncoded(file.real)}`)
    }
    if (file !== null && part !== null) {
      const last = part.from + part.count - 1
      void reply.code(206).header('content-range', `bytes ${part.from}-${last}/${file.size}`)
    }
    if (size !== null) void reply.header('content-length', size)
    void reply.type(file === null ? TAR : OCTETS)
    if (request.method !== 'HEAD') return reply.send(bytes)
    bytes.destroy()
    return reply.send()
  }
  const receive = async (request: FastifyRequest, reply: FastifyReply, found: Found, to: Static<typeof ToPath>) => {
    const size = announcedSize(request)
    const expected = expectedBy(request.headers)
    const upload = { size, body: request.raw, parents: to.parents === true, expected }
    const version = await files.write({ found, arrival: requireArrival(request), path: pathOf(request) }, upload)
    return reply.code(204).header('etag', etagOf(version)).send(null)
  }

  onAgent(agents, ({ base, route, find }) => {
    const download = route('agent.files', reading)
    app.get(`${base}/files`, download, async (request, reply) => send(request, reply, await find(request)))
    const upload = route('agent.files', writing)
    app.put(`${base}/files`, { ...upload, config: { ...upload.config, longBody: true } }, async (request, reply) =>
      receive(request, reply, await find(request), request.query),
    )
  })
}

/** Not the parsed query, because the query parser knows only UTF-8. */
const pathOf = ({ raw }: FastifyRequest): string => pathIn(raw.url ?? '') ?? ''

/** Of `Range` (RFC 9110, 14.2) the form with a beginning. Other forms are ignored, which the standard allows. */
const partIn = ({ headers }: FastifyRequest): Part | null => {
  const [, from, to] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(headers.range ?? '') ?? []
  if (from === undefined) return null
  const last = to === '' || to === undefined ? Number.MAX_SAFE_INTEGER - 1 : Number(to)
  return last < Number(from) ? null : { from: Number(from), count: last - Number(from) + 1 }
}

/** Without a length, a truncated file would look complete. */
const announcedSize = ({ headers }: FastifyRequest): number => {
  if (headers['content-length'] === undefined)
    throw new AppError('LENGTH_REQUIRED', 'Send the file with its Content-Length.')
  const size = Number(headers['content-length'])
  if (size <= MAX_UPLOAD_BYTES) return size
  throw new AppError('TOO_LARGE', `A file may have at most ${MAX_UPLOAD_BYTES} bytes.`)
}
