/** Changes the repositories of an agent's home. Each act is recorded, and nothing of a repository runs. */
import {
  type AppliedStash,
  type AuditAction,
  type ChangeFiles,
  type CommitStaged,
  type Committed,
  type CreateBranch,
  type CreatedStash,
  type CreateStash,
  type Discarded,
  type SwitchBranch,
  type UndoDiscard,
  type UseStash,
} from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { Found } from '../../agents/service.ts'
import type { Audit, Facts } from '../../audit/audit.ts'
import { actorOf } from '../../identity/caller.ts'
import { partsOf, pathsOf, textOf } from '../paths.ts'
import { type Author, branching, changing, committing, stashing, stashingAway, switching, undoing } from '../program.ts'
import type { GitRunner } from '../runner.ts'

export interface WriterDeps {
  readonly runner: GitRunner
  readonly audit: Pick<Audit, 'recordNow'>
}

/** What goes to remotes is in `publish`. */
type OfRemotes = 'git.fetched' | 'git.pulled' | 'git.pushed' | 'git.proposed'
type Act = Exclude<Extract<AuditAction, `git.${string}`>, OfRemotes>

const ACTS = { stage: 'git.staged', unstage: 'git.unstaged', discard: 'git.discarded' } as const

/** Who commits if the repository names no one. */
export const authorOf = ({ caller: { email } }: Found): Author => ({ name: email.replace(/@.*/, ''), address: email })

/** The remote branch that a new branch of this name follows. */
export const followedBy = (name: string, from: string | undefined): string | null =>
  from?.endsWith(`/${name}`) ? from : null

/** What the audit log has of the files of an act. */
export const factsOf = (paths: readonly Buffer[]): Facts => {
  const [first] = paths
  return paths.length === 1 && first ? { path: textOf(first) } : { files: paths.length }
}

/**
 * All acts throw `AUDIT_REFUSED`, and what {@link GitRunner.act} throws. Then nothing has changed, except for `FILES_NOT_WRITTEN`.
 */
export class GitWriter {
  readonly #deps: WriterDeps

  constructor(deps: WriterDeps) {
    this.#deps = deps
  }

  async stage(found: Found, body: ChangeFiles): Promise<void> {
    await this.#change(found, 'stage', body)
  }

  async unstage(found: Found, body: ChangeFiles): Promise<void> {
    await this.#change(found, 'unstage', body)
  }

  /** Takes files, or a hunk of one, back to what is staged. The repository keeps what they were. */
  async discard(found: Found, body: ChangeFiles): Promise<Discarded> {
    return { kept: (await this.#change(found, 'discard', body)).toString('utf8').trim() }
  }

  /** Undoes a discard if its files are still as it left them, or brings a stash back. */
  async undo(found: Found, { repository, kept }: UndoDiscard): Promise<void> {
    const { runner } = this.#deps
    await this.#record(found, 'git.restored', { repository })
    await runner.act(found, undoing(runner.placeOf(repository), kept))
  }

  /** Commits what is staged, or makes the last commit anew with it if no remote has that. */
  async commit(found: Found, { repository, message, amends }: CommitStaged): Promise<Committed> {
    const { runner } = this.#deps
    await this.#record(found, 'git.committed', { repository, ...(amends !== undefined && { amends }) })
    const place = runner.placeOf(repository)
    const output = await runner.act(found, committing(place, message, authorOf(found), amends ?? null))
    return { commit: output.toString('latin1').trim() }
  }

  /** Throws `BRANCH_TAKEN`. A branch that cannot be checked out is not made. */
  async branch(found: Found, body: CreateBranch): Promise<void> {
    const { runner } = this.#deps
    const { repository, name, from } = body
    await this.#record(found, 'git.branch_created', { repository, branch: name })
    const what = { name, from: from ?? null, isCheckedOut: body.switch ?? false, follows: followedBy(name, from) }
    await runner.act(found, branching(runner.placeOf(repository), what))
  }

  async switch(found: Found, { repository, name }: SwitchBranch): Promise<void> {
    const { runner } = this.#deps
    await this.#record(found, 'git.switched', { repository, branch: name })
    await runner.act(found, switching(runner.placeOf(repository), name))
  }

  /** Puts what has changed aside. If a file changes meanwhile, everything stays. */
  async stash(found: Found, { repository, message = '', untracked = false }: CreateStash): Promise<CreatedStash> {
    const { runner } = this.#deps
    await this.#record(found, 'git.stashed', { repository, untracked })
    const output = await runner.act(found, stashingAway(runner.placeOf(repository), message.trim(), untracked))
    return { commit: output.toString('latin1').trim() }
  }

  async applyStash(found: Found, { repository, at, commit }: UseStash): Promise<AppliedStash> {
    const { runner } = this.#deps
    await this.#record(found, 'git.stash_applied', { repository, commit })
    const output = await runner.act(found, stashing(runner.placeOf(repository), 'apply', at, commit))
    return { conflicts: partsOf(output).map(textOf) }
  }

  async dropStash(found: Found, { repository, at, commit }: UseStash): Promise<Discarded> {
    const { runner } = this.#deps
    await this.#record(found, 'git.stash_dropped', { repository, commit })
    const output = await runner.act(found, stashing(runner.placeOf(repository), 'drop', at, commit))
    return { kept: output.toString('utf8').trim() }
  }

  async #change(
    found: Found,
    act: 'stage' | 'unstage' | 'discard',
    { repository, files, hunk }: ChangeFiles,
  ): Promise<Buffer> {
    const { runner } = this.#deps
    const paths = pathsOf(files)
    if (hunk && paths.length !== 1) throw new AppError('VALIDATION', 'body.files: a hunk is of one file')
    await this.#record(found, ACTS[act], { repository, ...factsOf(paths) })
    return runner.act(found, changing(runner.placeOf(repository), act, paths, hunk ?? null))
  }

  #record({ caller, row }: Found, action: Act, facts: Facts): Promise<void> {
    return this.#deps.audit.recordNow({ actor: actorOf(caller), action, ...agentEvent(row, facts) })
  }
}
