/** What CLIs may do without asking, as the forms offer it. */
import { type Agent, AGENT_POLICIES, type AgentPolicy } from '@slipway/protocol'

export interface PolicyText {
  readonly label: string
  readonly text: string
}

export const POLICIES: Readonly<Record<AgentPolicy, PolicyText>> = {
  tiers: { label: 'Ask about risks', text: 'People decide what cannot be brought back, or is not known.' },
  ask: { label: 'Ask before it acts', text: 'People decide all commands and changes.' },
  plan: { label: 'Only plan', text: 'It reads and plans, and changes nothing.' },
}

/** Without a policy, the setting of the agent counts. */
export const withoutPolicy = (skipPermissions: boolean): PolicyText =>
  skipPermissions
    ? { label: 'Skip permission prompts', text: 'It acts without asking, as the agent is set.' }
    : {
        label: 'As the agent is set',
        text: 'It asks no questions, and goes on without what needs a permission.',
      }

/** What a coding CLI can do. */
export interface PolicySkills {
  readonly asks: boolean
  readonly plans: boolean
}

/** A policy that a task may have. Null: that of its agent. */
export interface PolicyChoice extends PolicyText {
  readonly value: AgentPolicy | null
}

/** The policies of a task: that of its agent, and the stricter ones. */
export function policyChoices(
  { skipPermissions, policy }: Pick<Agent, 'skipPermissions' | 'policy'>,
  { asks, plans }: PolicySkills,
): PolicyChoice[] {
  const stricter = AGENT_POLICIES.slice(policy === null ? 0 : AGENT_POLICIES.indexOf(policy) + 1)
  const possible = stricter.filter((one) => (one === 'plan' ? plans : asks))
  const first =
    policy === null
      ? withoutPolicy(skipPermissions)
      : { label: POLICIES[policy].label, text: `${POLICIES[policy].text} The agent is set so.` }
  return [{ value: null, ...first }, ...possible.map((value) => ({ value, ...POLICIES[value] }))]
}

/** Why tasks of a CLI do not start with this policy; null: they do. */
export function policyProblem(policy: AgentPolicy | null, { asks, plans }: PolicySkills, cli: string): string | null {
  if (policy === null) return null
  if (policy === 'plan') return plans ? null : `${cli} cannot only plan, so its tasks do not start.`
  return asks ? null : `${cli} cannot ask people in a task, so its tasks do not start.`
}
