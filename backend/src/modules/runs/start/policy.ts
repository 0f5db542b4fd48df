/** What the policies of a run and of its agent allow its CLI. */
import { isStrictEnough, type RunMode, type RunPolicy, type RunRequest } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import type { AgentRow } from '../../agents/rows.ts'
import type { TaskProvider } from '../../providers/task-provider.ts'
import { asksPeople } from '../people/policy.ts'

/** How the program of a run starts. */
export interface Permissions {
  /** Null: people are not asked, and the setting of the agent counts. */
  readonly policy: RunPolicy | null
  /** Whether the CLI runs without its permission prompts. */
  readonly skips: boolean
  /** Whether the CLI only reads and plans. */
  readonly plans: boolean
}

type OfAgent = Pick<AgentRow, 'skipPermissions' | 'policy'>

const refused = (message: string): AppError => new AppError('VALIDATION', `body.${message}`)

/** Throws if the policy of the request is not possible, or laxer than that of the agent. */
export const permissionsOf = (
  { policy }: Pick<RunRequest, 'policy'>,
  mode: RunMode,
  provider: Pick<TaskProvider, 'headless' | 'label'>,
  agent: OfAgent,
): Permissions => {
  if (mode !== 'auto') {
    if (policy !== undefined)
      throw refused(`policy: a task in the mode ${mode} has none, because its CLI asks on its terminal`)
    if (agent.policy === 'plan') throw refused('mode: the tasks of this agent only plan, which needs the mode auto')
    return { policy: null, ...startOf(null, agent) }
  }
  if (policy !== undefined && !isStrictEnough(policy, agent.policy))
    throw refused(`policy: the tasks of this agent have the policy ${agent.policy} or a stricter one`)
  if (policy === 'skip' && !agent.skipPermissions)
    throw refused('policy: this agent does not let its CLIs skip their permission prompts')
  const chosen = policy ?? agent.policy
  const lack = lackOf(chosen, provider)
  if (lack !== null)
    throw refused(
      policy === undefined ? `provider: ${lack}, as the policy ${chosen} of this agent needs` : `policy: ${lack}`,
    )
  return { policy: chosen, ...startOf(chosen, agent) }
}

/** The same for a run that waited in line. The agent may have become stricter meanwhile. */
export const permissionsOfWaiting = (
  { policy }: { readonly policy: RunPolicy | null },
  mode: RunMode,
  provider: Pick<TaskProvider, 'headless' | 'label'>,
  agent: OfAgent,
): Permissions => {
  const isPossible =
    policy !== null && isStrictEnough(policy, agent.policy) && (policy !== 'skip' || agent.skipPermissions)
  return permissionsOf(isPossible ? { policy } : {}, mode, provider, agent)
}

const startOf = (policy: RunPolicy | null, { skipPermissions, ...agent }: OfAgent): Omit<Permissions, 'policy'> => ({
  skips: policy === null ? skipPermissions && agent.policy === null : policy === 'skip',
  plans: policy === 'plan',
})

/** What the provider cannot do. */
const lackOf = (
  policy: RunPolicy | null,
  { headless, label }: Pick<TaskProvider, 'headless' | 'label'>,
): string | null => {
  if (asksPeople(policy) && !headless.people) return `${label} cannot ask people in a task`
  return policy === 'plan' && headless.plans !== true ? `${label} cannot only plan in a task` : null
}
