/** `/api/agents/:name/files`: one file, or one folder, in or out of an agent's home. */
import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { MAX_UPLOAD_BYTES } from '@slipway/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { AppError } from '../../lib/errors.ts'
import { requireArrival } from '../access/plugin.ts'
import type { AgentService, Found } from '../agents/service.ts'
import { requireCaller } from '../identity/require-caller.ts'
import { attachment } from './disposition.ts'
import type { FileService } from './service.ts'

const ByName = Type.Object({ name: Type.String({ maxLength: 100 }) })
const ByPath = Type.Object({ path: Type.String({ minLength: 1, maxLength: 4096 }) }, { additionalProperties: false })
const ToPath = Type.Object(
  { ...ByPath.properties, parents: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
)
const OCTETS = 'application/octet-stream'
const TAR = 'application/x-tar'
/** Bytes, for the description of the API. */
const Bytes = Type.Unsafe<Readable>({ type: 'string', format: 'binary' })

interface Parts {
  readonly agents: AgentService
  readonly files: FileService
}

export const fileRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, files }) => {
  // Here alone a body is not read by the server, whatever it says it is: its bytes go on to the container as they come.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))

  const tags = ['files']
  const reading = {
    tags,
    summary: 'Download a file, or a folder as a tar archive',
    description: 'The path is relative to the home; links are followed as long as they stay in it.',
    querystring: ByPath,
    response: { 200: { content: { [OCTETS]: { schema: Bytes }, [TAR]: { schema: Bytes } } } },
  }
  const writing = {
    tags,
    summary: 'Upload a file',
    description: `The body is the file, with its Content-Length, at most ${MAX_UPLOAD_BYTES} bytes. It is in its place at once or not at all; one that was there is replaced. The folder must exist; with \`parents=true\` what is missing of it is made.`,
    consumes: [OCTETS],
    querystring: ToPath,
    response: { 204: Type.Null() },
  }

  const send = async (request: FastifyRequest, reply: FastifyReply, found: Found, path: string) => {
    const { path: where, size, bytes } = await files.read({ found, arrival: requireArrival(request), path })
    const name = posix.basename(where)
    void reply.header('content-disposition', attachment(size === null ? `${name}.tar` : name))
    void reply.header('cache-control', 'no-store')
    if (size !== null) void reply.header('content-length', size)
    void reply.type(size === null ? TAR : OCTETS)
    if (request.method !== 'HEAD') return reply.send(bytes)
    bytes.destroy()
    return reply.send()
  }
  const receive = async (request: FastifyRequest, reply: FastifyReply, found: Found, to: Static<typeof ToPath>) => {
    const size = announcedSize(request)
    const upload = { size, body: request.raw, parents: to.parents === true }
    await files.write({ found, arrival: requireArrival(request), path: to.path }, upload)
    return reply.code(204).send(null)
  }

  app.get(
    '/agents/:name/files',
    { config: { action: 'agent.files' }, schema: { ...reading, params: ByName } },
    async (request, reply) => {
      const found = await agents.require(requireCaller(request), request.params.name, 'agent.files')
      return send(request, reply, found, request.query.path)
    },
  )
  app.put(
    '/agents/:name/files',
    { config: { action: 'agent.files', longBody: true }, schema: { ...writing, params: ByName } },
    async (request, reply) => {
      const found = await agents.require(requireCaller(request), request.params.name, 'agent.files')
      return receive(request, reply, found, request.query)
    },
  )
  app.get('/system-agent/files', { config: { action: 'system.files' }, schema: reading }, async (request, reply) => {
    const found = await agents.requireSystem(requireCaller(request), 'system.files')
    return send(request, reply, found, request.query.path)
  })
  app.put(
    '/system-agent/files',
    { config: { action: 'system.files', longBody: true }, schema: writing },
    async (request, reply) => {
      const found = await agents.requireSystem(requireCaller(request), 'system.files')
      return receive(request, reply, found, request.query)
    },
  )
}

/** Without it nobody could tell a file from the beginning of one. */
const announcedSize = ({ headers }: FastifyRequest): number => {
  if (headers['content-length'] === undefined)
    throw new AppError('LENGTH_REQUIRED', 'Send the file with its Content-Length.')
  const size = Number(headers['content-length'])
  if (size <= MAX_UPLOAD_BYTES) return size
  throw new AppError('TOO_LARGE', `A file may have at most ${MAX_UPLOAD_BYTES} bytes.`)
}
