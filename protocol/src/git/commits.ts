/** The commits of a repository: making them, and their log. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'
import { ChangedFile } from './diffs.ts'
import { Commit, Reference, RepositoryPath, RunHooks } from './names.ts'
import { COMMIT_MESSAGE_MAX } from './publications.ts'

/** Most commits in one answer of the log, and most that it leaves out before them. */
export const LOG_LIMIT_MAX = 500
export const LOG_SKIP_MAX = 1_000_000

export const CommitStaged = Type.Object(
  {
    repository: RepositoryPath,
    message: Type.String({ minLength: 1, maxLength: COMMIT_MESSAGE_MAX, pattern: '^[^\\u0000]*\\S[^\\u0000]*$' }),
    /** The last commit, whose place it takes, with what is staged. */
    amends: Type.Optional(Commit),
    runHooks: RunHooks,
  },
  { additionalProperties: false },
)
export type CommitStaged = Static<typeof CommitStaged>

export const Committed = Type.Object({ commit: Type.String() })
export type Committed = Static<typeof Committed>

/** The commit that is checked out. */
export const LastCommit = Type.Object({
  commit: Type.String(),
  message: Type.String(),
  /** Whether a branch of a remote has it, as far as the repository knows. */
  isAtRemote: Type.Boolean(),
})
export type LastCommit = Static<typeof LastCommit>

export const LogQuery = Type.Object(
  {
    repository: RepositoryPath,
    /** Where it begins; by default at all branches and tags. */
    from: Type.Optional(Reference),
    skip: Type.Optional(Type.Integer({ minimum: 0, maximum: LOG_SKIP_MAX, default: 0 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LOG_LIMIT_MAX, default: 200 })),
  },
  { additionalProperties: false },
)
export type LogQuery = Static<typeof LogQuery>

export const GitCommit = Type.Object({
  id: Type.String(),
  parents: Type.Array(Type.String()),
  /** The texts of a commit are its author's: cut, and without a check. */
  author: Type.String(),
  address: Type.String(),
  subject: Type.String(),
  committedAt: Nullable(Timestamp),
})
export type GitCommit = Static<typeof GitCommit>

export const GitLog = Type.Object({
  /** The newest first, each before its parents. */
  items: Type.Array(GitCommit),
  /** Whether older ones follow. */
  more: Type.Boolean(),
})
export type GitLog = Static<typeof GitLog>

/** What a commit changed, compared with its first parent. */
export const GitCommitChanges = Type.Object({
  files: Type.Array(ChangedFile),
  /** Whether a file or the patch of one is left out because of its size. */
  truncated: Type.Boolean(),
})
export type GitCommitChanges = Static<typeof GitCommitChanges>
