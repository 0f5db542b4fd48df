/** Puts the work of a task on a branch, on the branch's remote, and in a pull request. Each is an act of its own. */
import {
  type CommitChanges,
  type CommittedChanges,
  ERROR_STATUS,
  type ExecResult,
  type Publication,
  type PullFeedback,
  type ProposeWork,
  type PullRequest,
  type PullText,
  type PushBranch,
  type Validation,
} from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import { asAppError } from '../../runtime/app-error.ts'
import type { ContainerRuntime, RunOptions } from '../../runtime/port.ts'
import { agentEvent } from '../agents/recorded.ts'
import type { AgentService, Found } from '../agents/service.ts'
import type { Audit } from '../audit/audit.ts'
import type { Provisioner } from '../credentials/provision/provision.ts'
import type { ExecService } from '../exec/service.ts'
import { actorOf, type Caller } from '../identity/caller.ts'
import type { ReviewRepository } from '../runs/changes/review/repository.ts'
import { Masking } from '../runs/output/masking.ts'
import type { RunRow } from '../runs/repository.ts'
import type { RunService } from '../runs/service.ts'
import { failureOf } from './failures.ts'
import { askingFeedback, feedbackIn } from './feedback.ts'
import type { Request } from './github.ts'
import { compareUrl, hostedOf, type Hosted, isGitHub, shownUrl } from '../git/host.ts'
import { committing, type Looked, lookedIn, looking, PUSH_SECONDS, pushing } from './program.ts'
import { type Asking, onGitHub, type Pulls, refusalOf } from './pulls.ts'
import type { TurnRepository } from './repository.ts'
import type { SoFar } from './text/body.ts'
import { suggestionFor } from './text/suggest.ts'

export interface PublishDeps {
  readonly runs: Pick<RunService, 'require'>
  readonly rows: Pick<ReviewRepository, 'activeFolders'>
  readonly turns: Pick<TurnRepository, 'ended'>
  readonly pulls: Pulls
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly execs: Pick<ExecService, 'run'>
  readonly provisioner: Pick<Provisioner, 'taskSecrets'>
  readonly runtime: Pick<ContainerRuntime, 'run'>
  readonly audit: Pick<Audit, 'recordNow'>
  /** The last validation of a task, or null. */
  readonly validationOf: (caller: Caller, id: string) => Promise<Validation | null>
  readonly newId: NewId
}

/** A task whose work a caller publishes. */
interface Published {
  readonly run: RunRow
  readonly found: Found
  readonly containerId: string
}

/** The caller, and when their client has gone. */
export interface Publisher {
  readonly caller: Caller
  readonly left: AbortSignal
}

export class PublishService {
  readonly #deps: PublishDeps

  constructor(deps: PublishDeps) {
    this.#deps = deps
  }

