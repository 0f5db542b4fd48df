import type {
  CommitChanges,
  CommittedChanges,
  OpenPullRequest,
  Publication,
  PullFeedback,
  PullRequest,
  PushBranch,
} from '@slipway/protocol'
import { http } from '../transport/client.ts'

const pathOf = (task: string): string => `/coding-agents/sessions/${encodeURIComponent(task)}/publication`

/** What there is to publish of a task that has ended. */
export const readPublication = (task: string) => http.request<Publication>('GET', pathOf(task))
/** The same again makes no second commit. */
export const commitWork = (task: string, body: CommitChanges) =>
  http.request<CommittedChanges>('POST', `${pathOf(task)}/commit`, body)
export const pushBranch = (task: string, body: PushBranch) => http.send('POST', `${pathOf(task)}/push`, body)
/** Opens a pull request, or changes the open one of the branch. */
export const proposeWork = (task: string, body: OpenPullRequest) =>
  http.request<PullRequest>('POST', `${pathOf(task)}/pull-request`, body)
/** Comments and checks of the pull request, from its host. */
export const readFeedback = (task: string) => http.request<PullFeedback>('GET', `${pathOf(task)}/feedback`)
