/** The git repositories in an agent's home: what changed in them, their commits, branches and stashes. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'
import { ChangedFile } from './diffs.ts'
import { BRANCH_MAX, BRANCH_PATTERN, COMMIT_MESSAGE_MAX } from './publications.ts'

/** Most repositories of a home that are listed. */
export const REPOSITORIES_MAX = 100
/** Most changed files of a repository that are listed, and most that one request names. */
export const GIT_FILES_MAX = 5_000
/** Most branches and tags that are listed, those with the newest commits. */
export const GIT_REFS_MAX = 1_000
/** Most commits in one answer of the log, and most that it leaves out before them. */
export const LOG_LIMIT_MAX = 500
export const LOG_SKIP_MAX = 1_000_000
/** Most stashes that are listed. */
export const STASHES_MAX = 200

/** The work tree of a repository, relative to the home, such as `work/app`; `.` is the home itself. */
export const RepositoryPath = Type.String({
  minLength: 1,
  maxLength: 4096,
  pattern: '^(?!/)(?!(?:.*/)?\\.\\.(?:/|$))[^\\u0000\\n]+$',
})
/** The bytes of a path in base64url, since a path may have any bytes. */
const FileId = Type.String({ minLength: 1, maxLength: 6_000, pattern: '^[A-Za-z0-9_-]+$' })
const Commit = Type.String({ pattern: '^[0-9a-f]{40,64}$' })
const Branch = Type.String({ maxLength: BRANCH_MAX, pattern: BRANCH_PATTERN })
/** A branch, a branch of a remote, a tag or a commit. */
const Reference = Type.String({ maxLength: 2 * BRANCH_MAX, pattern: BRANCH_PATTERN })

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

export const PushRepository = Type.Object(
  {
    repository: RepositoryPath,
    branch: Branch,
    /** The commit at which the branch must be. */
    commit: Commit,
  },
  { additionalProperties: false },
)
export type PushRepository = Static<typeof PushRepository>

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

/** A reference in the repository that keeps what was discarded. */
const Kept = Type.String({ pattern: '^refs/slipway/discarded/(?:files|stash)-[0-9]{1,12}-[0-9a-f]{12}$' })

/** Send it to undo a discard. The repository keeps the last 50. */
export const Discarded = Type.Object({ kept: Type.String() })
export type Discarded = Static<typeof Discarded>

export const UndoDiscard = Type.Object({ repository: RepositoryPath, kept: Kept }, { additionalProperties: false })
export type UndoDiscard = Static<typeof UndoDiscard>

export const CommitStaged = Type.Object(
  {
    repository: RepositoryPath,
    message: Type.String({ minLength: 1, maxLength: COMMIT_MESSAGE_MAX, pattern: '^[^\\u0000]*\\S[^\\u0000]*$' }),
    /** The last commit, whose place it takes, with what is staged. */
    amends: Type.Optional(Commit),
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

export const GitRef = Type.Object({
  kind: Type.Enum(['branch', 'remote', 'tag'] as const),
  /** Such as `main` or `origin/main`. */
  name: Type.String(),
  commit: Type.String(),
  /** The branch that it follows. */
  upstream: Nullable(Type.String()),
  /** The first line of its commit, and when that was made. */
  subject: Type.String(),
  committedAt: Nullable(Timestamp),
  /** The work tree in which it is checked out; null: none. */
  checkedOutIn: Nullable(Type.String()),
})
export type GitRef = Static<typeof GitRef>

export const GitRefs = Type.Object({
  /** Those with the newest commits first. */
  items: Type.Array(GitRef),
  /** Whether there are more than {@link GIT_REFS_MAX}. */
  truncated: Type.Boolean(),
})
export type GitRefs = Static<typeof GitRefs>

export const CreateBranch = Type.Object(
  {
    repository: RepositoryPath,
    name: Branch,
    /** Where it begins. By default at the commit that is checked out. A branch of a remote is then followed. */
    from: Type.Optional(Reference),
    /** Whether it is checked out. */
    switch: Type.Optional(Type.Boolean({ default: false })),
  },
  { additionalProperties: false },
)
export type CreateBranch = Static<typeof CreateBranch>

export const SwitchBranch = Type.Object({ repository: RepositoryPath, name: Branch }, { additionalProperties: false })
export type SwitchBranch = Static<typeof SwitchBranch>

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

export const GitStash = Type.Object({
  /** 0 is the newest one. */
  at: Type.Integer(),
  commit: Type.String(),
  text: Type.String(),
  stashedAt: Nullable(Timestamp),
})
export type GitStash = Static<typeof GitStash>

export const GitStashes = Type.Object({ items: Type.Array(GitStash), truncated: Type.Boolean() })
export type GitStashes = Static<typeof GitStashes>

/** Longest message of a stash. It is one line. */
export const STASH_MESSAGE_MAX = 500

export const CreateStash = Type.Object(
  {
    repository: RepositoryPath,
    /** Without one, git's usual words. */
    message: Type.Optional(Type.String({ maxLength: STASH_MESSAGE_MAX, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })),
    /** Also files that git does not know. */
    untracked: Type.Optional(Type.Boolean({ default: false })),
  },
  { additionalProperties: false },
)
export type CreateStash = Static<typeof CreateStash>

export const CreatedStash = Type.Object({ commit: Type.String() })
export type CreatedStash = Static<typeof CreatedStash>

/** The commit makes sure that it is the stash that the user saw. */
export const UseStash = Type.Object(
  { repository: RepositoryPath, at: Type.Integer({ minimum: 0, maximum: 100_000 }), commit: Commit },
  { additionalProperties: false },
)
export type UseStash = Static<typeof UseStash>

export const AppliedStash = Type.Object({
  /** The files in conflict, which have both versions now. Empty: there is none. */
  conflicts: Type.Array(Type.String()),
})
export type AppliedStash = Static<typeof AppliedStash>
