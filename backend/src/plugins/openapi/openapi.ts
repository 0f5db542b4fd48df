/**
 * The description of the API, generated from the schemas that validate the requests, and a page to read it at `/docs`.
 */
import { STATUS_CODES } from 'node:http'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import * as protocol from '@slipway/protocol'
import type { FastifyInstance, FastifySchema } from 'fastify'
import fp from 'fastify-plugin'
import { API_PAGE } from './page.ts'
import { type DescribedRoute, errorsOf } from './route-errors.ts'
import { withNames } from './schema-names.ts'
import { TAGS } from './tags.ts'

/** The page's address; the document is at `/docs/json`. */
const DOCS_PATH = '/docs'
const BEARER = 'bearer'
const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

/** Options of {@link openapiPlugin}. */
export interface OpenapiOptions {
  /** The product's version. */
  readonly version: string
}

/** Register it before the routes, because it collects them as they are added. */
export const openapiPlugin = fp<OpenapiOptions>(
  async (app, { version }) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Slipway',
          version,
          description: 'Coding agents in containers, each with a real terminal.',
          license: LICENSE,
        },
        servers: [{ url: '/', description: 'This server' }],
        tags: TAGS.map((tag) => ({ ...tag })),
        components: {
          securitySchemes: {
            [BEARER]: { type: 'http', scheme: 'bearer', description: 'An access token, or an API token (slp_…).' },
          },
        },
      },
      // States for each route whether it needs a token.
      transform: ({ schema, url, route }) => {
        const action = route.config?.action
        // A route may have no schema, contrary to its type.
        const described = { ...schema }
        const hide = described.hide ?? !url.startsWith('/api')
        const security = action === undefined || action === 'public' ? [] : [{ [BEARER]: [] }]
        const more = { operationId: operationIdOf(route.method, url), hide, security }
        return { url, schema: { tags: [tagOf(url)], ...described, ...more, ...answersOf({ ...route, schema, url }) } }
      },
      transformObject: (document) => ('openapiObject' in document ? withNames(document.openapiObject, protocol) : {}),
    })
    await app.register(async (scope) => {
      makePublic(scope)
      await scope.register(swaggerUi, { ...API_PAGE, routePrefix: DOCS_PATH })
    })
  },
  { name: 'openapi', fastify: '5.x' },
)

/** Declares the routes of a third-party plugin as public. They contain no data. */
export function makePublic(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, action: 'public' }
  })
}

const tagOf = (url: string): string => url.split('/')[2] ?? 'other'

/** The operation's name in generated clients, such as `postAgentsNameExec`. */
function operationIdOf(method: string | string[], url: string): string {
  const words = url.replace(/^\/api\//, '').match(/[A-Za-z]+/g) ?? []
  return String(method).toLowerCase() + words.map((word) => (word[0] ?? '').toUpperCase() + word.slice(1)).join('')
}

/** Adds every possible error to the route's own answers, and the header of routes that accept an idempotency key. */
function answersOf(route: DescribedRoute): FastifySchema {
  const codes = Map.groupBy(errorsOf(route), (code) => protocol.ERROR_STATUS[code])
  const errors = [...codes].map(([status, those]) => [
    status,
    {
      description: `${STATUS_CODES[status] ?? 'Error'}: ${those.map((code) => `\`${code}\``).join(', ')}`,
      // Errors are JSON, also on a route that answers with another type.
      content: { 'application/json': { schema: errorSchema(those) } },
    },
  ])
  const { response, headers } = route.schema ?? {}
  const answered = response ?? { 200: { description: 'Text.', type: 'string' } }
  return {
    response: { ...Object.fromEntries(errors), ...describe(answered) },
    ...(route.config?.idempotent ? { headers: IDEMPOTENCY } : headers === undefined ? {} : { headers }),
  }
}

const errorSchema = (codes: readonly protocol.ErrorCode[]): object => ({
  type: 'object',
  required: protocol.ErrorBody.required,
  properties: { ...protocol.ErrorBody.properties, code: { type: 'string', enum: codes } },
})

const IDEMPOTENCY = {
  type: 'object',
  properties: {
    'idempotency-key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'A retry within a day with the same key and token gets the answer of the first request, and has no further effect.',
    },
  },
}

const describe = (answers: object): object =>
  Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => [
      status,
      { 'x-response-description': STATUS_CODES[status] ?? 'Done', ...(schema as object) },
    ]),
  )
