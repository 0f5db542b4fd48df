/** `/device-logins`: a program of another device gets an API token that its user allows on a page. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  CollectDeviceLogin,
  CollectedDeviceLogin,
  CreateDeviceLogin,
  CreatedDeviceLogin,
  DecideDeviceLogin,
  DeviceLogin,
  FindDeviceLogin,
} from '@slipway/protocol'
import Type from 'typebox'
import { COSTLY_PUBLIC_ROUTE } from '../../../plugins/rate-limit.ts'
import { sourceOf } from '../../audit/actor.ts'
import { requireCaller } from '../require-caller.ts'
import type { DeviceLoginService } from './service.ts'

/** Options of {@link deviceLoginRoutes}. */
export interface DeviceLoginRouteOptions {
  readonly deviceLogins: DeviceLoginService
}

/** Codes are in bodies, never in a path: servers and proxies log paths. */
export const deviceLoginRoutes: FastifyPluginAsyncTypebox<DeviceLoginRouteOptions> = async (app, { deviceLogins }) => {
  const asProgram = { action: 'public', ...COSTLY_PUBLIC_ROUTE } as const
  // Only for sign-ins, as with all tokens.
  const asUser = { action: 'tokens.manage' } as const
  const tags = ['tokens']

  app.post(
    '/device-logins',
    {
      config: asProgram,
      schema: {
        tags,
        summary: 'Ask for an API token, as a program of another device',
        description: 'Show the `userCode` to your user, who enters it on the page at `path`. Then collect the token.',
        body: CreateDeviceLogin,
        response: { 201: CreatedDeviceLogin },
      },
    },
    async (request, reply) => reply.code(201).send(await deviceLogins.begin(request.body, sourceOf(request))),
  )

  app.post(
    '/device-logins/collect',
    {
      config: asProgram,
      schema: {
        tags,
        summary: 'Collect the API token, once the user has allowed it',
        description: 'Ask every `intervalSeconds`. Only one answer contains the token.',
        body: CollectDeviceLogin,
        response: { 200: CollectedDeviceLogin },
      },
    },
    async (request) => deviceLogins.collect(request.body.deviceCode, sourceOf(request)),
  )

  app.post(
    '/device-logins/lookup',
    {
      config: asUser,
      schema: {
        tags,
        summary: 'What the program with a code asks for',
        body: FindDeviceLogin,
        response: { 200: DeviceLogin },
      },
    },
    async (request) => deviceLogins.find(requireCaller(request), request.body.userCode),
  )

  app.post(
    '/device-logins/decision',
    {
      config: asUser,
      schema: {
        tags,
        summary: 'Allow the program with a code an API token, or deny it',
        body: DecideDeviceLogin,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await deviceLogins.decide(requireCaller(request), request.body.userCode, request.body.token)
      return reply.code(204).send(null)
    },
  )
}
