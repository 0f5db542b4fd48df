/** Requests to GitHub's API by `gh`: its arguments, its input, and what it answers. */
import type { OpenPullRequest } from '@slipway/protocol'
import type { Hosted } from '../git/host.ts'

/** Longest time for one request, in seconds. */
export const REQUEST_SECONDS = 60
/** Longest text of the host that an error passes on. */
const SAID_MAX = 500

/** A program of `gh`, for an exec. */
export interface Request {
  readonly argv: string[]
  readonly stdin: string
  readonly env: Record<string, string>
  readonly timeoutSeconds: number
}

/** A pull request as the host describes it. */
export interface HostsPull {
  readonly number: number
  readonly url: string
  /** Null if the host does not say it. */
  readonly title: string | null
  /** Empty if the host does not say it. */
  readonly body: string
  readonly draft: boolean
  readonly state: 'open' | 'closed' | 'merged'
}

/** One call of `gh api`, with the body in its input. */
export const request = ({ host }: Hosted, args: readonly string[], body: object | null): Request => ({
  argv: ['gh', 'api', '--hostname', host, ...args, ...(body ? ['--input', '-'] : [])],
  stdin: body ? JSON.stringify(body) : '',
  env: { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1' },
  timeoutSeconds: REQUEST_SECONDS,
})

/** The open pull request of a branch, or the newest one in any state. */
export const finding = (hosted: Hosted, branch: string, state: 'open' | 'all' = 'open'): Request => {
  const [owner = ''] = hosted.path.split('/')
  const query = new URLSearchParams({ state, head: `${owner}:${branch}`, per_page: '1' })
  return request(hosted, [`repos/${hosted.path}/pulls?${query.toString()}`], null)
}

export const opening = (hosted: Hosted, { branch, base, title, body, draft = true }: OpenPullRequest): Request =>
  request(hosted, ['-X', 'POST', `repos/${hosted.path}/pulls`], { title, head: branch, base, body, draft })

export const changing = (hosted: Hosted, number: number, { title, body }: OpenPullRequest): Request =>
  request(hosted, ['-X', 'PATCH', `repos/${hosted.path}/pulls/${number}`], { title, body })

/** What `gh` printed, or undefined if it is no JSON. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** One pull request, or the first of a list. Null for an empty list; undefined if the host answered something else. */
export const pullIn = (stdout: string): HostsPull | null | undefined => {
  const answer = parsed(stdout)
  if (Array.isArray(answer) && answer.length === 0) return null
  const one: unknown = Array.isArray(answer) ? answer[0] : answer
  if (!isObject(one)) return undefined
  const { number, html_url: url, title, body, draft, merged_at: mergedAt, state } = one
  if (typeof number !== 'number' || typeof url !== 'string' || !/^https?:\/\//.test(url)) return undefined
  return {
    ...{ number, url, title: typeof title === 'string' && title !== '' ? title : null, draft: draft === true },
    body: typeof body === 'string' ? body : '',
    state: typeof mergedAt === 'string' ? 'merged' : state === 'closed' ? 'closed' : 'open',
  }
}

/** Why the host refused, in its own words. */
export const refusalIn = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string => {
  const answer = parsed(stdout)
  const errors: unknown = isObject(answer) ? answer['errors'] : null
  const first: unknown = Array.isArray(errors) ? errors[0] : null
  const [message, detail] = [answer, first].map((part) => (isObject(part) ? part['message'] : null))
  const said = [message, detail].filter((part) => typeof part === 'string').join(': ')
  return (said || stderr.trim() || 'gh said nothing').slice(0, SAID_MAX)
}
