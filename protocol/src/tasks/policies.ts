/** What a CLI may do without asking. */
import Type from 'typebox'

/**
 * The laxest first. `skip` runs the CLI without its permission prompts; `tiers` asks people about what may do damage (the
 * tiers 2 and 3 of an approval); `ask` asks about everything that the CLI does not take for harmless; with `plan`, the CLI
 * only reads and plans.
 */
export const RUN_POLICIES = ['skip', 'tiers', 'ask', 'plan'] as const
export const RunPolicy = Type.Enum(RUN_POLICIES)
export type RunPolicy = (typeof RUN_POLICIES)[number]

/** The policies that an agent may have. Without one, its `skipPermissions` decides. */
export const AGENT_POLICIES = ['tiers', 'ask', 'plan'] as const
export const AgentPolicy = Type.Enum(AGENT_POLICIES)
export type AgentPolicy = (typeof AGENT_POLICIES)[number]

/** Whether a policy is at least as strict as that of the agent. Null: its `skipPermissions` decides. */
export const isStrictEnough = (policy: RunPolicy, ofAgent: AgentPolicy | null): boolean =>
  ofAgent === null || RUN_POLICIES.indexOf(policy) >= RUN_POLICIES.indexOf(ofAgent)
