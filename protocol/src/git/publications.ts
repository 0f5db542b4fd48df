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

export const ProposeWork = Type.Object(
  {
    ...OpenPullRequest.properties,
    another: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Opens another pull request if that of the branch is merged or closed.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ProposeWork = Static<typeof ProposeWork>

/** To edit, for an update of a pull request. */
export const PullText = Type.Object({
  /** The open pull request of the branch, or null. */
  number: Nullable(Type.Integer()),
  title: Type.String(),
  body: Type.String(),
})
export type PullText = Static<typeof PullText>

/** Longest text of one comment and of one check that Slipway passes on, in characters. Longer ones are cut. */
export const FEEDBACK_TEXT_MAX = 2_000

export const PullComment = Type.Object({
  /** The host's own id of it. */
  id: Type.String(),
  /** On a line of the changes; what a reviewer says of them as a whole; or in the talk below the pull request. */
  kind: Type.Enum(['line', 'review', 'talk'] as const),
  /** The name on the host; null if the account was deleted. */
  author: Nullable(Type.String()),
  /** Whether the host says that the author belongs to the repository. On a public one, others may comment, too. */
  isTrusted: Type.Boolean(),
  /** The file and the line; null of what is on no line. */
  path: Nullable(Type.String()),
  line: Nullable(Type.Integer()),
  /** Whether the line has changed since. */
  isOutdated: Type.Boolean(),
  text: Type.String(),
  url: Nullable(Type.String()),
  createdAt: Nullable(Type.String()),
})
export type PullComment = Static<typeof PullComment>

export const FailingCheck = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** How it ended, in the host's word, such as `failure` or `timed_out`. */
  conclusion: Type.String(),
  /** What it says of itself. Empty if it says nothing. */
  text: Type.String(),
  url: Nullable(Type.String()),
})
export type FailingCheck = Static<typeof FailingCheck>

/** What a pull request has got from people and from checks. */
export const PullFeedback = Type.Object({
  number: Type.Integer(),
  url: Type.String(),
  state: Type.Enum(['open', 'closed', 'merged'] as const),
  /** The oldest first, without those that are resolved or hidden. */
  comments: Type.Array(PullComment),
  /** How many talks about lines are resolved. */
  resolved: Type.Integer(),
  /** Null if the token may not read them. */
  checks: Nullable(
    Type.Object({
      failing: Type.Array(FailingCheck),
      passed: Type.Integer(),
      pending: Type.Integer(),
    }),
  ),
  /** Whether the host has more than this. */
  truncated: Type.Boolean(),
})
export type PullFeedback = Static<typeof PullFeedback>
