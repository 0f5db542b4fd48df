/** What an agent's repository gets words for: a pull request, and a commit. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'
import { RepositoryPath } from './names.ts'
import { OpenPullRequest, PullRequest } from './publications.ts'

export const GitProposal = Type.Object({
  /** The branch that is checked out, and its commit. */
  branch: Nullable(Type.String()),
  commit: Nullable(Type.String()),
  /** The branch of the remote that the work is for, as far as the repository knows. */
  base: Nullable(Type.String()),
  /** How many commits that branch lacks, counted to 1,000; null if it is unknown. */
  ahead: Nullable(Type.Integer()),
  /** Whether the remote has the commit, as far as the repository knows. */
  pushed: Type.Boolean(),
  /** Whether Slipway can open a pull request at the remote. */
  hasPullRequests: Type.Boolean(),
  /** The page of the remote's host on which a user opens one; null: there is none. */
  compareUrl: Nullable(Type.String()),
  /** The one that Slipway opened or found last; null: none. */
  pullRequest: Nullable(PullRequest),
  /** To edit: from the commits that the other branch lacks. */
  suggested: Type.Object({ title: Type.String(), body: Type.String() }),
})
export type GitProposal = Static<typeof GitProposal>

export const ProposeBranch = Type.Object(
  { repository: RepositoryPath, ...OpenPullRequest.properties },
  { additionalProperties: false },
)
export type ProposeBranch = Static<typeof ProposeBranch>

export const ProposedBranch = Type.Object({
  pullRequest: PullRequest,
  /** Whether it was opened now. An open one of the branch is answered as it is. */
  opened: Type.Boolean(),
})
export type ProposedBranch = Static<typeof ProposedBranch>

export const MessagePromptQuery = Type.Object(
  {
    repository: RepositoryPath,
    /** Also what the last commit changes, because the message is for one in its place. */
    amends: Type.Optional(Type.Boolean({ default: false })),
  },
  { additionalProperties: false },
)
export type MessagePromptQuery = Static<typeof MessagePromptQuery>

export const MessagePrompt = Type.Object({
  prompt: Type.String(),
  /** Whether a part of the changes is left out because of its size. */
  truncated: Type.Boolean(),
})
export type MessagePrompt = Static<typeof MessagePrompt>
