/** The git repositories in an agent's home. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'
import { Branch, Commit, RepositoryPath, RunHooks } from './names.ts'

/** Most repositories of a home that are listed. */
export const REPOSITORIES_MAX = 100

export const GitRepository = Type.Object({
  /** Its work tree, relative to the home. */
  path: Type.String(),
  /** `linked`: a worktree or a submodule, whose git folder is elsewhere. */
  kind: Type.Enum(['main', 'linked'] as const),
  /** The branch that is checked out; null: none. */
  branch: Nullable(Type.String()),
})
export type GitRepository = Static<typeof GitRepository>

export const GitRepositories = Type.Object({
  /** By path. */
  items: Type.Array(GitRepository),
  /** Whether there are more than {@link REPOSITORIES_MAX}. */
  truncated: Type.Boolean(),
  /** How many are left out because their path has a line feed or bytes that are not UTF-8. */
  unnamed: Type.Integer(),
})
export type GitRepositories = Static<typeof GitRepositories>

export const RepositoryQuery = Type.Object({ repository: RepositoryPath }, { additionalProperties: false })
export type RepositoryQuery = Static<typeof RepositoryQuery>

export const PullRepository = Type.Object(
  { repository: RepositoryPath, runHooks: RunHooks },
  { additionalProperties: false },
)
export type PullRepository = Static<typeof PullRepository>

export const PushRepository = Type.Object(
  {
    repository: RepositoryPath,
    branch: Branch,
    /** The commit at which the branch must be. */
    commit: Commit,
    runHooks: RunHooks,
  },
  { additionalProperties: false },
)
export type PushRepository = Static<typeof PushRepository>