  /** What there is to publish. Throws `WRONG_STATE` if the folder of the task is in no work tree, or cannot be read. */
  async look(caller: Caller, id: string): Promise<Publication> {
    const of = await this.#require(caller, id)
    const { branch, commit, base, ahead, pushed, remote, uncommitted } = await this.#look(of)
    const hosted = remote && hostedOf(remote.url)
    const pull = hosted && branch !== null ? await this.#deps.pulls.known(branchOf(of, hosted, branch)) : null
    return {
      sessionId: id,
      ...{ branch, commit, uncommitted, base, ahead },
      remote: remote && {
        name: remote.name,
        url: shownUrl(remote.url),
        hasPullRequests: hosted !== null && isGitHub(hosted),
      },
      pushed: commit !== null && pushed === commit,
      compareUrl: hosted && branch !== null && base !== null ? compareUrl(hosted, base, branch) : null,
      pullRequest: pull,
      suggested: suggestionFor(of.run, await this.#soFar(caller, of.run)),
    }
  }

  /**
   * Commits all changes of the work tree to the branch that is checked out, or to a new one, which is checked out then.
   * Throws `BRANCH_TAKEN`, `CHANGES_CONFLICT` if the branch moved meanwhile, and `WRONG_STATE`: while a task is at work
   * there, in the middle of a merge, or without a change to commit. Then nothing has changed.
   */
  async commit(
    caller: Caller,
    id: string,
    { branch, message }: CommitChanges,
    facts: Readonly<Record<string, string>> = {},
  ): Promise<CommittedChanges> {
    const of = await this.#require(caller, id)
    const { rows, newId } = this.#deps
    const { row } = of.found
    const active = await rows.activeFolders(row.id)
    const author = { name: caller.email.replace(/@.*/, ''), address: caller.email }
    await this.#record(caller, of, 'changes.committed', { branch, ...facts })
    const stdout = await this.#run(of, committing(newId(), of.run.cwd, { branch, message, author }, active))
    return { branch, commit: stdout.toString().trim() }
  }

  /**
   * Commits what a task has left, with the message that {@link look} proposes: to the branch that is checked out, or to a
   * new one if that is the branch that the work is for. Answers whether there was a change. Throws like {@link commit}.
   */
  async commitByItself(caller: Caller, id: string): Promise<boolean> {
    const { uncommitted, branch, base, suggested } = await this.look(caller, id)
    if (uncommitted === 0) return false
    const isOwn = branch !== null && branch !== base
    const body = { branch: isOwn ? branch : suggested.branch, message: suggested.message }
    await this.commit(caller, id, body, { by: 'setting' })
    return true
  }

  /**
   * Pushes the branch, which must still be at the commit, with the caller's git credentials. Never by force. Throws
   * `REMOTE_REFUSED` with what the remote said, `CHANGES_CONFLICT`, and `WRONG_STATE` if there is no remote.
   */
  async push({ caller, left }: Publisher, id: string, { branch, commit }: PushBranch): Promise<void> {
    const of = await this.#require(caller, id)
    await this.#record(caller, of, 'changes.pushed', { branch, commit })
    const argv = pushing(this.#deps.newId(), of.run.cwd, branch, commit)
    const { exitCode, stderr, timedOut } = await this.#exec({ caller, left }, id, {
      ...{ argv, stdin: '', env: {} },
      timeoutSeconds: PUSH_SECONDS + 5,
    })
    if (exitCode !== 0 || timedOut) throw failureOf(timedOut ? null : exitCode, await this.#masked(of, stderr))
  }

  /**
   * Opens a pull request for a pushed branch by `gh`, or changes the open one. Throws `REMOTE_REFUSED` with what the host
   * said, `PULL_REQUEST_CLOSED` if the one of the branch is merged or closed and the request does not ask for another one,
   * and `WRONG_STATE` if the host of the remote is not GitHub.
   */
  async propose(by: Publisher, id: string, body: ProposeWork): Promise<PullRequest> {
    const of = await this.#require(by.caller, id)
    await this.#record(by.caller, of, 'changes.proposed', { branch: body.branch, base: body.base })
    const hosted = onGitHub((await this.#look(of)).remote)
    return this.#deps.pulls.put(branchOf(of, hosted, body.branch), body, this.#asking(by, id, of))
  }

  /**
   * What people and checks say of the pull request of the branch. Throws `REMOTE_REFUSED` with what the host said, and
   * `WRONG_STATE` if there is none.
   */
  async feedback(by: Publisher, id: string): Promise<PullFeedback> {
    const of = await this.#require(by.caller, id)
    const { remote, branch } = await this.#look(of)
    const hosted = onGitHub(remote)
    const asking = this.#asking(by, id, of)
    const number = branch === null ? null : await this.#deps.pulls.numberOf(branchOf(of, hosted, branch), asking)
    if (number === null) throw new AppError('WRONG_STATE', 'This branch has no pull request yet.')
    const result = await asking.exec(askingFeedback(hosted, number))
    return feedbackIn(result.stdout, number) ?? Promise.reject(await refusalOf(result, asking))
  }

  /**
   * The title and the text for an update of the pull request: those that the open one has at its host, with what this task
   * adds. Throws `REMOTE_REFUSED` with what the host said, and `WRONG_STATE` if the host of the remote is not GitHub.
   */
  async text(by: Publisher, id: string): Promise<PullText> {
    const of = await this.#require(by.caller, id)
    const { remote, branch } = await this.#look(of)
    const hosted = onGitHub(remote)
    const asking = this.#asking(by, id, of)
    const open = branch === null ? null : await this.#deps.pulls.published(branchOf(of, hosted, branch), asking)
    const { title, body } = suggestionFor(of.run, await this.#soFar(by.caller, of.run), open?.body)
    return { number: open?.number ?? null, title: open?.title ?? title, body }
  }

  #asking(by: Publisher, id: string, of: Published): Asking {
    return { exec: (request) => this.#exec(by, id, request), masked: (text) => this.#masked(of, text) }
  }

  async #soFar(caller: Caller, { id, messages }: RunRow): Promise<SoFar> {
    const [message] = messages ?? []
    const turns = message ? await this.#deps.turns.ended(message.conversationId, caller) : null
    return { validation: await this.#validation(caller, turns?.validated ?? id), cost: turns?.cost ?? null }
  }

  /** Null also if the caller may not see it. */
  async #validation(caller: Caller, id: string): Promise<Validation | null> {
    return this.#deps.validationOf(caller, id).catch((error: unknown) => {
      if (error instanceof AppError && ERROR_STATUS[error.code] === 403) return null
      throw error
    })
  }

  async #require(caller: Caller, id: string): Promise<Published> {
    const { run, found } = await this.#deps.runs.require(caller, id, 'task.publish')
    if (!found) throw new AppError('WRONG_STATE', 'The agent of this task was deleted.')
    if (run.endedAt === null) throw new AppError('WRONG_STATE', 'The task is at work. Wait for its end, or stop it.')
    const { runningId } = this.#deps.agents.snapshot(found.row)
    if (runningId === null) throw new AppError('WRONG_STATE', 'The agent is not running. Start it to publish its work.')
    return { run, found, containerId: runningId }
  }

