/** The repositories of an agent and their remotes: fetched, pulled, pushed and proposed with the git credentials of the user. */
import {
  type AuditAction,
  type GitProposal,
  type ProposeBranch,
  type ProposedBranch,
  type PullRepository,
  type PushRepository,
  type RepositoryQuery,
} from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { Found } from '../../agents/service.ts'
import type { Audit, Facts } from '../../audit/audit.ts'
import { compareUrl, type Hosted, hostedOf, isGitHub } from '../../git/host.ts'
import type { Asked, UserPrograms } from '../../git/hooks/asked.ts'
import type { HookedGit } from '../../git/hooks/hooked-git.ts'
import { forwarding, readingProposal } from '../../git/program.ts'
import { type Proposed, proposedIn } from '../../git/proposal.ts'
import type { GitRunner } from '../../git/runner.ts'
import { actorOf } from '../../identity/caller.ts'
import { failureOf } from '../failures.ts'
import { EXIT, PUSH_SECONDS, pushing } from '../program.ts'
import { type Asking as AskingHost, onGitHub, type Pulls } from '../pulls.ts'
import { proposalFor } from '../text/suggest.ts'
import { fetching } from './program.ts'

export interface RemoteDeps {
  readonly runner: GitRunner
  readonly hooked: Pick<HookedGit, 'forward' | 'push'>
  readonly programs: UserPrograms
  readonly audit: Pick<Audit, 'recordNow'>
  readonly pulls: Pick<Pulls, 'known' | 'open'>
}

type Act = Extract<AuditAction, 'git.fetched' | 'git.pulled' | 'git.pushed' | 'git.proposed'>

/** All acts throw `AUDIT_REFUSED`, `WRONG_STATE`, and `REMOTE_REFUSED` with what the remote said. */
export class RemoteService {
  readonly #deps: RemoteDeps

  constructor(deps: RemoteDeps) {
    this.#deps = deps
  }

  async fetch(asked: Asked, repository: string): Promise<void> {
    await this.#record(asked, 'git.fetched', { repository })
    await this.#fetch(asked, repository)
  }

  /** Fetches, and moves the branch if it has no commits of its own. Throws `GIT_REFUSED`, with hooks `GIT_FAILED`, if it has. */
  async pull(asked: Asked, { repository, runHooks = false }: PullRepository): Promise<void> {
    const { runner, hooked } = this.#deps
    await this.#record(asked, 'git.pulled', { repository, ...(runHooks && { hooks: true }) })
    await this.#fetch(asked, repository)
    if (runHooks) await hooked.forward(asked, repository)
    else await runner.act(asked.found, forwarding(runner.placeOf(repository)))
  }

  /** Pushes a branch that must be at this commit. Never by force. Throws `CHANGES_CONFLICT`. */
  async push(asked: Asked, { repository, branch, commit, runHooks = false }: PushRepository): Promise<void> {
    const { hooked, programs } = this.#deps
    await this.#record(asked, 'git.pushed', { repository, branch, commit, ...(runHooks && { hooks: true }) })
    if (runHooks) return hooked.push(asked, repository, branch, commit)
    const { id, folder } = this.#deps.runner.placeOf(repository)
    const { exitCode, stderr, timedOut } = await programs.run(asked, {
      ...{ argv: pushing(id, folder, branch, commit), stdin: '', env: {} },
      timeoutSeconds: PUSH_SECONDS + 5,
    })
    if (exitCode !== 0 || timedOut) throw failureOf(timedOut ? null : exitCode, await programs.masked(asked, stderr))
  }

  /** What there is to propose of the branch that is checked out. The host is not asked. Throws like a look at the status. */
  async proposal(found: Found, { repository }: RepositoryQuery): Promise<GitProposal> {
    const { branch, commit, remote, base, ahead, pushed, messages } = await this.#proposed(found, repository)
    const hosted = remote && hostedOf(remote.url)
    const isOwn = hosted !== null && branch !== null
    return {
      ...{ branch, commit, base, ahead },
      pushed: commit !== null && pushed === commit,
      hasPullRequests: hosted !== null && isGitHub(hosted),
      compareUrl: isOwn && base !== null && branch !== base ? compareUrl(hosted, base, branch) : null,
      pullRequest: isOwn ? await this.#deps.pulls.known(branchOf(found, hosted, branch)) : null,
      suggested: proposalFor(messages, branch),
    }
  }

  /**
   * Opens a pull request of the branch that is checked out by `gh`, or answers the open one. Throws `CHANGES_CONFLICT` if
   * another branch is checked out.
   */
  async propose(asked: Asked, { repository, ...body }: ProposeBranch): Promise<ProposedBranch> {
    const { found } = asked
    const { programs } = this.#deps
    await this.#record(asked, 'git.proposed', { repository, branch: body.branch, base: body.base })
    const { branch, remote } = await this.#proposed(found, repository)
    if (branch !== body.branch)
      throw new AppError('CHANGES_CONFLICT', 'Another branch is checked out now. Look again, then decide again.')
    const host: AskingHost = {
      exec: (request) => programs.run(asked, request),
      masked: (text) => programs.masked(asked, text),
    }
    return this.#deps.pulls.open(branchOf(found, onGitHub(remote), body.branch), body, host)
  }

  #proposed(found: Found, repository: string): Promise<Proposed> {
    const { runner } = this.#deps
    return runner.look(found, readingProposal(runner.placeOf(repository)), proposedIn)
  }

  async #fetch(asked: Asked, repository: string): Promise<void> {
    const { programs, runner } = this.#deps
    const { exitCode, stderr, timedOut } = await programs.run(asked, fetching(runner.placeOf(repository)))
    if (exitCode === 0 && !timedOut) return
    const said = await programs.masked(asked, stderr)
    if (!timedOut && exitCode === EXIT.refused)
      throw new AppError('REMOTE_REFUSED', `The fetch failed. Git said: ${said || 'nothing'}`)
    throw failureOf(timedOut ? null : exitCode, said)
  }

  #record({ found: { caller, row } }: Asked, action: Act, facts: Facts): Promise<void> {
    return this.#deps.audit.recordNow({ actor: actorOf(caller), action, ...agentEvent(row, facts) })
  }
}

const branchOf = ({ row }: Found, hosted: Hosted, branch: string) => ({ agentId: row.id, ...hosted, branch })
