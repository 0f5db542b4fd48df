/** The git repositories in an agent's home, and the work of tasks in them. */
export { REPOSITORIES_MAX, GitRepository, GitRepositories, RepositoryQuery, PushRepository } from './repositories.ts'
export {
  GIT_FILES_MAX,
  GIT_CHANGES,
  GitFile,
  StatusQuery,
  GitStatus,
  GitDiffQuery,
  GitDiff,
  ChangeFiles,
  Discarded,
  UndoDiscard,
  type GitChange,
  type GitSide,
} from './changes.ts'
export {
  LOG_LIMIT_MAX,
  LOG_SKIP_MAX,
  CommitStaged,
  Committed,
  LogQuery,
  GitCommit,
  GitLog,
  GitCommitChanges,
  LastCommit,
} from './commits.ts'
export { GIT_REFS_MAX, GitRef, GitRefs, CreateBranch, SwitchBranch } from './branches.ts'
export {
  STASHES_MAX,
  GitStash,
  GitStashes,
  UseStash,
  AppliedStash,
  CreatedStash,
  CreateStash,
  STASH_MESSAGE_MAX,
} from './stashes.ts'
export { GitProposal, MessagePrompt, MessagePromptQuery, ProposeBranch, ProposedBranch } from './proposals.ts'
export {
  DIFF_FILES_MAX,
  DIFF_FILE_PATCH_BYTES,
  DIFF_PATCH_BYTES,
  ChangeCounts,
  ChangedFile,
  CodingSessionDiff,
  type DiffSince,
  DiffQuery,
  DiscardChanges,
  DiscardedChanges,
} from './diffs.ts'
export {
  BRANCH_MAX,
  BRANCH_PATTERN,
  COMMIT_MESSAGE_MAX,
  CommitChanges,
  CommittedChanges,
  FailingCheck,
  FEEDBACK_TEXT_MAX,
  OpenPullRequest,
  PULL_BODY_MAX,
  PULL_TITLE_MAX,
  Publication,
  PullComment,
  PullFeedback,
  PullRequest,
  PushBranch,
} from './publications.ts'
export {
  WORKTREE_MODES,
  WORKTREE_ROOT,
  WORKTREES_PER_AGENT,
  WORKTREE_SETUP_SECONDS,
  WORKTREE_STATES,
  WorktreeMode,
  WorktreeState,
  WorktreeSettings,
  WorktreesQuery,
  Worktree,
  RemovedWorktree,
  TakeBackWorktree,
  TakenBack,
} from './worktrees.ts'
