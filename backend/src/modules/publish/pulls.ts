/** Pull requests of branches: asked of GitHub by `gh`, and remembered. Those of tasks, and those of repositories. */
import { type ExecResult, type OpenPullRequest, PULL_TITLE_MAX, type PullRequest } from '@slipway/protocol'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { type Hosted, hostedOf, isGitHub } from '../git/host.ts'
import { changing, finding, type HostsPull, opening, pullIn, refusalIn, type Request } from './github.ts'
import type { BranchOf, PullRepository, PullRow } from './repository.ts'

/** How the host is asked: by programs of a caller in their agent. */
export interface Asking {
  readonly exec: (request: Request) => Promise<ExecResult>
  /** A text of the host without the secrets of the caller. */
  readonly masked: (text: string) => Promise<string>
}

interface PullsDeps {
  readonly rows: Pick<PullRepository, 'find' | 'store'>
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

  /** Opens a pull request, or gives the open one the title and the text. */
  async put(of: BranchOf, body: OpenPullRequest, asking: Asking): Promise<PullRequest> {
    const open = await ask(finding(of, of.branch), asking)
    const pull = await ask(open ? changing(of, open.number, body) : opening(of, body), asking)
    return this.#store(of, pull, body.title)
  }

  /** Opens a pull request. An open one of the branch stays as it is, and is answered. */
  async open(
    of: BranchOf,
    body: OpenPullRequest,
    asking: Asking,
  ): Promise<{ readonly pullRequest: PullRequest; readonly opened: boolean }> {
    const found = await ask(finding(of, of.branch), asking)
    if (found) return { pullRequest: await this.#store(of, found, found.title ?? body.title), opened: false }
    try {
      const pull = await ask(opening(of, body), asking)
      return { pullRequest: await this.#store(of, pull, body.title), opened: true }
    } catch (error) {
      // Another request may have opened it meanwhile: then the host refuses a second one.
      const other = await ask(finding(of, of.branch), asking).catch(() => null)
      if (!other) throw error
      return { pullRequest: await this.#store(of, other, other.title ?? body.title), opened: false }
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
