/** The API's description, made from the schemas that check the requests, and a page to read it at `/docs`. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

/** Where the page is; its machine-readable form is at `/docs/json`. */
const DOCS_PATH = '/docs'
const BEARER = 'bearer'

/** Options of {@link openapiPlugin}. */
export interface OpenapiOptions {
  /** The product's version. */
  readonly version: string
}

/** Register before the routes, which it collects. */
export const openapiPlugin = fp<OpenapiOptions>(
  async (app, { version }) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: { title: 'Slipway', version, description: 'Coding agents in containers, each with a real terminal.' },
        components: {
          securitySchemes: {
            [BEARER]: { type: 'http', scheme: 'bearer', description: 'An access token, or an API token (slp_…).' },
          },
        },
      },
      // What a route declares about access is what the page says about it.
      transform: ({ schema, url, route }) => {
        const action = route.config?.action
        // A route may come without a schema, whatever the types say.
        const described = { ...schema }
        const hide = described.hide ?? !url.startsWith('/api')
        const security = action === undefined || action === 'public' ? [] : [{ [BEARER]: [] }]
        const tag = url.split('/')[2] ?? 'other'
        return { url, schema: { tags: [tag], ...described, hide, security } }
      },
    })
    await app.register(async (scope) => {
      makePublic(scope)
      await scope.register(swaggerUi, { routePrefix: DOCS_PATH, uiConfig: { deepLinking: true, docExpansion: 'list' } })
    })
  },
  { name: 'openapi', fastify: '5.x' },
)

/** The routes of a plugin that knows nothing of our actions: they hold no data and anybody may read them. */
export function makePublic(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, action: 'public' }
  })
}
