/** The work of a task on a branch, on the branch's remote, and in a pull request. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'

/** Longest name of a branch. Git makes a file of it, and a file's name has at most 255 bytes. */
export const BRANCH_MAX = 200
/** Longest message of a commit. */
export const COMMIT_MESSAGE_MAX = 16_384
/** Longest title and longest text of a pull request: those of GitHub. */
export const PULL_TITLE_MAX = 256
export const PULL_BODY_MAX = 65_536

/** What git takes as a name of a branch, without what a shell, a URL or a reader could misunderstand. */
export const BRANCH_PATTERN =
  '^(?!.*(?:\\.\\.|//|/\\.|\\.lock(?:/|$)|\\.(?:/|$)))[A-Za-z0-9_][A-Za-z0-9._+#-]*(?:/[A-Za-z0-9_][A-Za-z0-9._+#-]*)*$'
const Branch = Type.String({ maxLength: BRANCH_MAX, pattern: BRANCH_PATTERN })
const Commit = Type.String({ pattern: '^[0-9a-f]{40,64}$' })

export const PullRequest = Type.Object({
  number: Type.Integer(),
  url: Type.String(),
  title: Type.String(),
  draft: Type.Boolean(),
  /** When Slipway opened it, and changed it last. */
  createdAt: Type.String(),
  updatedAt: Type.String(),
})
export type PullRequest = Static<typeof PullRequest>

export const Publication = Type.Object({
  sessionId: Type.String(),
  /** The branch that is checked out, or null. */
  branch: Nullable(Type.String()),
  /** Its commit; null before the first one. */
  commit: Nullable(Type.String()),
  /** How many files differ from that commit. */
  uncommitted: Type.Integer(),
  /** Where a push goes, or null. */
  remote: Nullable(
    Type.Object({
      name: Type.String(),
      /** Without a password. */
      url: Type.String(),
      /** Whether Slipway can open a pull request there. */
      hasPullRequests: Type.Boolean(),
    }),
  ),
  /** The branch of the remote that the work is for, as far as the repository knows. */
  base: Nullable(Type.String()),
  /** How many commits that branch lacks; null if it is unknown. */
  ahead: Nullable(Type.Integer()),
  /** Whether the remote has the commit, as far as the repository knows. */
  pushed: Type.Boolean(),
  /** The page of the remote's host on which a user opens a pull request, once the branch is there; or null. */
  compareUrl: Nullable(Type.String()),
  pullRequest: Nullable(PullRequest),
  /** To edit. */
  suggested: Type.Object({ branch: Type.String(), message: Type.String(), title: Type.String(), body: Type.String() }),
})
export type Publication = Static<typeof Publication>

export const CommitChanges = Type.Object(
  {
    /** The branch that is checked out, or a new one. */
    branch: Branch,
    message: Type.String({ minLength: 1, maxLength: COMMIT_MESSAGE_MAX, pattern: '^[^\\u0000]*\\S[^\\u0000]*$' }),
  },
  { additionalProperties: false },
)
export type CommitChanges = Static<typeof CommitChanges>

export const CommittedChanges = Type.Object({ branch: Type.String(), commit: Type.String() })
export type CommittedChanges = Static<typeof CommittedChanges>

export const PushBranch = Type.Object({ branch: Branch, commit: Commit }, { additionalProperties: false })
export type PushBranch = Static<typeof PushBranch>

export const OpenPullRequest = Type.Object(
  {
    branch: Branch,
    /** The branch that it is for. */
    base: Branch,
    title: Type.String({ minLength: 1, maxLength: PULL_TITLE_MAX, pattern: '\\S' }),
    body: Type.String({ maxLength: PULL_BODY_MAX }),
    /** Only for a new one. */
    draft: Type.Optional(Type.Boolean({ default: true })),
  },
  { additionalProperties: false },
)
export type OpenPullRequest = Static<typeof OpenPullRequest>
