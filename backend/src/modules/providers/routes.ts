/** `/api/providers`: the coding CLIs that this server knows. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Provider } from '@slipway/protocol'
import Type from 'typebox'
import { PROVIDERS } from './catalogue.ts'

const items = PROVIDERS.map(
  ({ id, mode, label, services = [], models = [], canSkipPermissions = false, headless, signIn = null }) => ({
    id,
    mode,
    label,
    services: [...services],
    models: [...models],
    canSkipPermissions,
    canAskPeople: headless?.people !== undefined,
    canPlan: headless?.plans === true,
    signIn,
  }),
)

export const providerRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/providers',
    {
      // A guest who watches a terminal reads the name of its program, too.
      config: { action: 'public' },
      schema: {
        tags: ['agents'],
        summary: 'List the coding CLIs that this server knows',
        response: { 200: Type.Object({ items: Type.Array(Provider) }) },
      },
    },
    async () => ({ items }),
  )
}
