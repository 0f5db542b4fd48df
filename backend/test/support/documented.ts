/** Compares each answer of a test's server with the description of the API: its status, its kind and its body. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Schema from 'typebox/schema'

/** The diagnostics channel on which Fastify announces each server, before any plugin is registered. */
const CHANNEL = 'fastify.initialization'

type Content = Readonly<Record<string, { readonly schema?: object }>>
type Answers = Readonly<Record<string, { readonly content?: Content } | undefined>>
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Answers }>> | undefined>>
  readonly components?: object
}

const found: string[] = []

/** The answers since the last call that the description lacks. After each test, a check fails if there is one. */
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

/** What is wrong with an answer. Null if the description has it, or if the address does not belong to the API. */
function faultOf(
  server: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): string | null {
  const { url = '' } = request.routeOptions
  if (!url.startsWith('/api') || url.endsWith('*')) return null
  // OpenAPI has no operation for a request that opens a socket.
  if (request.headers.upgrade !== undefined) return null
  const document = documentOf(server)
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase()
  // OpenAPI has no operation for the address of a socket.
  const operation = document.paths[url.replaceAll(/:(\w+)/g, '{$1}')]?.[method]
  if (operation === undefined) return null
  const { statusCode } = reply
  const answer = operation.responses[statusCode]
  if (answer === undefined) return `the status ${statusCode} is not described: ${String(payload).slice(0, 200)}`
  const kind = String(reply.getHeader('content-type') ?? '').split(';')[0] ?? ''
  // Fastify sends no body with 204, with any payload.
  if (statusCode === 204 || typeof payload !== 'string' || payload === '') return null
  const described = Object.entries(answer.content ?? {}).find(([type]) => type.split(';')[0] === kind)?.[1]
  if (described === undefined) return `${statusCode} as ${kind} is not described`
  if (kind !== 'application/json' || described.schema === undefined) return null
  const [isValid, errors] = Schema.Errors({ ...described.schema, components: document.components }, JSON.parse(payload))
  return isValid
    ? null
    : `${statusCode} has another body than described: ${JSON.stringify(errors)} in ${payload.slice(0, 500)}`
}
