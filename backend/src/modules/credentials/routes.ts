/** Credentials of an agent, of a user and of the platform: set, tested and removed, and never read back. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  CREDENTIAL_KINDS,
  CredentialInForce,
  CredentialKind,
  Credential,
  CredentialTest,
  Page,
  SecretKeyStatus,
  SetCredential,
} from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Action } from '../access/policy.ts'
import { onAgent } from '../agents/on-agent.ts'
import type { AgentService } from '../agents/service.ts'
import { requireCaller } from '../identity/require-caller.ts'
import { type Holder, PLATFORM_HOLDER } from './owner.ts'
import type { Provisioner } from './provision/provision.ts'
import type { SecretKeyState } from './secret-key/state.ts'
import type { CredentialService } from './service.ts'

/** Options of {@link credentialRoutes}. */
export interface CredentialRouteOptions {
  readonly agents: AgentService
  readonly credentials: CredentialService
  readonly provisioner: Provisioner
  readonly state: SecretKeyState
}

const NAME = Type.String({ maxLength: 100 })
const TAGS = ['credentials']

/** The address of a set of credentials. */
interface Collection {
  readonly path: string
  readonly action: Action
  /** Its owner's name in the documentation. */
  readonly whose: string
  readonly params: Record<string, typeof NAME>
  /** Throws the error for a caller who may not. `opens`: the request makes programs send their data to an address. */
  locate(request: FastifyRequest, what?: { readonly opens: boolean }): Promise<Holder>
}

export const credentialRoutes: FastifyPluginAsyncTypebox<CredentialRouteOptions> = async (
  app,
  { agents, credentials, provisioner, state },
) => {
  const collections: Collection[] = []
  onAgent(agents, ({ base, isSystem, route, find }) => {
    collections.push({
      path: `${base}/credentials`,
      action: route('agent.credentials', {}).config.action,
      whose: isSystem ? "The system agent's" : "An agent's",
      params: isSystem ? {} : { name: NAME },
      locate: async (request, { opens } = { opens: false }) => {
        const { row } = await find(request, opens ? 'agent.gateway' : 'agent.credentials')
        return { owner: { type: 'agent', id: row.id }, name: row.name }
      },
    })
  })
  collections.push(
    {
      path: '/users/me/credentials',
      action: 'account.credentials',
      whose: 'My',
      params: {},
      locate: async (request) => {
        const { userId, email } = requireCaller(request)
        return { owner: { type: 'user', id: userId }, name: email }
      },
    },
    {
      path: '/platform/credentials',
      action: 'platform.credentials',
      whose: "The platform's",
      params: {},
      locate: async () => PLATFORM_HOLDER,
    },
  )

  for (const { path, action, whose, params, locate } of collections) {
    const config = { action }
    const tokensNeed =
      action === 'agent.credentials'
        ? ' For a kind with an address an API token needs the scopes `agents:write` and `terminal`.'
        : ''
    const all = Type.Object(params)
    const one = Type.Object({ ...params, kind: CredentialKind })
    const kindOf = (request: FastifyRequest): CredentialKind => (request.params as { kind: CredentialKind }).kind

    app.get(
      path,
      {
        config,
        schema: {
          tags: TAGS,
          summary: `${whose} credentials, without their secrets`,
          params: all,
          response: { 200: Page(Credential) },
        },
      },
      async (request) => ({ items: await credentials.list((await locate(request)).owner), nextCursor: null }),
    )

    app.put(
      `${path}/:kind`,
      {
        config,
        schema: {
          tags: TAGS,
          summary: `Set or replace one of them (${whose.toLowerCase()})`,
          description:
            'The secret is stored encrypted, and no answer contains it. Programs that start afterwards get it.' +
            tokensNeed,
          params: one,
          body: SetCredential,
          response: { 200: Credential },
        },
      },
      async (request) => {
        const kind = kindOf(request)
        const holder = await locate(request, { opens: CREDENTIAL_KINDS[kind].address !== null })
        return credentials.set(requireCaller(request), holder, kind, request.body)
      },
    )

    app.delete(
      `${path}/:kind`,
      {
        config,
        schema: {
          tags: TAGS,
          summary: `Remove one of them (${whose.toLowerCase()})`,
          description: 'Running programs keep it.',
          params: one,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await credentials.remove(requireCaller(request), await locate(request), kindOf(request))
        return reply.code(204).send(null)
      },
    )

    app.post(
      `${path}/:kind/test`,
      {
        config,
        schema: {
          tags: TAGS,
          summary: `Ask the provider whether it accepts one of them (${whose.toLowerCase()})`,
          description:
            'The server sends the request, and uses only the status of the answer. Agents may be in another network, so ' +
            'they may not reach a provider that the server reaches, and the other way round.',
          params: one,
          response: { 200: CredentialTest },
        },
      },
      async (request) => credentials.test(requireCaller(request), await locate(request), kindOf(request)),
    )
  }

  const inForce = {
    tags: TAGS,
    summary: 'Which credentials a terminal that you open now gets',
    response: { 200: Page(CredentialInForce) },
  }
  onAgent(agents, ({ base, route, find }) => {
    app.get(`${base}/credentials-in-force`, route('agent.view', inForce), async (request) => {
      const { caller, row } = await find(request)
      return { items: await provisioner.inForce(caller, row), nextCursor: null }
    })
  })
  app.get(
    '/platform/secret-key',
    {
      config: { action: 'platform.credentials' },
      schema: {
        tags: TAGS,
        summary: 'Whether the stored credentials can be read',
        response: { 200: SecretKeyStatus },
      },
    },
    () => state.status(),
  )
}
