/** What a new agent begins with: a repository, a set-up command and a first task, checked and in the form of its row. */
import type { AgentTemplate, CreateAgent } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import { type Action, allows, refusalText } from '../../access/policy.ts'
import type { Facts } from '../../audit/audit.ts'
import { asHandedIn, type Caller, proofOf } from '../../identity/caller.ts'
import { checkRef, checkRepositoryUrl, folderOf } from './repository-url.ts'

/** The row of a preparation that has not begun. */
export interface Beginning {
  readonly userId: string
  readonly via: string
  readonly viaId: string
  readonly url: string | null
  readonly ref: string | null
  readonly folder: string | null
  readonly devcontainer: string
  readonly setupCommand: string | null
  /** Absent: none. */
  readonly variables?: AgentTemplate['variables']
  readonly taskPrompt: string | null
  readonly taskProvider: string | null
  readonly state: 'waiting'
}

type Wanted = { readonly [Name in 'repository' | 'setupCommand' | 'task']: CreateAgent[Name] | undefined }

/**
 * Null if the agent begins with nothing. Throws `VALIDATION` for an address that may not be cloned, and `FORBIDDEN` for a
 * token that may not run programs in an agent, set its variables, or start tasks.
 */
export const beginningOf = (
  caller: Caller,
  { repository, setupCommand, task }: Wanted,
  variables: AgentTemplate['variables'] = [],
  hasSecrets = false,
): Beginning | null => {
  if (hasSecrets) assertOwnerMay(caller, 'agent.variables')
  const hasVariables = variables.length > 0
  if (!repository && setupCommand === undefined && !task && !hasVariables) return null
  if (repository || setupCommand !== undefined || hasVariables) assertOwnerMay(caller, 'agent.prepare')
  if (task) assertOwnerMay(caller, 'task.start')
  if (repository) checkRepositoryUrl(repository.url)
  if (repository?.ref !== undefined) checkRef(repository.ref)
  // It goes on after its user has signed out.
  const { kind: via, id: viaId } = proofOf(asHandedIn(caller).via)
  return {
    ...{ userId: caller.userId, via, viaId },
    url: repository?.url ?? null,
    ref: repository?.ref ?? null,
    folder: repository ? (repository.folder ?? folderOf(repository.url)) : null,
    devcontainer: repository?.devcontainer ?? 'ask',
    setupCommand: setupCommand ?? null,
    ...(hasVariables && { variables }),
    taskPrompt: task?.prompt ?? null,
    taskProvider: task?.provider ?? null,
    state: 'waiting',
  }
}

/** What the audit log says of it. The prompt of a task belongs to its user. */
export const factsOf = (beginning: Beginning | null): Facts => ({
  ...(beginning?.url != null && { repository: beginning.url }),
  ...(beginning?.ref != null && { ref: beginning.ref }),
  ...(beginning?.setupCommand != null && { setupCommand: beginning.setupCommand }),
})

const assertOwnerMay = (caller: Caller, action: Action): void => {
  if (!allows(caller, action, 'owner')) throw new AppError('FORBIDDEN', refusalText(caller, action))
}
