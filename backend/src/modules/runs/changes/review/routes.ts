/** `/api/coding-agents/sessions/:id/diff`: what a task changed, and its review. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CodingSessionDiff, DiffQuery, DiscardChanges, DiscardedChanges } from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Action } from '../../../access/policy.ts'
import { requireCaller } from '../../../identity/require-caller.ts'
import type { RunService } from '../../service.ts'
import type { ChangeReview } from './review.ts'

/** An invalid id gets the same answer as a missing session. */
const IdParams = Type.Object({ id: Type.String({ maxLength: 100 }) })

interface Parts {
  readonly runs: Pick<RunService, 'diff' | 'require'>
  readonly review: ChangeReview
}

const DIFF = '/coding-agents/sessions/:id/diff'
const tags = ['tasks']

export const reviewRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { runs, review }) => {
  /** Checks the right before a kept answer is replayed. */
  const mayDiscard = (request: FastifyRequest): Promise<unknown> =>
    runs.require(requireCaller(request), (request.params as { id: string }).id, 'task.discard' satisfies Action)

  app.get(
    DIFF,
    {
      config: { action: 'task.view' },
      schema: {
        tags,
        summary: 'What it changed',
        description:
          'The unified diff of the git work tree of its folder, from the start of the task to its end: with its commits, and with untracked files that are not ignored. What was changed before is not in it. While the task is active: what has changed so far. With `since`: until now, from the start of the task (`turn`) or of the first task of its conversation (`start`), as long as the container has it.',
        params: IdParams,
        querystring: DiffQuery,
        response: { 200: CodingSessionDiff },
      },
    },
    async (request) => {
      const { params, query } = request
      const caller = requireCaller(request)
      return query.since ? review.diff(caller, params.id, query.since) : runs.diff(caller, params.id)
    },
  )

  app.post(
    `${DIFF}/discard`,
    {
      config: { action: 'task.discard', idempotent: mayDiscard },
      schema: {
        tags,
        summary: 'Discard a change',
        description:
          'Takes a hunk or a file back to what it was at that start. Only the work tree changes: commits and the index stay. It is refused if the file is not as it was in the diff that `tree` names, and while a task is at work in the work tree.',
        params: IdParams,
        body: DiscardChanges,
        response: { 200: DiscardedChanges },
      },
    },
    async (request) => review.discard(requireCaller(request), request.params.id, request.body),
  )

  app.post(
    `${DIFF}/undo`,
    {
      config: { action: 'task.discard', idempotent: mayDiscard },
      schema: {
        tags,
        summary: 'Undo a discard',
        description:
          'Takes the answer to a discard. It is refused if the file has changed since. Of several discards in a file, undo the last one first.',
        params: IdParams,
        body: DiscardedChanges,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await review.undo(requireCaller(request), request.params.id, request.body)
      return reply.code(204).send(null)
    },
  )
}
