/** `/git` of an agent: the repositories in its home. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AppliedStash,
  ChangeFiles,
  CommitStaged,
  Committed,
  CreateBranch,
  CreatedStash,
  CreateStash,
  Discarded,
  GitCommitChanges,
  GitDiff,
  GitDiffQuery,
  GitLog,
  GitRefs,
  GitRepositories,
  GitStashes,
  GitStatus,
  LastCommit,
  LogQuery,
  MessagePrompt,
  MessagePromptQuery,
  RepositoryQuery,
  StageFiles,
  StatusQuery,
  SwitchBranch,
  UndoDiscard,
  UseStash,
} from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { notFound } from '../../lib/errors.ts'
import { onAgent } from '../agents/on-agent.ts'
import type { AgentService } from '../agents/service.ts'
import type { GitReader } from './reader.ts'
import { askedOf } from './hooks/asked.ts'
import type { HookedWriter } from './hooks/writer.ts'
import type { GitWriter } from './writer/writer.ts'

/** Options of {@link gitRoutes}. */
export interface GitRouteOptions {
  readonly agents: Pick<AgentService, 'require' | 'requireSystem'>
  readonly reader: GitReader
  readonly writer: GitWriter
  readonly withHooks: HookedWriter
}

const tags = ['git']
const None = Type.Null()
const reading = <S extends object>(summary: string, rest: S) => ({ tags, summary, ...rest })
const BY_COMMIT = { commit: Type.String({ maxLength: 100 }) }

/** An invalid id gets the same answer as a missing commit. */
const commitOf = ({ params }: FastifyRequest): string => {
  const { commit } = params as { commit: string }
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw notFound()
  return commit
}

