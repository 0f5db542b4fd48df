/** Compares every answer that a test's server gives with the description of the API: its status, its kind and its body. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Schema from 'typebox/schema'

/** Where Fastify announces each server before anything is registered on it. */
const CHANNEL = 'fastify.initialization'

type Content = Readonly<Record<string, { readonly schema?: object }>>
type Answers = Readonly<Record<string, { readonly content?: Content } | undefined>>
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Answers }>> | undefined>>
  readonly components?: object
}

const found: string[] = []

/** What has been answered and is not described since this was called last. A test of every file fails for it. */
export const undocumentedAnswers = (): readonly string[] => found.splice(0)

/** Watches the answers of the server that `build` makes. */
export async function withDocumentedAnswers<T>(build: () => Promise<T>): Promise<T> {
  const watch = (message: unknown): void => {
    const { fastify } = message as { readonly fastify: FastifyInstance }
    fastify.addHook('onSend', async (request, reply, payload) => {
      const fault = faultOf(fastify, request, reply, payload)
      if (fault !== null) found.push(`${request.method} ${request.routeOptions.url ?? ''}: ${fault}`)
    })
  }
  subscribe(CHANNEL, watch)
  try {
    return await build()
  } finally {
    unsubscribe(CHANNEL, watch)
  }
}

const documents = new WeakMap<FastifyInstance, Document>()

function documentOf(server: FastifyInstance): Document {
  const document = documents.get(server) ?? (server.swagger() as unknown as Document)
  documents.set(server, document)
  return document
}

/** Null where the answer is described, or where the address is not of the API. */
function faultOf(
  server: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): string | null {
  const { url = '' } = request.routeOptions
  if (!url.startsWith('/api') || url.endsWith('*')) return null
  // A request for a socket is none of the operations.
  if (request.headers.upgrade !== undefined) return null
  const document = documentOf(server)
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase()
  // A socket's address has no operation of its own: OpenAPI knows none.
  const operation = document.paths[url.replaceAll(/:(\w+)/g, '{$1}')]?.[method]
  if (operation === undefined) return null
  const { statusCode } = reply
  const answer = operation.responses[statusCode]
  if (answer === undefined) return `the status ${statusCode} is not described: ${String(payload).slice(0, 200)}`
  const kind = String(reply.getHeader('content-type') ?? '').split(';')[0] ?? ''
  // Fastify sends no body with 204, whatever the payload is.
  if (statusCode === 204 || typeof payload !== 'string' || payload === '') return null
  const described = Object.entries(answer.content ?? {}).find(([type]) => type.split(';')[0] === kind)?.[1]
  if (described === undefined) return `${statusCode} as ${kind} is not described`
  if (kind !== 'application/json' || described.schema === undefined) return null
  const [isValid, errors] = Schema.Errors({ ...described.schema, components: document.components }, JSON.parse(payload))
  return isValid
    ? null
    : `${statusCode} has another body than described: ${JSON.stringify(errors)} in ${payload.slice(0, 500)}`
}
