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
        summary: 'List the worktrees of tasks',
        description:
          'The newest comes first. A terminal, a task or the files can be opened in the folder of each worktree. While the agent does not run, the state and the size of its worktrees are not known.',
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
            'Saves the commits, the index and the files of the worktree first. `salvage` is the reference in its repository that has them. A second request gets the same answer.',
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
            'The branch is the one from which the worktree was made. The commits come by a merge, or one by one onto the branch (`rebase`: all of them, `cherry_pick`: the named ones). If the branch is checked out, its files follow. If there are conflicts, nothing changes, and the answer names the files.',
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
        summary: 'Tell when tasks get a worktree',
        response: { 200: WorktreeSettings },
      }),
      async (request) => service.settings(await find(request)),
    )

    app.put(
      `${base}/worktree-settings`,
      route('agent.variables', {
        tags,
        summary: 'Choose when tasks get a worktree',
        description:
          'With `auto`, a task gets a worktree for reviews and rebases, and if another task or a terminal works in the same work tree. `setup` runs in each new worktree before the CLI starts.',
        body: WorktreeSettings,
        response: { 200: WorktreeSettings },
      }),
      async (request) => service.set(await find(request), request.body),
    )
  })
}
