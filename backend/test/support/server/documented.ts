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

type Validator = ReturnType<typeof Schema.Compile>

const found: string[] = []

/** The answers since the last call that the description lacks. After each test, a check fails if there is one. */
export const undocumentedAnswers = (): readonly string[] => found.splice(0)

/** Watches the answers of the server that `build` makes. */
export async function withDocumentedAnswers<T>(build: () => Promise<T>): Promise<T> {
  const watch = (message: unknown): void => {
    const { fastify } = message as { readonly fastify: FastifyInstance }
    const routes: string[] = []
    fastify.addHook('onRoute', ({ method, url }) => void routes.push(`${String(method)} ${url}`))
    fastify.addHook('onSend', async (request, reply, payload) => {
      const fault = faultOf(descriptionOf(fastify, routes), request, reply, payload)
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

/** A description, with what is compiled of it. To read a schema that refers to others takes as long as to compile it. */
class Description {
  readonly document: Document
  readonly #compiled = new WeakMap<object, Validator>()
  /** By the text of a schema: most errors of all routes have the same. */
  readonly #byText = new Map<string, Validator>()

  constructor(document: Document) {
    this.document = document
  }

  /** What is wrong with a value. Null if nothing is. */
  faultsOf(schema: object, value: unknown): string | null {
    if (this.#validatorOf(schema).Check(value)) return null
    return JSON.stringify(Schema.Errors(this.#whole(schema), value)[1])
  }

  #validatorOf(schema: object): Validator {
    const known = this.#compiled.get(schema)
    if (known) return known
    const text = JSON.stringify(schema)
    const compiled = this.#byText.get(text) ?? Schema.Compile(this.#whole(schema))
    this.#byText.set(text, compiled)
    this.#compiled.set(schema, compiled)
    return compiled
  }

  #whole(schema: object): object {
    return { ...schema, components: this.document.components }
  }
}

/** By the server, and by its routes: servers of other tests with the same ones have the same description. */
const descriptions = new WeakMap<FastifyInstance, Description>()
const byRoutes = new Map<string, Description>()

function descriptionOf(server: FastifyInstance, routes: readonly string[]): Description {
  const known = descriptions.get(server)
  if (known) return known
  const key = routes.join('\n')
  const description = byRoutes.get(key) ?? new Description(server.swagger() as unknown as Document)
  byRoutes.set(key, description)
  descriptions.set(server, description)
  return description
}

/** What is wrong with an answer. Null if the description has it, or if the address does not belong to the API. */
function faultOf(
  description: Description,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): string | null {
  const { url = '' } = request.routeOptions
  if (!url.startsWith('/api') || url.endsWith('*')) return null
  // OpenAPI has no operation for a request that opens a socket.
  if (request.headers.upgrade !== undefined) return null
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase()
  // OpenAPI has no operation for the address of a socket.
  const operation = description.document.paths[url.replaceAll(/:(\w+)/g, '{$1}')]?.[method]
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
  const faults = description.faultsOf(described.schema, JSON.parse(payload))
  return faults === null ? null : `${statusCode} has another body than described: ${faults} in ${payload.slice(0, 500)}`
}
