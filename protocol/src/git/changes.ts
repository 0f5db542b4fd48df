/** What differs from the last commit of a repository: its files, their diffs, staging and discarding. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'
import { ChangedFile } from './diffs.ts'
import { Commit, FileId, RepositoryPath, RunHooks } from './names.ts'

/** Most changed files of a repository that are listed, and most that one request names. */
export const GIT_FILES_MAX = 5_000

export const GIT_CHANGES = ['added', 'modified', 'deleted', 'renamed', 'copied', 'type'] as const
const Change = Type.Enum(GIT_CHANGES)
export type GitChange = (typeof GIT_CHANGES)[number]

export const GitFile = Type.Object({
  /** Names the file in requests. */
  id: Type.String(),
  /** Relative to the work tree. Bytes that are not UTF-8 are replaced. */
  path: Type.String(),
  /** The same before it was renamed, or null. */
  oldId: Nullable(Type.String()),
  oldPath: Nullable(Type.String()),
  /** What the next commit changes; null: nothing. */
  staged: Nullable(Change),
  /** What the work tree changes beyond that; null: nothing. */
  unstaged: Nullable(Change),
  /** `changed`: git knows it. `repository`: another repository in the work tree, such as a submodule. */
  kind: Type.Enum(['changed', 'untracked', 'ignored', 'conflict', 'repository'] as const),
})
export type GitFile = Static<typeof GitFile>

export const StatusQuery = Type.Object(
  {
    repository: RepositoryPath,
    /** Also what git ignores; a folder that is ignored as a whole is one entry. */
    ignored: Type.Optional(Type.Boolean({ default: false })),
  },
  { additionalProperties: false },
)
export type StatusQuery = Static<typeof StatusQuery>

export const GitStatus = Type.Object({
  /** The branch that is checked out; null: none. */
  branch: Nullable(Type.String()),
  /** Its commit; null before the first one. */
  commit: Nullable(Type.String()),
  /** The branch that it follows, such as `origin/main`. */
  upstream: Nullable(Type.String()),
  /** Commits that it has and the other one lacks, and the reverse, as far as the repository knows; null: unknown. */
  ahead: Nullable(Type.Integer()),
  behind: Nullable(Type.Integer()),
  /** What git is in the middle of. */
  unfinished: Nullable(Type.Enum(['merge', 'rebase', 'cherry-pick', 'revert', 'bisect'] as const)),
  /** Where a push goes, without a password. */
  remote: Nullable(Type.Object({ name: Type.String(), url: Type.String() })),
  /** The page of the remote's host on which a user opens a pull request, once the branch is there; or null. */
  compareUrl: Nullable(Type.String()),
  files: Type.Array(GitFile),
  /** Whether there are more than {@link GIT_FILES_MAX}. */
  truncated: Type.Boolean(),
})
export type GitStatus = Static<typeof GitStatus>

const Side = Type.Enum(['staged', 'unstaged'] as const)
export type GitSide = Static<typeof Side>

export const GitDiffQuery = Type.Object(
  { repository: RepositoryPath, file: FileId, oldFile: Type.Optional(FileId), side: Side },
  { additionalProperties: false },
)
export type GitDiffQuery = Static<typeof GitDiffQuery>

/** Between which trees a user saw a hunk. */
const Seen = Type.Object({ base: Commit, tree: Commit }, { additionalProperties: false })

export const GitDiff = Type.Object({
  /** Null: nothing differs any more. */
  file: Nullable(ChangedFile),
  /** For requests about a hunk; null if the file is too large to compare. */
  seen: Nullable(Seen),
})
export type GitDiff = Static<typeof GitDiff>

export const ChangeFiles = Type.Object(
  {
    repository: RepositoryPath,
    files: Type.Array(FileId, { minItems: 1, maxItems: GIT_FILES_MAX }),
    /** Only this hunk of the only file. */
    hunk: Type.Optional(
      Type.Object(
        { at: Type.Integer({ minimum: 0, maximum: 1_000_000 }), ...Seen.properties },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)
export type ChangeFiles = Static<typeof ChangeFiles>

/** A hunk is staged without filters only. */
export const StageFiles = Type.Object(
  { ...ChangeFiles.properties, runHooks: RunHooks },
  { additionalProperties: false },
)
export type StageFiles = Static<typeof StageFiles>

/** A reference in the repository that keeps what was discarded. */
const Kept = Type.String({ pattern: '^refs/slipway/discarded/(?:files|stash)-[0-9]{1,12}-[0-9a-f]{12}$' })

/** Send it to undo a discard. The repository keeps the last 50. */
export const Discarded = Type.Object({ kept: Type.String() })
export type Discarded = Static<typeof Discarded>

export const UndoDiscard = Type.Object({ repository: RepositoryPath, kept: Kept }, { additionalProperties: false })
export type UndoDiscard = Static<typeof UndoDiscard>
