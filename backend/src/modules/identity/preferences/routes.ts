/** `/users/me/preferences`: settings that follow a user from one device to another. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ChangePreferences, Preferences } from '@slipway/protocol'
import { requireCaller } from '../require-caller.ts'
import type { PreferenceService } from './service.ts'

/** Options of {@link preferenceRoutes}. */
export interface PreferenceRouteOptions {
  readonly preferences: PreferenceService
}

/** Only for sign-ins. */
export const preferenceRoutes: FastifyPluginAsyncTypebox<PreferenceRouteOptions> = async (app, { preferences }) => {
  const config = { action: 'account.preferences' } as const
  const tags = ['users']

  app.get(
    '/users/me/preferences',
    {
      config,
      schema: {
        tags,
        summary: 'My preferences',
        description: 'The defaults if you have chosen none.',
        response: { 200: Preferences },
      },
    },
    async (request) => preferences.get(requireCaller(request)),
  )

  app.put(
    '/users/me/preferences',
    {
      config,
      schema: {
        tags,
        summary: 'Change my preferences',
        description: 'Fields that are missing keep their values. Unknown fields are ignored.',
        body: ChangePreferences,
        response: { 200: Preferences },
      },
    },
    async (request) => preferences.change(requireCaller(request), request.body),
  )
}
