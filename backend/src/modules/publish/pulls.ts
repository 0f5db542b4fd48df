/** Pull requests of branches: asked of GitHub by `gh`, and remembered. Those of tasks, and those of repositories. */
import {
  type ExecResult,
  type OpenPullRequest,
  type ProposeWork,
  PULL_TITLE_MAX,
  type PullRequest,
} from '@slipway/protocol'
import type { Clock } from '../../lib/time/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { type Hosted, hostedOf, isGitHub } from '../git/host.ts'
import { changing, finding, type HostsPull, opening, pullIn, refusalIn, type Request } from './github.ts'
import type { PublishMetrics } from './metrics.ts'
import type { BranchOf, PullRepository, PullRow } from './repository.ts'

/** How the host is asked: by programs of a caller in their agent. */
export interface Asking {
  readonly exec: (request: Request) => Promise<ExecResult>
  /** A text of the host without the secrets of the caller. */
  readonly masked: (text: string) => Promise<string>
}

/** The pull request of a branch, and whether it was opened now. */
interface Opened {
  readonly pullRequest: PullRequest
  readonly opened: boolean
}

interface PullsDeps {
  readonly rows: Pick<PullRepository, 'find' | 'store'>
  readonly metrics: Pick<PublishMetrics, 'pull'>
  readonly clock: Clock
}

/** What asks the host throws `REMOTE_REFUSED` with what the host said. */
export class Pulls {
  readonly #deps: PullsDeps

  constructor(deps: PullsDeps) {
    this.#deps = deps
  }

  /** What Slipway knows of a branch without asking the host. */
  async known(of: BranchOf): Promise<PullRequest | null> {
    const row = await this.#deps.rows.find(of)
    return row && toPull(row)
  }

  /** The number of the pull request that is known, or of an open one. */
  async numberOf(of: BranchOf, asking: Asking): Promise<number | null> {
    const known = await this.known(of)
    return (known ?? (await ask(finding(of, of.branch), asking)))?.number ?? null
  }

  /** The open pull request of a branch as the host has it now, or null. */
  async published(of: BranchOf, asking: Asking): Promise<HostsPull | null> {
    return ask(finding(of, of.branch), asking)
  }

  /**
   * Opens a pull request, or gives the open one the title and the text. Throws `PULL_REQUEST_CLOSED` if the one that is
   * known is merged or closed, unless `another` one is asked for.
   */
  async put(of: BranchOf, { another = false, ...body }: ProposeWork, asking: Asking): Promise<PullRequest> {
    return this.#counted(async () => {
      const open = await ask(finding(of, of.branch), asking)
      if (!open && !another && (await this.known(of))) await this.#refuseClosed(of, asking)
      const change = async ({ number }: HostsPull) => {
        const pull = await ask(changing(of, number, body), asking)
        return [await this.#store(of, pull, body.title), 'changed'] as const
      }
      if (open) return change(open)
      try {
        return [await this.#store(of, await ask(opening(of, body), asking), body.title), 'opened']
      } catch (error) {
        return change(await openedMeanwhile(of, asking, error))
      }
    })
  }

  /** Opens a pull request. An open one of the branch stays as it is, and is answered. */
  async open(of: BranchOf, body: OpenPullRequest, asking: Asking): Promise<Opened> {
    return this.#counted(async () => {
      const opened = await this.#open(of, body, asking)
      return [opened, opened.opened ? 'opened' : null]
    })
  }

  async #open(of: BranchOf, body: OpenPullRequest, asking: Asking): Promise<Opened> {
    const found = await ask(finding(of, of.branch), asking)
    if (found) return { pullRequest: await this.#store(of, found, found.title ?? body.title), opened: false }
    try {
      const pull = await ask(opening(of, body), asking)
      return { pullRequest: await this.#store(of, pull, body.title), opened: true }
    } catch (error) {
      const other = await openedMeanwhile(of, asking, error)
      return { pullRequest: await this.#store(of, other, other.title ?? body.title), opened: false }
    }
  }

  async #refuseClosed(of: BranchOf, asking: Asking): Promise<void> {
    const last = await ask(finding(of, of.branch, 'all'), asking)
    if (!last || last.state === 'open') return
    throw new AppError(
      'PULL_REQUEST_CLOSED',
      `Pull request #${last.number} of this branch is ${last.state}, so it was not changed. Open another one, or choose another branch.`,
    )
  }

  /** Counts what became of a request. Null: nothing has changed. */
  async #counted<T>(work: () => Promise<readonly [T, 'opened' | 'changed' | null]>): Promise<T> {
    const { metrics } = this.#deps
    try {
      const [answer, outcome] = await work()
      if (outcome !== null) metrics.pull(outcome)
      return answer
    } catch (error) {
      metrics.pull('failed')
      throw error
    }
  }

  async #store(of: BranchOf, pull: HostsPull | null, title: string): Promise<PullRequest> {
    const { rows, clock } = this.#deps
    if (!pull) throw new AppError('REMOTE_REFUSED', `${of.host} did not answer with a pull request.`)
    const { number, url, draft } = pull
    const facts = { number, url, draft, title: title.slice(0, PULL_TITLE_MAX) }
    return toPull(await rows.store(of, facts, new Date(clock.now())))
  }
}

const ask = async (request: Request, asking: Asking): Promise<HostsPull | null> => {
  const result = await asking.exec(request)
  const pull = result.exitCode === 0 ? pullIn(result.stdout) : undefined
  if (pull !== undefined) return pull
  throw await refusalOf(result, asking)
}

/** Another request may have opened it: then the host refuses a second one. Throws the refusal if there is none. */
const openedMeanwhile = async (of: BranchOf, asking: Asking, refusal: unknown): Promise<HostsPull> => {
  const other = await ask(finding(of, of.branch), asking).catch(() => null)
  if (!other) throw refusal
  return other
}

/** Why `gh` did not do its work. */
export const refusalOf = async (
  result: Pick<ExecResult, 'exitCode' | 'stdout' | 'stderr'>,
  { masked }: Pick<Asking, 'masked'>,
): Promise<AppError> => {
  // 4: there is no token.
  if (result.exitCode === 4)
    return new AppError(
      'REMOTE_REFUSED',
      'gh is not signed in. Set a GitHub token and let programs of this agent use it, or open the request on its page.',
    )
  return new AppError('REMOTE_REFUSED', `GitHub refused: ${await masked(refusalIn(result))}`)
}

/** The repository of a remote on GitHub. Throws `WRONG_STATE` if `gh` has nothing to do with the remote. */
export const onGitHub = (remote: { readonly url: string } | null): Hosted => {
  const hosted = remote && hostedOf(remote.url)
  if (!hosted || !isGitHub(hosted))
    throw new AppError('WRONG_STATE', 'The remote of this repository is not on GitHub. Open the request on its page.')
  return hosted
}

const toPull = ({ number, url, title, draft, createdAt, updatedAt }: PullRow): PullRequest => ({
  ...{ number, url, title, draft },
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})
