import type {
  AppliedStash,
  ChangeFiles,
  Committed,
  CommitStaged,
  CreateBranch,
  CreatedStash,
  CreateStash,
  Discarded,
  GitCommitChanges,
  GitDiff,
  GitDiffQuery,
  GitLog,
  GitProposal,
  GitRefs,
  GitRepositories,
  GitStashes,
  GitStatus,
  LastCommit,
  LogQuery,
  MessagePrompt,
  MessagePromptQuery,
  ProposeBranch,
  ProposedBranch,
  PullRepository,
  PushRepository,
  RepositoryQuery,
  StageFiles,
  StatusQuery,
  SwitchBranch,
  UndoDiscard,
  UseStash,
} from '@slipway/protocol'
import { agentPath } from '../agents/agents.ts'
import { http } from '../transport/client.ts'

const pathOf = (key: string, what: string, query: object = {}): string => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const search = new URLSearchParams(given).toString()
  return `${agentPath(key)}/git/${what}${search === '' ? '' : `?${search}`}`
}

/** The git repositories in an agent's home. */
export const listRepositories = (key: string) => http.request<GitRepositories>('GET', pathOf(key, 'repositories'))
export const readStatus = (key: string, query: StatusQuery) =>
  http.request<GitStatus>('GET', pathOf(key, 'status', query))
export const readFileDiff = (key: string, query: GitDiffQuery) =>
  http.request<GitDiff>('GET', pathOf(key, 'diff', query))
export const listRefs = (key: string, repository: string) =>
  http.request<GitRefs>('GET', pathOf(key, 'refs', { repository }))
export const readLog = (key: string, query: LogQuery) => http.request<GitLog>('GET', pathOf(key, 'log', query))
export const readCommit = (key: string, repository: string, commit: string) =>
  http.request<GitCommitChanges>('GET', pathOf(key, `commits/${commit}`, { repository }))
/** The commit that may be amended. */
export const readLastCommit = (key: string, repository: string) =>
  http.request<LastCommit>('GET', pathOf(key, 'last-commit', { repository }))
/** A prompt that asks a coding CLI for the message of the next commit. */
export const readMessagePrompt = (key: string, query: MessagePromptQuery) =>
  http.request<MessagePrompt>('GET', pathOf(key, 'message-prompt', query))
export const listStashes = (key: string, repository: string) =>
  http.request<GitStashes>('GET', pathOf(key, 'stashes', { repository }))

export const stageFiles = (key: string, body: StageFiles) => http.request('POST', pathOf(key, 'stage'), body)
export const unstageFiles = (key: string, body: ChangeFiles) => http.request('POST', pathOf(key, 'unstage'), body)
/** With the git credentials of the user in force in the agent, like the next two. */
export const fetchRemote = (key: string, body: RepositoryQuery) => http.request('POST', pathOf(key, 'fetch'), body)
export const pullBranch = (key: string, body: PullRepository) => http.request('POST', pathOf(key, 'pull'), body)
export const pushBranchOf = (key: string, body: PushRepository) => http.request('POST', pathOf(key, 'push'), body)
/** What there is to propose of the branch that is checked out, and its pull request as far as the server knows. */
export const readProposal = (key: string, repository: string) =>
  http.request<GitProposal>('GET', pathOf(key, 'pull-request', { repository }))
/** An open pull request of the branch stays as it is, and is answered. */
export const proposeBranch = (key: string, body: ProposeBranch) =>
  http.request<ProposedBranch>('POST', pathOf(key, 'pull-request'), body)
/** Answers what undoes it. */
export const discardFiles = (key: string, body: ChangeFiles) =>
  http.request<Discarded>('POST', pathOf(key, 'discard'), body, 'named')
export const undoDiscardOf = (key: string, body: UndoDiscard) =>
  http.request('POST', pathOf(key, 'undo'), body, 'named')
export const commitStaged = (key: string, body: CommitStaged) =>
  http.request<Committed>('POST', pathOf(key, 'commit'), body)
export const createBranch = (key: string, body: CreateBranch) => http.request('POST', pathOf(key, 'branches'), body)
export const switchBranch = (key: string, body: SwitchBranch) => http.request('POST', pathOf(key, 'switch'), body)
export const createStash = (key: string, body: CreateStash) =>
  http.request<CreatedStash>('POST', pathOf(key, 'stashes'), body)
export const applyStash = (key: string, body: UseStash) =>
  http.request<AppliedStash>('POST', pathOf(key, 'stashes/apply'), body)
export const dropStash = (key: string, body: UseStash) =>
  http.request<Discarded>('POST', pathOf(key, 'stashes/drop'), body, 'named')
