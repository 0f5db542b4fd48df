/** Changes repositories with their hooks and filters, for a user who lets these run. Each act is recorded, with that. */
import type { AuditAction, CommitStaged, Committed, CreateBranch, StageFiles, SwitchBranch } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { Audit, Facts } from '../../audit/audit.ts'
import { actorOf } from '../../identity/caller.ts'
import { pathsOf } from '../paths.ts'
import { authorOf, factsOf, followedBy } from '../writer/writer.ts'
import type { Asked } from './asked.ts'
import type { HookedGit } from './hooked-git.ts'

type Act = Extract<AuditAction, 'git.staged' | 'git.committed' | 'git.branch_created' | 'git.switched'>

export interface HookedWriterDeps {
  readonly hooked: HookedGit
  readonly audit: Pick<Audit, 'recordNow'>
}

/** All acts throw `AUDIT_REFUSED`, and what {@link HookedGit} throws. A hook may have changed something all the same. */
export class HookedWriter {
  readonly #deps: HookedWriterDeps

  constructor(deps: HookedWriterDeps) {
    this.#deps = deps
  }

  async stage(asked: Asked, { repository, files, hunk }: StageFiles): Promise<void> {
    if (hunk) throw new AppError('VALIDATION', 'body.runHooks: no filter runs for a hunk')
    const paths = pathsOf(files)
    await this.#record(asked, 'git.staged', { repository, ...factsOf(paths) })
    await this.#deps.hooked.stage(asked, repository, paths)
  }

  async commit(asked: Asked, { repository, message, amends }: CommitStaged): Promise<Committed> {
    await this.#record(asked, 'git.committed', { repository, ...(amends !== undefined && { amends }) })
    const author = authorOf(asked.found)
    return this.#deps.hooked.commit(asked, repository, { message, author, amends: amends ?? null })
  }

  /** Creates a branch that is checked out. Throws `BRANCH_TAKEN`. */
  async begin(asked: Asked, { repository, name, from }: CreateBranch): Promise<void> {
    await this.#record(asked, 'git.branch_created', { repository, branch: name })
    const branch = { name, from: from ?? null, follows: followedBy(name, from) }
    await this.#deps.hooked.begin(asked, repository, branch)
  }

  async switch(asked: Asked, { repository, name }: SwitchBranch): Promise<void> {
    await this.#record(asked, 'git.switched', { repository, branch: name })
    await this.#deps.hooked.switch(asked, repository, name)
  }

  #record({ found: { caller, row } }: Asked, action: Act, facts: Facts): Promise<void> {
    const event = agentEvent(row, { ...facts, hooks: true })
    return this.#deps.audit.recordNow({ actor: actorOf(caller), action, ...event })
  }
}
