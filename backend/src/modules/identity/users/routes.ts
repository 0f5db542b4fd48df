/** `/users/me` for every user, `/users` for admins. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  CreatedUser,
  CreateUser,
  DeleteUserQuery,
  Invitation,
  Page,
  PageQuery,
  UpdateMe,
  UpdateUser,
  User,
} from '@slipway/protocol'
import Type from 'typebox'
import { requireCaller } from '../require-caller.ts'
import type { UserService } from './service.ts'

/** Options of {@link userRoutes}. */
export interface UserRouteOptions {
  readonly users: UserService
  /** The address with which links begin. */
  readonly baseUrl: () => string
}

const ById = Type.Object({ id: Type.String() })

/** Each route declares who may use it. */
export const userRoutes: FastifyPluginAsyncTypebox<UserRouteOptions> = async (app, { users, baseUrl }) => {
  const list = { action: 'users.list' } as const
  const manage = { action: 'users.manage' } as const

  app.get(
    '/users/me',
    { config: { action: 'account.view' }, schema: { summary: 'Who I am', response: { 200: User } } },
    async (request) => users.get(requireCaller(request).userId),
  )

  app.patch(
    '/users/me',
    {
      config: { action: 'account.change' },
      schema: { summary: 'Change my password', body: UpdateMe, response: { 200: User } },
    },
    async (request) => users.changePassword(requireCaller(request), { ...request.body, address: request.ip }),
  )

  app.get(
    '/users',
    { config: list, schema: { summary: 'All users', querystring: PageQuery, response: { 200: Page(User) } } },
    async (request) => users.list(request.query),
  )

  app.post(
    '/users',
    {
      config: manage,
      schema: {
        summary: 'Add or invite a user',
        description: 'An admin is made by somebody who is signed in, and not by an API token.',
        body: CreateUser,
        response: { 201: CreatedUser },
      },
    },
    async (request, reply) => reply.code(201).send(await users.create(requireCaller(request), request.body, baseUrl())),
  )

  app.post(
    '/users/:id/invitation',
    {
      config: manage,
      schema: { summary: 'A new invitation, in place of the last', params: ById, response: { 201: Invitation } },
    },
    async (request, reply) => {
      const { url, expiresAt } = await users.invite(requireCaller(request), request.params.id, baseUrl())
      return reply.code(201).send({ url, expiresAt: expiresAt.toISOString() })
    },
  )

  app.patch(
    '/users/:id',
    {
      config: manage,
      schema: {
        summary: 'Change a role, disable or enable',
        description: 'The role admin is given by somebody who is signed in, and not by an API token.',
        params: ById,
        body: UpdateUser,
        response: { 200: User },
      },
    },
    async (request) => users.update(requireCaller(request), request.params.id, request.body),
  )

  app.delete(
    '/users/:id',
    {
      config: manage,
      schema: {
        summary: 'Delete a user',
        description:
          'Refused with `OWNS_AGENTS` while they own agents, unless it is said what becomes of these: `agents=delete`, or ' +
          '`agents=handover` with the id of the user who gets them as `to`. When an agent cannot be deleted the answer is ' +
          '`AGENTS_LEFT`: the user is disabled, the other agents are gone, and the same request goes on from there.',
        params: ById,
        querystring: DeleteUserQuery,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await users.remove(requireCaller(request), request.params.id, request.query)
      return reply.code(204).send(null)
    },
  )
}
