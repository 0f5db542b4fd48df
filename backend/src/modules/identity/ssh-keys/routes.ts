/** `/ssh-keys`: a user's own SSH keys. `/ssh`: where they lead to. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AddSshKey, SshKey, SshKeys, SshServer } from '@slipway/protocol'
import { addDeletion } from '../deletion.ts'
import { requireCaller } from '../require-caller.ts'
import { presentServer, type SshAddress } from './address.ts'
import type { SshKeyService } from './service.ts'

/** Options of {@link sshKeyRoutes}. */
export interface SshKeyRouteOptions {
  readonly sshKeys: SshKeyService
  /** Where the SSH server listens; null while SSH is off. A function, because the port is known only after listening. */
  readonly sshAddress: () => SshAddress | null
}

/** Keys are only for sign-ins: a token cannot add one that outlives it. Every caller may know where the server is. */
export const sshKeyRoutes: FastifyPluginAsyncTypebox<SshKeyRouteOptions> = async (app, { sshKeys, sshAddress }) => {
  const config = { action: 'ssh_keys.manage' } as const
  const tags = ['ssh']

  app.get(
    '/ssh',
    {
      config: { action: 'account.view' },
      schema: {
        tags,
        summary: 'Where agents are reached by SSH',
        description: 'The user name of a connection is the name of the agent.',
        response: { 200: SshServer },
      },
    },
    () => presentServer(sshAddress()),
  )

  app.get(
    '/ssh-keys',
    { config, schema: { tags, summary: 'My SSH keys', response: { 200: SshKeys } } },
    async (request) => ({ items: await sshKeys.list(requireCaller(request).userId) }),
  )

  app.post(
    '/ssh-keys',
    {
      config,
      schema: {
        tags,
        summary: 'Add an SSH key',
        description:
          'Ed25519, ECDSA and RSA keys from 3072 bits on, and those in security keys. No two users have the same key.',
        body: AddSshKey,
        response: { 201: SshKey },
      },
    },
    async (request, reply) => reply.code(201).send(await sshKeys.add(requireCaller(request), request.body)),
  )

  addDeletion(
    app,
    {
      path: '/ssh-keys/:id',
      ...config,
      tags,
      summary: 'Remove an SSH key',
      description: 'Its connections close at once.',
    },
    (caller, id) => sshKeys.remove(caller, id),
  )
}
