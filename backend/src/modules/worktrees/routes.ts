/** The worktrees of an agent: their settings, listed and removed. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  RemovedWorktree,
  TakeBackWorktree,
  TakenBack,
  Worktree,
  WorktreeSettings,
  WorktreesQuery,
} from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { onAgent } from '../agents/on-agent.ts'
import type { AgentService } from '../agents/service.ts'
import type { WorktreeService } from './service.ts'

/** Options of {@link worktreeRoutes}. */
export interface WorktreeRouteOptions {
  readonly agents: Pick<AgentService, 'require' | 'requireSystem'>
  readonly service: WorktreeService
}

/** An invalid id gets the same answer as a missing worktree. */
const BY_ID = { worktree: Type.String({ maxLength: 100 }) }
const idOf = ({ params }: FastifyRequest): string => (params as { worktree: string }).worktree

export const worktreeRoutes: FastifyPluginAsyncTypebox<WorktreeRouteOptions> = async (app, { agents, service }) => {
  onAgent(agents, ({ base, isSystem, route, find }) => {
    const tags = [isSystem ? 'system agent' : 'agents']

    app.get(
      `${base}/worktrees`,
      route('agent.view', {
        tags,
        summary: 'List the worktrees of its tasks',
        description:
          'Newest first. A terminal, a task or the files can be opened in the folder of each. While the agent does not run, its state and its size are not known.',
        querystring: WorktreesQuery,
        response: { 200: Type.Array(Worktree) },
      }),
      async (request) => service.list(await find(request), request.query),
    )

    app.delete(
      `${base}/worktrees/:worktree`,
      route(
        'terminal.open',
        {
          tags,
          summary: 'Remove a worktree',
          description:
            'Everything that is in it is saved before: its commits, its index, its files. `salvage` is the reference in its repository that has them.',
          response: { 200: RemovedWorktree },
        },
        BY_ID,
      ),
      async (request) => service.remove(await find(request), idOf(request)),
    )

    app.post(
      `${base}/worktrees/:worktree/take-back`,
      route(
        'terminal.open',
        {
          tags,
          summary: 'Bring the commits of a worktree into its branch',
          description:
            'Into the branch from which it was made: by a merge, or commit by commit onto the branch (`rebase`: all of them, `cherry_pick`: those that are named). Where the branch is checked out, its files come along. With conflicts nothing is changed, and the answer names the files.',
          body: TakeBackWorktree,
          response: { 200: TakenBack },
        },
        BY_ID,
      ),
      async (request) => service.takeBack(await find(request), idOf(request), request.body),
    )

    app.get(
      `${base}/worktree-settings`,
      route('agent.view', {
        tags,
        summary: 'When its tasks get a worktree',
        response: { 200: WorktreeSettings },
      }),
      async (request) => service.settings(await find(request)),
    )

    app.put(
      `${base}/worktree-settings`,
      route('agent.variables', {
        tags,
        summary: 'Choose when its tasks get a worktree',
        description:
          '`auto`: for reviews, for rebases and where another task or a terminal works in the same work tree. `setup` runs in each new worktree before the CLI starts.',
        body: WorktreeSettings,
        response: { 200: WorktreeSettings },
      }),
      async (request) => service.set(await find(request), request.body),
    )
  })
}