  async #look(of: Published): Promise<Looked> {
    const looked = lookedIn(await this.#run(of, looking(this.#deps.newId(), of.run.cwd)))
    if (!looked) throw failureOf(null, '')
    return looked
  }

  async #run({ containerId }: Published, options: RunOptions): Promise<Buffer> {
    const { exitCode, stdout, stderr } = await this.#deps.runtime
      .run(containerId, options)
      .catch((error: unknown) => Promise.reject(asAppError(error)))
    if (exitCode !== 0) throw failureOf(exitCode, stderr.toString('utf8').trim())
    return stdout
  }

  /** Runs a program with the caller's credentials. It counts for their limits, and ends with their right to the agent. */
  async #exec({ caller, left }: Publisher, id: string, program: Request): Promise<ExecResult> {
    const locate = async (): Promise<Found> => (await this.#require(caller, id)).found
    return this.#deps.execs.run(program, { caller: () => Promise.resolve(caller), locate, left })
  }

  /** What the host said has neither the secrets of the task's user nor those of the caller, with which its program ran. */
  async #masked({ run, found }: Published, text: string): Promise<string> {
    const masking = new Masking()
    for (const userId of new Set([run.userId, found.caller.userId]))
      masking.learn(await this.#deps.provisioner.taskSecrets(userId, found.row))
    return masking.mask(text.trim())
  }

  async #record(
    caller: Caller,
    { run, found }: Published,
    action: 'changes.committed' | 'changes.pushed' | 'changes.proposed',
    facts: Readonly<Record<string, string>>,
  ): Promise<void> {
    const event = agentEvent(found.row, { taskId: run.id, ...facts })
    await this.#deps.audit.recordNow({ actor: actorOf(caller), action, ...event })
  }
}

const branchOf = ({ found }: Published, hosted: Hosted, branch: string) => ({
  agentId: found.row.id,
  ...hosted,
  branch,
})
