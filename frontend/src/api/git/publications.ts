import type {
  CommitChanges,
  CommittedChanges,
  Publication,
  PullFeedback,
  ProposeWork,
  PullRequest,
  PullText,
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
/** Opens a pull request, or changes the open one of the branch. A merged or closed one stays unless `another` is asked for. */
export const proposeWork = (task: string, body: ProposeWork) =>
  http.request<PullRequest>('POST', `${pathOf(task)}/pull-request`, body)
/** The title and the text for an update of the open pull request, from its host. */
export const readPullText = (task: string) => http.request<PullText>('GET', `${pathOf(task)}/pull-request`)
/** Comments and checks of the pull request, from its host. */
export const readFeedback = (task: string) => http.request<PullFeedback>('GET', `${pathOf(task)}/feedback`)
