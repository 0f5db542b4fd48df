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
        description: 'Only a user who signed in may create an admin, not an API token.',
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
      schema: { summary: 'Replace the invitation of a user', params: ById, response: { 201: Invitation } },
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
        summary: 'Change the role of a user, disable or enable them',
        description: 'Only a user who signed in may give the role admin, not an API token.',
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
          'If the user owns agents, the request is refused with `OWNS_AGENTS`. `agents=delete` deletes the agents, too. ' +
          '`agents=handover` hands them over to the user with the id `to`. If an agent cannot be deleted, the answer is ' +
          '`AGENTS_LEFT`: the user is disabled and the other agents are deleted. The same request continues from there.',
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
