/** `/git/fetch`, `/git/pull`, `/git/push` and `/git/pull-request` of an agent. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  GitProposal,
  ProposeBranch,
  ProposedBranch,
  PullRepository,
  PushRepository,
  RepositoryQuery,
} from '@slipway/protocol'
import Type from 'typebox'
import { onAgent } from '../../agents/on-agent.ts'
import type { AgentService } from '../../agents/service.ts'
import { askedOf } from '../../git/hooks/asked.ts'
import type { RemoteService } from './service.ts'

interface Parts {
  readonly agents: Pick<AgentService, 'require' | 'requireSystem'>
  readonly remotes: RemoteService
}

const tags = ['git']
const response = { 204: Type.Null() }

export const remoteRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, remotes }) => {
  onAgent(agents, (address) => {
    const { base, route, find } = address
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
        description:
          'Only if it has no commits that the other one lacks. Changes that are in the way stop it. With `runHooks` git itself moves the branch and its files, after the fetch.',
        body: PullRepository,
        response,
      }),
      async (request, reply) => {
        await remotes.pull(await askedOf(address, request, reply), request.body)
        return reply.code(204).send(null)
      },
    )
    app.post(
      `${base}/git/push`,
      route('terminal.open', {
        tags,
        summary: 'Push a branch',
        description:
          'Like a fetch, and never by force. The branch follows the remote one then. With `runHooks` git itself pushes, by the configuration of the repository.',
        body: PushRepository,
        response,
      }),
      async (request, reply) => {
        await remotes.push(await askedOf(address, request, reply), request.body)
        return reply.code(204).send(null)
      },
    )
    app.get(
      `${base}/git/pull-request`,
      route('agent.files', {
        tags,
        summary: 'What there is to propose of its branch',
        description:
          'How the branch that is checked out stands to its remote, a title and a text from its commits, and the pull request that Slipway knows of it. The host is not asked.',
        querystring: RepositoryQuery,
        response: { 200: GitProposal },
      }),
      async (request) => remotes.proposal(await find(request), request.query),
    )
    app.post(
      `${base}/git/pull-request`,
      route('terminal.open', {
        tags,
        summary: 'Open a pull request',
        description:
          'By `gh`, with your GitHub token in force in the agent, as a draft by default. The branch must be checked out, and be at the remote. An open pull request of it stays as it is, and is the answer.',
        body: ProposeBranch,
        response: { 200: ProposedBranch },
      }),
      async (request, reply) => remotes.propose(await askedOf(address, request, reply), request.body),
    )
  })
}
