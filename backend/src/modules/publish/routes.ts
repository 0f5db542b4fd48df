/** `/api/coding-agents/sessions/:id/publication`: the work of a task on a branch, a remote, and in a pull request. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  CommitChanges,
  CommittedChanges,
  ProposeWork,
  Publication,
  PullFeedback,
  PullRequest,
  PullText,
  PushBranch,
} from '@slipway/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { requireCaller } from '../identity/require-caller.ts'
import type { Publisher, PublishService } from './service.ts'

/** An invalid id gets the same answer as a missing session. */
const IdParams = Type.Object({ id: Type.String({ maxLength: 100 }) })

interface Parts {
  readonly service: PublishService
}

const PUBLICATION = '/coding-agents/sessions/:id/publication'
const common = { config: { action: 'task.publish' } } as const
const tags = ['tasks']

export const publishRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { service }) => {
  app.get(
    PUBLICATION,
    {
      ...common,
      schema: {
        tags,
        summary: 'What there is to publish of it',
        description:
          'The branch, the changes and the remote of the repository in which the task worked, its pull request, and a branch, a message and a text that fit the task. The task must have ended.',
        params: IdParams,
        response: { 200: Publication },
      },
    },
    async (request) => service.look(requireCaller(request), request.params.id),
  )

  app.post(
    `${PUBLICATION}/commit`,
    {
      ...common,
      schema: {
        tags,
        summary: 'Commit its work',
        description:
          'Commits all changes of the work tree, with untracked files that are not ignored, to the branch that is checked out or to a new one. No hook and no filter of the repository runs. Without a change, a new branch is made all the same.',
        params: IdParams,
        body: CommitChanges,
        response: { 200: CommittedChanges },
      },
    },
    async (request) => service.commit(requireCaller(request), request.params.id, request.body),
  )

  app.post(
    `${PUBLICATION}/push`,
    {
      ...common,
      schema: {
        tags,
        summary: 'Push its branch',
        description:
          'To the remote of the branch, else to `origin`, else to the only one; with your git credentials in force in the agent, and never by force.',
        params: IdParams,
        body: PushBranch,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await service.push(publisherOf(request, reply), request.params.id, request.body)
      return reply.code(204).send(null)
    },
  )

  app.get(
    `${PUBLICATION}/pull-request`,
    {
      ...common,
      schema: {
        tags,
        summary: 'The title and the text for an update of its pull request',
        description:
          'By `gh`, with your GitHub token in force in the agent. The text begins with that of the open pull request of the branch at the host. A later task adds its words. The part between the comments of Slipway, with the cost and the validation, is replaced. Without an open pull request, these are the title and the text for a new one.',
        params: IdParams,
        response: { 200: PullText },
      },
    },
    async (request, reply) => service.text(publisherOf(request, reply), request.params.id),
  )

  app.post(
    `${PUBLICATION}/pull-request`,
    {
      ...common,
      schema: {
        tags,
        summary: 'Open or change its pull request',
        description:
          'By `gh`, with your GitHub token in force in the agent. An open pull request of the branch gets the title and the text; otherwise one is opened, as a draft by default. If that of the branch is merged or closed, another one is opened only with `another`; otherwise the answer is 409 `PULL_REQUEST_CLOSED`.',
        params: IdParams,
        body: ProposeWork,
        response: { 200: PullRequest },
      },
    },
    async (request, reply) => service.propose(publisherOf(request, reply), request.params.id, request.body),
  )

  app.get(
    `${PUBLICATION}/feedback`,
    {
      ...common,
      schema: {
        tags,
        summary: 'Comments and checks of its pull request',
        description:
          'By `gh`, with your GitHub token in force in the agent: comments that are not resolved, and checks that fail. Texts are those of the host, cut to 2,000 characters. Anyone may have written them.',
        params: IdParams,
        response: { 200: PullFeedback },
      },
    },
    async (request, reply) => service.feedback(publisherOf(request, reply), request.params.id),
  )
}

const publisherOf = (request: FastifyRequest, reply: FastifyReply): Publisher => {
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  return { caller: requireCaller(request), left: left.signal }
}
