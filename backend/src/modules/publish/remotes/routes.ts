/** `/git/fetch`, `/git/pull` and `/git/push` of an agent. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PushRepository, RepositoryQuery } from '@slipway/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { type AgentAddress, onAgent } from '../../agents/on-agent.ts'
import type { AgentService } from '../../agents/service.ts'
import type { Asked, RemoteService } from './service.ts'

interface Parts {
  readonly agents: Pick<AgentService, 'require' | 'requireSystem'>
  readonly remotes: RemoteService
}

const tags = ['git']
const response = { 204: Type.Null() }

export const remoteRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, remotes }) => {
  onAgent(agents, (address) => {
    const { base, route } = address
    app.post(
      `${base}/git/fetch`,
      route('terminal.open', {
        tags,
        summary: 'Fetch from its remote',
        description:
          'From the remote of the branch, else from `origin`, else from the only one; with your git credentials in force in the agent. Branches that the remote has no more go. Nothing of the repository runs.',
        body: RepositoryQuery,
        response,
      }),
      async (request, reply) => {
        await remotes.fetch(await askedOf(address, request, reply), request.body.repository)
        return reply.code(204).send(null)
      },
    )
    app.post(
      `${base}/git/pull`,
      route('terminal.open', {
        tags,
        summary: 'Fetch, and move the branch that is checked out',
        description: 'Only if it has no commits that the other one lacks. Changes that are in the way stop it.',
        body: RepositoryQuery,
        response,
      }),
      async (request, reply) => {
        await remotes.pull(await askedOf(address, request, reply), request.body.repository)
        return reply.code(204).send(null)
      },
    )
    app.post(
      `${base}/git/push`,
      route('terminal.open', {
        tags,
        summary: 'Push a branch',
        description: 'Like a fetch, and never by force. The branch follows the remote one then.',
        body: PushRepository,
        response,
      }),
      async (request, reply) => {
        await remotes.push(await askedOf(address, request, reply), request.body)
        return reply.code(204).send(null)
      },
    )
  })
}

const askedOf = async (
  { find, locate }: AgentAddress,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Asked> => {
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  return { found: await find(request), locate: locate(request), left: left.signal }
}