export const gitRoutes: FastifyPluginAsyncTypebox<GitRouteOptions> = async (app, options) => {
  const { agents, reader, writer, withHooks } = options
  onAgent(agents, (address) => {
    const { base, route, find } = address
    const git = `${base}/git`
    /** A repeated request gets the first answer, which has what undoes the act. */
    const once = <S extends object>(schema: S) => {
      const { config, ...rest } = route('terminal.open', schema)
      return { ...rest, config: { ...config, idempotent: find } }
    }
    app.get(
      `${git}/repositories`,
      route(
        'agent.files',
        reading('List the repositories in the home', {
          description:
            'Looks up to six folders below the home, and leaves out folders of package managers, such as `node_modules`.',
          response: { 200: GitRepositories },
        }),
      ),
      async (request) => reader.repositories(await find(request)),
    )
    app.get(
      `${git}/status`,
      route(
        'agent.files',
        reading('What has changed in a repository', {
          description:
            'No program of the repository runs: no hook, filter or fsmonitor. So the status does not have changes in a submodule that are not committed there.',
          querystring: StatusQuery,
          response: { 200: GitStatus },
        }),
      ),
      async (request) => reader.status(await find(request), request.query),
    )
    app.get(
      `${git}/diff`,
      route(
        'agent.files',
        reading('The diff of one file', {
          description:
            'The diff has the staged changes of the file, or the others. If it is too large, the answer has only its size.',
          querystring: GitDiffQuery,
          response: { 200: GitDiff },
        }),
      ),
      async (request) => reader.diff(await find(request), request.query),
    )
    app.get(
      `${git}/refs`,
      route(
        'agent.files',
        reading('List branches and tags', { querystring: RepositoryQuery, response: { 200: GitRefs } }),
      ),
      async (request) => reader.refs(await find(request), request.query),
    )
    app.get(
      `${git}/log`,
      route('agent.files', reading('List commits', { querystring: LogQuery, response: { 200: GitLog } })),
      async (request) => reader.log(await find(request), request.query),
    )
    app.get(
      `${git}/commits/:commit`,
      route(
        'agent.files',
        reading('What a commit changed', { querystring: RepositoryQuery, response: { 200: GitCommitChanges } }),
        BY_COMMIT,
      ),
      async (request) => reader.commit(await find(request), request.query, commitOf(request)),
    )
    app.get(
      `${git}/last-commit`,
      route(
        'agent.files',
        reading('The commit that is checked out', {
          description:
            'The answer has the message of the commit, and whether a branch of a remote has the commit, as far as the repository knows.',
          querystring: RepositoryQuery,
          response: { 200: LastCommit },
        }),
      ),
      async (request) => reader.last(await find(request), request.query),
    )
    app.get(
      `${git}/message-prompt`,
      route(
        'agent.files',
        reading('A prompt for the message of a commit', {
          description:
            'The prompt has the staged changes, cut at 64 KiB. Start a task with it. It marks the texts of the repository as data.',
          querystring: MessagePromptQuery,
          response: { 200: MessagePrompt },
        }),
      ),
      async (request) => reader.messagePrompt(await find(request), request.query),
    )
    app.get(
      `${git}/stashes`,
      route('agent.files', reading('List stashes', { querystring: RepositoryQuery, response: { 200: GitStashes } })),
      async (request) => reader.stashes(await find(request), request.query),
    )

    app.post(
      `${git}/stage`,
      route(
        'terminal.open',
        reading('Stage files, or a hunk', {
          description:
            'Refuses a file that a git filter stores differently, unless `runHooks` lets the filters of the repository run.',
          body: StageFiles,
          response: { 204: None },
        }),
      ),
      async (request, reply) => {
        const { body } = request
        if (body.runHooks) await withHooks.stage(await askedOf(address, request, reply), body)
        else await writer.stage(await find(request), body)
        return reply.code(204).send(null)
      },
    )
    app.post(
      `${git}/unstage`,
      route('terminal.open', reading('Unstage files, or a hunk', { body: ChangeFiles, response: { 204: None } })),
      async (request, reply) => {
        await writer.unstage(await find(request), request.body)
        return reply.code(204).send(null)
      },
    )
    app.post(
      `${git}/discard`,
      once(
        reading('Discard changes that are not staged', {
          description:
            'Brings files, or a hunk of one, back to what is staged, and deletes untracked files. A reference keeps the discarded changes.',
          body: ChangeFiles,
          response: { 200: Discarded },
        }),
      ),
      async (request) => writer.discard(await find(request), request.body),
    )
    app.post(
      `${git}/undo`,
      once(
        reading('Undo a discard', {
          description:
            'Restores the changes if the files are still as the discard left them. It also restores a dropped stash.',
          body: UndoDiscard,
          response: { 204: None },
        }),
      ),
      async (request, reply) => {
        await writer.undo(await find(request), request.body)
        return reply.code(204).send(null)
      },
    )
    app.post(
      `${git}/commit`,
      route(
        'terminal.open',
        reading('Commit what is staged', {
          description:
            'No hook runs, and the commit is not signed, unless `runHooks` lets git do it as in a terminal, for 5 minutes at most. The commit ends a merge without conflicts. With `amends` it replaces the last commit and keeps its author, unless a remote has that commit.',
          body: CommitStaged,
          response: { 200: Committed },
        }),
      ),
      async (request, reply) => {
        const { body } = request
        if (body.runHooks) return withHooks.commit(await askedOf(address, request, reply), body)
        return writer.commit(await find(request), body)
      },
    )
    app.post(
      `${git}/branches`,
      route(
        'terminal.open',
        reading('Create a branch', {
          description:
            'Without `from`, the branch starts at the commit that is checked out. If the branch cannot be checked out, it is not created.',
          body: CreateBranch,
          response: { 204: None },
        }),
      ),
      async (request, reply) => {
        const { body } = request
        // Git runs nothing for a branch that is not checked out.
        if (body.runHooks && body.switch) await withHooks.begin(await askedOf(address, request, reply), body)
        else await writer.branch(await find(request), body)
        return reply.code(204).send(null)
      },
    )
    app.post(
      `${git}/switch`,
      route(
        'terminal.open',
        reading('Check out a branch', {
          description: 'Uncommitted changes stay. If they are in the way, nothing happens.',
          body: SwitchBranch,
          response: { 204: None },
        }),
      ),
      async (request, reply) => {
        const { body } = request
        if (body.runHooks) await withHooks.switch(await askedOf(address, request, reply), body)
        else await writer.switch(await find(request), body)
        return reply.code(204).send(null)
      },
    )
    app.post(
      `${git}/stashes`,
      route(
        'terminal.open',
        reading('Stash changes', {
          description:
            'Brings the work tree and the index back to the last commit. With `untracked`, the stash has untracked files, too; it never has ignored files. If a file changes meanwhile, nothing is stashed.',
          body: CreateStash,
          response: { 200: CreatedStash },
        }),
      ),
      async (request) => writer.stash(await find(request), request.body),
    )
    app.post(
      `${git}/stashes/apply`,
      route('terminal.open', reading('Apply a stash', { body: UseStash, response: { 200: AppliedStash } })),
      async (request) => writer.applyStash(await find(request), request.body),
    )
    app.post(
      `${git}/stashes/drop`,
      once(
        reading('Drop a stash', {
          description: 'A reference keeps the dropped stash.',
          body: UseStash,
          response: { 200: Discarded },
        }),
      ),
      async (request) => writer.dropStash(await find(request), request.body),
    )
  })
}
