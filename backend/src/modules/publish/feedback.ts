/** What people and checks say of a pull request: the request by `gh`, and what GitHub answers to it. */
import {
  type FailingCheck,
  FEEDBACK_TEXT_MAX,
  type PullComment,
  type PullFeedback,
  withHiddenInSight,
} from '@slipway/protocol'
import { isObject, parsed, type Request, request } from './github.ts'
import type { Hosted } from '../git/host.ts'

/** Most of each kind. All together fit into what an exec answers. */
const THREADS_MAX = 40
const REPLIES_MAX = 5
const REVIEWS_MAX = 30
const TALK_MAX = 30
const CHECKS_MAX = 100
/** Longest name and longest address, in UTF-16 code units. */
const NAME_MAX = 200
const URL_MAX = 2_000

/** REST does not say which talk about a line is resolved, and needs five requests. */
const QUERY = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    url state
    reviewThreads(last: ${THREADS_MAX}) { totalCount nodes { isResolved isOutdated path line originalLine
      comments(first: ${REPLIES_MAX}) { totalCount nodes { id author { login } authorAssociation body url createdAt } } } }
    reviews(last: ${REVIEWS_MAX}) { totalCount nodes { id author { login } authorAssociation body url submittedAt } }
    comments(last: ${TALK_MAX}) { totalCount nodes { id author { login } authorAssociation body url createdAt isMinimized } }
    commits(last: 1) { nodes { commit { statusCheckRollup { contexts(first: ${CHECKS_MAX}) { totalCount nodes { __typename
      ... on CheckRun { id name status conclusion detailsUrl title summary }
      ... on StatusContext { id context state description targetUrl } } } } } } }
  } }
}`

/** Cuts each text of the answer before it leaves the agent. */
const CUT = `walk(if type == "string" then .[0:${FEEDBACK_TEXT_MAX}] else . end)`

/** The comments and the checks of a pull request, in one request. */
export const askingFeedback = (hosted: Hosted, number: number): Request => {
  const [owner = '', name = ''] = hosted.path.split('/')
  return request(hosted, ['graphql', '--jq', CUT], { query: QUERY, variables: { owner, name, number } })
}

type Fields = Readonly<Record<string, unknown>>
const fieldOf = (of: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), of)
const nodesOf = (of: unknown): Fields[] => {
  const nodes = fieldOf(of, 'nodes')
  return Array.isArray(nodes) ? nodes.filter(isObject) : []
}
const isPart = (of: unknown): boolean => {
  const total = fieldOf(of, 'totalCount')
  return typeof total === 'number' && total > nodesOf(of).length
}

/** A text of the host as a user may read it: within a bound, and with nothing hidden in it. */
const textOf = (value: unknown, max: number): string =>
  typeof value === 'string' ? withHiddenInSight(value.slice(0, max).replaceAll('\r\n', '\n')).trim() : ''
const lineOf = (value: unknown): string => textOf(value, NAME_MAX).replaceAll(/\s+/g, ' ')
const urlOf = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= URL_MAX && URL.canParse(value) && /^https?:\/\//.test(value)
    ? value
    : null
const numberOf = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null)
const timeOf = (value: unknown): string | null =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : null

const TRUSTED: ReadonlySet<unknown> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR'])

const commentOf = (kind: PullComment['kind'], node: Fields): PullComment => ({
  id: lineOf(node['id']),
  kind,
  author: lineOf(fieldOf(node['author'], 'login')) || null,
  isTrusted: TRUSTED.has(node['authorAssociation']),
  ...{ path: null, line: null, isOutdated: false },
  text: textOf(node['body'], FEEDBACK_TEXT_MAX),
  url: urlOf(node['url']),
  createdAt: timeOf(node['createdAt'] ?? node['submittedAt']),
})

const onLines = (thread: Fields): PullComment[] =>
  nodesOf(thread['comments']).map((node) => ({
    ...commentOf('line', node),
    path: textOf(thread['path'], URL_MAX).replaceAll('\n', ' ') || null,
    line: numberOf(thread['line']) ?? numberOf(thread['originalLine']),
    isOutdated: thread['isOutdated'] === true,
  }))

/** How a check of either kind stands, in lower case. Null while it runs. */
const endOf = (node: Fields): string | null => {
  const isRun = node['__typename'] === 'CheckRun'
  if (isRun && node['status'] !== 'COMPLETED') return null
  const end = lineOf(isRun ? node['conclusion'] : node['state']).toLowerCase()
  return end === '' || end === 'pending' || end === 'expected' ? null : end
}
const FAILING = new Set(['failure', 'error', 'timed_out', 'cancelled', 'action_required', 'startup_failure'])

const failingOf = (node: Fields, conclusion: string): FailingCheck => ({
  id: lineOf(node['id']),
  name: lineOf(node['name'] ?? node['context']) || 'A check',
  conclusion,
  text: [node['title'] ?? node['description'], node['summary']]
    .map((part) => textOf(part, FEEDBACK_TEXT_MAX))
    .filter((part) => part !== '')
    .join('\n\n')
    .slice(0, FEEDBACK_TEXT_MAX),
  url: urlOf(node['detailsUrl'] ?? node['targetUrl']),
})

const checksOf = (rollup: unknown): PullFeedback['checks'] => {
  const nodes = nodesOf(fieldOf(rollup, 'contexts')).map((node) => ({ node, end: endOf(node) }))
  const failing = nodes.flatMap(({ node, end }) => (end !== null && FAILING.has(end) ? [failingOf(node, end)] : []))
  const pending = nodes.filter(({ end }) => end === null).length
  return { failing, pending, passed: nodes.length - failing.length - pending }
}

const STATES = { OPEN: 'open', CLOSED: 'closed', MERGED: 'merged' } as const
const isState = (value: unknown): value is keyof typeof STATES =>
  typeof value === 'string' && Object.hasOwn(STATES, value)

/** Null if the host answered something else. A part that the token may not read is missing, and the rest is there. */
export const feedbackIn = (stdout: string, number: number): PullFeedback | null => {
  const answer = parsed(stdout)
  const pull = fieldOf(answer, 'data', 'repository', 'pullRequest')
  if (!isObject(pull)) return null
  const [url, state] = [urlOf(pull['url']), pull['state']]
  if (url === null || !isState(state)) return null
  const { reviewThreads, reviews, comments: talk } = pull
  const threads = nodesOf(reviewThreads)
  const open = threads.filter(({ isResolved }) => isResolved !== true)
  const comments = [
    ...open.flatMap(onLines),
    ...nodesOf(reviews).map((node) => commentOf('review', node)),
    ...nodesOf(talk)
      .filter(({ isMinimized }) => isMinimized !== true)
      .map((node) => commentOf('talk', node)),
  ].filter(({ id, text }) => id !== '' && text !== '')
  const [last] = nodesOf(pull['commits'])
  const rollup = fieldOf(last, 'commit', 'statusCheckRollup')
  // The host answers null both without checks and without the right to read them; only the latter has an error.
  const mayNotRead = (rollup === null || rollup === undefined) && fieldOf(answer, 'errors') !== undefined
  return {
    ...{ number, url, state: STATES[state] },
    comments: comments.toSorted((a, b) => (a.createdAt ?? '').localeCompare(b.createdAt ?? '')),
    resolved: threads.length - open.length,
    checks: mayNotRead ? null : checksOf(rollup),
    truncated:
      [reviewThreads, reviews, talk, fieldOf(rollup, 'contexts')].some(isPart) ||
      open.some((thread) => isPart(thread['comments'])),
  }
}
